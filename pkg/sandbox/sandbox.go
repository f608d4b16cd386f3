// Package sandbox runs Python that nobody has read, shut off from everything but the
// files that it is given.
//
// Local runs it in a process of its own on this machine: in namespaces of its own (user,
// pid, mount, network, ipc, uts), with a root that holds the interpreter read-only and a
// scratch folder in memory, under landlock, a list of the system calls that it may make,
// and limits. It is this program again in another role (IsChild, ChildMain), so that all of
// that is in place before Python starts. Open tries each wall first and refuses where one
// does not hold: nothing is ever run with less.
//
// This file says what goes in and comes out, local_linux.go is the parent's side,
// child_linux.go the child's, walls_linux.go the lists that landlock and seccomp hold to,
// interpreter.go what Python there is, and collect_linux.go reads what was written.
package sandbox

import (
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Limits bound one run. The zero value of a field means its default.
type Limits struct {
	// Wall is the time that a run may take, CPU that of all its threads together.
	Wall time.Duration
	CPU  time.Duration
	// Memory bounds the address space, in bytes; Threads all threads, the first included.
	Memory  int64
	Threads int
	// OpenFiles bounds the files open at a time, Scratch the bytes of all files written.
	OpenFiles int
	Scratch   int64
	// Stdout and Stderr bound what is printed, in bytes: a run that prints more on stdout
	// is ended; of stderr the end is kept.
	Stdout int
	Stderr int
	// Input bounds the bytes of code and files together that go in, and OutputFiles and
	// Output the number and the bytes of the files that come out.
	Input       int64
	OutputFiles int
	Output      int64
}

// maxFolders bounds the files and folders in the scratch folder.
const maxFolders = 4096

// Complete fills in the defaults and checks the rest.
func (l Limits) Complete() (Limits, error) {
	for _, limit := range []struct {
		name      string
		value     *time.Duration
		otherwise time.Duration
	}{{"wall", &l.Wall, time.Minute}, {"cpu", &l.CPU, time.Minute}} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < time.Second {
			return l, fmt.Errorf("the sandbox's limit %s is %s: it has to be at least 1s", limit.name, *limit.value)
		}
	}
	for _, limit := range []struct {
		name             string
		value            *int64
		otherwise, least int64
	}{
		{"memory", &l.Memory, 2 << 30, 64 << 20}, {"scratch", &l.Scratch, 128 << 20, 1 << 20},
		{"input", &l.Input, 64 << 20, 1}, {"output", &l.Output, 16 << 20, 1},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < limit.least {
			return l, fmt.Errorf("the sandbox's limit %s is %d bytes: it has to be at least %d", limit.name, *limit.value, limit.least)
		}
	}
	for _, limit := range []struct {
		name             string
		value            *int
		otherwise, least int
	}{
		{"threads", &l.Threads, 32, 1}, {"open_files", &l.OpenFiles, 256, 16}, {"stdout", &l.Stdout, 4 << 20, 1},
		{"stderr", &l.Stderr, 16 << 10, 1}, {"output_files", &l.OutputFiles, 20, 1},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < limit.least {
			return l, fmt.Errorf("the sandbox's limit %s is %d: it has to be at least %d", limit.name, *limit.value, limit.least)
		}
	}
	return l, nil
}

// Folders that a program sees.
const (
	// InputDir holds the input files, read-only; OutputDir is where it puts files that
	// shall come out. It starts in the folder around OutputDir.
	InputDir  = "/in"
	OutputDir = "/work/out"

	workDir    = "/work"
	scratchDir = "/work/tmp"
	programDir = "/program"
)

// File is one that goes in or comes out.
type File struct {
	Name string
	Data []byte
}

// Job is a program with its input files.
type Job struct {
	Code  string
	Files []File
}

// Exit says how a run ended.
type Exit string

// Ways in which a run ends.
const (
	Exited     Exit = "exited"      // by itself, with Result.Code
	TimeUp     Exit = "time"        // Limits.Wall or Limits.CPU
	OutputFull Exit = "output"      // more on stdout than Limits.Stdout
	BadFiles   Exit = "files"       // what it wrote is not as it has to be, see Result.Problem
	Killed     Exit = "killed"      // by a signal, of the kernel or of its own
	notEnded   Exit = "not started" // only within this package
)

// Result is what came of a run. All of it was made by the program: it is data to be checked.
type Result struct {
	Exit Exit
	Code int // of a program that exited: 0 where it did well
	// Stdout is at most Limits.Stdout bytes, Stderr the last Limits.Stderr.
	Stdout []byte
	Stderr []byte
	// Files are those of OutputDir, of a run that exited with 0.
	Files []File
	// Problem says why it ended, in English; empty where the program did well.
	Problem string
	// Took is from the start of the process to its end.
	Took time.Duration
}

// OK reports whether the program ended by itself and well.
func (r Result) OK() bool { return r.Exit == Exited && r.Code == 0 }

// ErrRefused is the cause of Open's error where a wall does not hold on this machine.
var ErrRefused = errors.New("the sandbox refuses to start")

// UnfitError says that a job is not one that can be run, and why.
type UnfitError struct{ Problem string }

// Error implements error.
func (e *UnfitError) Error() string { return e.Problem }

// AwayError says that no runner could be asked, and why: another try may find one.
type AwayError struct{ Err error }

// Error implements error.
func (e *AwayError) Error() string { return "no sandbox can be reached: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *AwayError) Unwrap() error { return e.Err }

// Wall is one of the walls around a program, and whether it holds on this machine.
type Wall struct {
	Name string
	Held bool
	// Found is what was seen of it, in English.
	Found string
}

// fileName is a plain name: no folder, no hidden file, nothing that a shell or a page reads
// as something else.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// check says what is wrong with a job; nil where it can be run.
func (j Job) check(l Limits) error {
	size := int64(len(j.Code))
	seen := make(map[string]bool, len(j.Files))
	for _, f := range j.Files {
		if !fileName.MatchString(f.Name) || seen[f.Name] {
			return &UnfitError{fmt.Sprintf("an input file is called %q: names are unique, of letters, digits, dots, dashes and underscores, and begin with a letter or digit", f.Name)}
		}
		seen[f.Name] = true
		size += int64(len(f.Data))
	}
	if j.Code == "" {
		return &UnfitError{"there is no code to run"}
	}
	if len(j.Files) > maxFolders || size > l.Input {
		return &UnfitError{fmt.Sprintf("code and input files have %d bytes in %d files: the most is %d bytes (input) in %d files", size, len(j.Files), l.Input, maxFolders)}
	}
	return nil
}
