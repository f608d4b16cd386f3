//go:build !linux

package sandbox

import (
	"context"
	"runtime"
)

// Local runs programs on this machine. There is none on systems other than Linux.
type Local struct{}

// Open refuses: the walls are those of Linux.
func Open(context.Context, Config) (*Local, error) {
	return nil, &RefusedError{Problem: "it needs the namespaces, landlock and seccomp of Linux, and this is " + runtime.GOOS}
}

// Run is never called, as Open returns no Local.
func (*Local) Run(context.Context, Job) (Result, error) { return Result{}, ErrRefused }

// Interpreter is the Python that runs programs.
func (*Local) Interpreter() Interpreter { return Interpreter{} }

// Walls are those around a program.
func (*Local) Walls() []Wall { return nil }

// ChildMain is never the main function of a process here.
func ChildMain() int { return 1 }
