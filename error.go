// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// ErrorCode is the class of an [Error]. It is an error itself, so that errors.Is(err, paimon.CodeNotFound) asks for the class.
// [CodeNotFound] also matches [fs.ErrNotExist], [CodeAlreadyExist] matches [fs.ErrExist] and [CodeUnsupported] matches
// [errors.ErrUnsupported].
type ErrorCode int32

// The classes. Codes are appended, never renumbered.
const (
	CodeUnexpected        ErrorCode = 0
	CodeUnsupported       ErrorCode = 1
	CodeNotFound          ErrorCode = 2
	CodeAlreadyExist      ErrorCode = 3
	CodeInvalidInput      ErrorCode = 4
	CodeIoError           ErrorCode = 5
	CodeResourceExhausted ErrorCode = 6
	CodeCommitConflict    ErrorCode = 7
	CodeCancelled         ErrorCode = 8
	CodeOutcomeUnknown    ErrorCode = 9
)

// String says the class in words.
func (c ErrorCode) String() string {
	switch c {
	case CodeUnexpected:
		return "unexpected error"
	case CodeUnsupported:
		return "unsupported"
	case CodeNotFound:
		return "not found"
	case CodeAlreadyExist:
		return "already exists"
	case CodeInvalidInput:
		return "invalid input"
	case CodeIoError:
		return "I/O error"
	case CodeResourceExhausted:
		return "resources exhausted"
	case CodeCommitConflict:
		return "commit conflict"
	case CodeCancelled:
		return "cancelled"
	case CodeOutcomeUnknown:
		return "outcome unknown"
	default:
		return fmt.Sprintf("code(%d)", int32(c))
	}
}

// Error makes a code usable as the target of [errors.Is].
func (c ErrorCode) Error() string { return "paimon: " + c.String() }

// Is reports whether target is the standard library's error for this class.
func (c ErrorCode) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return c == CodeNotFound
	case fs.ErrExist:
		return c == CodeAlreadyExist
	case errors.ErrUnsupported:
		return c == CodeUnsupported
	default:
		return false
	}
}

// A sentinel is a finer kind of error within a class. It matches its class too.
type sentinel struct {
	code ErrorCode
	text string
}

func (s *sentinel) Error() string { return "paimon: " + s.text }
func (s *sentinel) Is(target error) bool {
	return target == error(s.code) || s.code.Is(target) || target == fs.ErrPermission && s == ErrPermissionDenied
}

// The kinds of error that a caller may want to tell apart, as targets of [errors.Is].
var (
	// ErrClosed is the error of a call on a handle that was closed, or is nil, or was never opened.
	ErrClosed error = &sentinel{CodeInvalidInput, "use of a closed handle"}
	// ErrNegativeLimit is the error of [ReadBuilder.WithLimit] for a limit below zero.
	ErrNegativeLimit error = &sentinel{CodeInvalidInput, "negative limit"}
	// ErrUnsupportedPlatform is the error of opening a catalog where no native library is embedded and none was named.
	ErrUnsupportedPlatform error = &sentinel{CodeUnsupported, "no native library for this platform"}
	// ErrABIMismatch is the error of opening a catalog with a native library of another version.
	ErrABIMismatch error = &sentinel{CodeUnsupported, "native library of another version"}

	ErrDatabaseNotExist     error = &sentinel{CodeNotFound, "database does not exist"}
	ErrTableNotExist        error = &sentinel{CodeNotFound, "table does not exist"}
	ErrColumnNotExist       error = &sentinel{CodeNotFound, "column does not exist"}
	ErrSnapshotNotExist     error = &sentinel{CodeNotFound, "snapshot does not exist"}
	ErrTagNotExist          error = &sentinel{CodeNotFound, "tag does not exist"}
	ErrBranchNotExist       error = &sentinel{CodeNotFound, "branch does not exist"}
	ErrDatabaseAlreadyExist error = &sentinel{CodeAlreadyExist, "database already exists"}
	ErrTableAlreadyExist    error = &sentinel{CodeAlreadyExist, "table already exists"}
	ErrColumnAlreadyExist   error = &sentinel{CodeAlreadyExist, "column already exists"}
	ErrTagAlreadyExist      error = &sentinel{CodeAlreadyExist, "tag already exists"}
	ErrBranchAlreadyExist   error = &sentinel{CodeAlreadyExist, "branch already exists"}
	ErrDatabaseNotEmpty     error = &sentinel{CodeInvalidInput, "database is not empty"}
	// ErrPermissionDenied is the error of what the storage does not allow. It matches [fs.ErrPermission] too.
	ErrPermissionDenied error = &sentinel{CodeIoError, "permission denied"}
	// ErrCommitConflict is the error of a commit that lost to another writer. Nothing of it is visible. The same messages may
	// be committed again, unless the message says that files they stand on are gone.
	ErrCommitConflict error = &sentinel{CodeCommitConflict, "commit conflict"}
	// ErrOutcomeUnknown is the error of a change that was called off while it was under way, by a context that ended: it may have been
	// made, or not, or be made yet. It matches the context's error too. What became of a commit tells
	// [TableCommit.FilterAndCommitWithIdentifier] with the same messages and identifier (math.MaxInt64 for [TableCommit.Commit]), by
	// the same handle or one of the same commit user: it does nothing if the commit is there, and makes it if not. For other changes
	// look whether they are there before you try again.
	ErrOutcomeUnknown error = &sentinel{CodeOutcomeUnknown, "outcome unknown"}
)

