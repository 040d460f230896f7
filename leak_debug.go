// SPDX-License-Identifier: Apache-2.0

//go:build paimon_debug

package paimon

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// A leakWatch reports an owner of a native object that the garbage collector finds before stop was called.
type leakWatch struct {
	cleanup runtime.Cleanup
}

// A leak is what is known of a native object: of which type it is, what errors call it, and who made it.
type leak struct {
	native any // a nil pointer to it
	object string
	stack  []uintptr
}

// reportLeak is where reports go; a test sets its own.
var reportLeak = func(text string) { fmt.Fprint(os.Stderr, text) }

// watchLeak begins to watch. native is a nil pointer to the type of the object.
func watchLeak[T any](owner *T, native any, object string) leakWatch {
	stack := make([]uintptr, 32)
	stack = stack[:runtime.Callers(3, stack)]
	return leakWatch{runtime.AddCleanup(owner, func(l leak) { reportLeak(l.String()) }, leak{native, object, stack})}
}

func (w leakWatch) stop() { w.cleanup.Stop() }

// String describes the leak, with the stack in the form of a panic's.
func (l leak) String() string {
	var text strings.Builder
	name := strings.TrimPrefix(fmt.Sprintf("%T", l.native), "*paimon.c")
	if l.object != "" {
		name += " " + l.object
	}
	fmt.Fprintf(&text, "paimon: %s was dropped and never closed or released. It was made here:\n", name)
	frames := runtime.CallersFrames(l.stack)
	for more := len(l.stack) > 0; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		fmt.Fprintf(&text, "%s\n\t%s:%d\n", frame.Function, frame.File, frame.Line)
	}
	return text.String()
}
