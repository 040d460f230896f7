// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A process is a side in a process of its own, to which tasks go and from which results come as lines of JSON.
type process struct {
	command *exec.Cmd
	tasks   io.WriteCloser
	results *bufio.Reader
}

func startProcess(environment []string, name string, arguments ...string) (*process, error) {
	p := &process{command: exec.Command(name, arguments...)}
	p.command.Stderr = os.Stderr
	p.command.Env = append(os.Environ(), environment...)
	var err error
	if p.tasks, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.results = bufio.NewReader(out)
	return p, p.command.Start()
}

func (p *process) run(t task) (result, error) {
	if t.Parallel > 0 || t.Writers > 1 {
		return result{}, errUnavailable
	}
	if err := json.NewEncoder(p.tasks).Encode(t); err != nil {
		return result{}, err
	}
	line, err := p.results.ReadBytes('\n')
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", p.command.Path, err)
	}
	return decode(line)
}

// close lets the process end, and waits until it has.
func (p *process) close() error {
	return errors.Join(p.tasks.Close(), p.command.Wait())
}

// runCold runs a task in a fresh process, and gives what that took from its start to its end.
func runCold(start func() (*process, error), t task) (result, error) {
	began := time.Now()
	p, err := start()
	if err != nil {
		return result{}, err
	}
	r, err := p.run(t)
	err = errors.Join(err, p.close())
	r.Wall = time.Since(began)
	state := p.command.ProcessState
	r.CPU = state.UserTime() + state.SystemTime()
	return r, err
}

// runAlone runs a task in a fresh process, for how much memory it takes.
func runAlone(start func() (*process, error), t task) (result, error) {
	p, err := start()
	if err != nil {
		return result{}, err
	}
	if t.Op == opWrite {
		made := t
		made.Op = opGenerate
		_, err = p.run(made)
	}
	var r result
	if err == nil {
		r, err = p.run(t)
	}
	return r, errors.Join(err, p.close())
}

// serve is such a process, of a side of this program.
func serve(s side, in io.Reader, out io.Writer) error {
	tasks, results := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var t task
		if err := tasks.Decode(&t); errors.Is(err, io.EOF) {
			return s.close()
		} else if err != nil {
			return err
		}
		if err := resetPeak(); err != nil {
			return err
		}
		r, err := s.run(t)
		if err == nil {
			r.Peak, err = peak()
		}
		if err != nil {
			r = result{Error: err.Error()}
		}
		if err := results.Encode(r); err != nil {
			return err
		}
	}
}