func sentinelOf(kind error) *sentinel {
	s := new(sentinel)
	errors.As(kind, &s)
	return s
}

// nativeKinds maps the native library's codes that name a kind to it. Other codes are classes, or kinds that are unknown here:
// their class is the code divided by nativeKindsPerClass.
var nativeKinds = map[int32]error{
	int32(CodeCommitConflict): ErrCommitConflict,
	int32(CodeOutcomeUnknown): ErrOutcomeUnknown,

	201: ErrDatabaseNotExist,
	202: ErrTableNotExist,
	203: ErrColumnNotExist,
	204: ErrSnapshotNotExist,
	205: ErrTagNotExist,
	206: ErrBranchNotExist,
	301: ErrDatabaseAlreadyExist,
	302: ErrTableAlreadyExist,
	303: ErrColumnAlreadyExist,
	305: ErrTagAlreadyExist,
	306: ErrBranchAlreadyExist,
	401: ErrDatabaseNotEmpty,
	404: ErrSnapshotNotExist, // of a read's options, which are at fault: [CodeInvalidInput]
	405: ErrTagNotExist,      // as above
	501: ErrPermissionDenied,
}

const nativeKindsPerClass = 100

// An Error says what was attempted on which object and what went wrong. Every error of this package is one, or wraps one, save
// io.EOF at the end of a reader. It matches its class ([ErrorCode]) and its kind (ErrTableNotExist and the like) under
// [errors.Is].
type Error struct {
	op, object, message string
	code                ErrorCode
	kind                error // a sentinel, or nil
	cause               error // what else the error wraps, or nil
}

// Op is what was attempted, such as "get table".
func (e *Error) Op() string { return e.op }

// Object is the name of what it was attempted on, such as "db.t"; it may be empty.
func (e *Error) Object() string { return e.object }

// Message is the explanation alone: the native library's text, or this package's own.
func (e *Error) Message() string { return e.message }

// Code is the class of the error.
func (e *Error) Code() ErrorCode { return e.code }

// Error gives "paimon: op object: kind or class: message".
func (e *Error) Error() string {
	text := strings.Builder{}
	text.WriteString("paimon: ")
	text.WriteString(e.op)
	if e.object != "" {
		text.WriteString(" " + e.object)
	}
	if e.kind != nil {
		text.WriteString(": " + sentinelOf(e.kind).text)
	} else {
		text.WriteString(": " + e.code.String())
	}
	if e.message != "" {
		text.WriteString(": " + e.message)
	}
	return text.String()
}

// Is reports whether target is the error's class, its kind, or the standard library's error for them.
func (e *Error) Is(target error) bool {
	return target == error(e.code) || e.code.Is(target) || e.kind != nil && (target == e.kind || target == fs.ErrPermission && e.kind == ErrPermissionDenied)
}

// Unwrap gives the error behind this one, if there is one.
func (e *Error) Unwrap() error { return e.cause }

func invalidInput(op, object, format string, args ...any) error {
	return &Error{op: op, object: object, code: CodeInvalidInput, message: fmt.Sprintf(format, args...)}
}

func ofKind(op, object string, kind error, message string) error {
	return &Error{op: op, object: object, code: sentinelOf(kind).code, kind: kind, message: message}
}

// nativeError makes the error of a native call that failed with this code and message.
func nativeError(op, object string, code int32, message string) error {
	e := &Error{op: op, object: object, message: message, code: ErrorCode(code), kind: nativeKinds[code]}
	if code >= nativeKindsPerClass {
		e.code = ErrorCode(code / nativeKindsPerClass)
	}
	return e
}
