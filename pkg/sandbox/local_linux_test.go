package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/stretchr/testify/require"
)

// TestAProgramComputes: it reads its input files, prints, writes files, computes with
// threads, and finds the libraries of its interpreter.
func TestAProgramComputes(t *testing.T) {
	t.Parallel()
	l := local(t)
	require.NotEmpty(t, l.Interpreter().Version)
	for _, w := range l.Walls() {
		require.True(t, w.Held, "%s: %s", w.Name, w.Found)
	}
	require.Len(t, l.Walls(), len(wallNames))
	r, err := l.Run(t.Context(), Job{
		Code: `
import csv, json, math, os, sqlite3, statistics, sys, tempfile, threading, zoneinfo, decimal, hashlib
rows = list(csv.DictReader(open("/in/rows.csv")))
found = []
thread = threading.Thread(target=lambda: found.append(statistics.fmean(float(r["v"]) for r in rows)))
thread.start(); thread.join()
with tempfile.TemporaryDirectory() as d:
    open(os.path.join(d, "x"), "w").write("scratch")
os.rename(tempfile.NamedTemporaryFile(delete=False).name, "/work/out/moved.bin")
open("out/picture.svg", "w").write("<svg/>")
json.dump({"mean": found[0], "files": sorted(os.listdir("/in")), "cwd": os.getcwd(), "zone": str(zoneinfo.ZoneInfo("Asia/Singapore"))}, sys.stdout)
print("a word", file=sys.stderr)`,
		Files: []File{{"rows.csv", []byte("k,v\na,1\nb,2\n")}, {"other.csv", []byte("x\n")}},
	})
	require.NoError(t, err)
	require.True(t, r.OK(), "%s %s", r.Problem, r.Stderr)
	require.JSONEq(t, `{"mean": 1.5, "files": ["other.csv", "rows.csv"], "cwd": "/work", "zone": "Asia/Singapore"}`, string(r.Stdout))
	require.Equal(t, "a word\n", string(r.Stderr))
	require.Equal(t, []File{{"moved.bin", []byte{}}, {"picture.svg", []byte("<svg/>")}}, r.Files)
}

// TestRunsThatAreEnded: what a program takes too much of ends it, and the reason is told.
func TestRunsThatAreEnded(t *testing.T) {
	t.Parallel()
	l := local(t)
	long := local(t, func(c *Config) { c.Limits.Wall, c.Limits.CPU = time.Second, time.Minute })
	for _, c := range []struct {
		name, code string
		on         *Local
		exit       Exit
		says       string
	}{
		{"an endless loop that hears no signal", "import signal\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\nwhile True: pass", l, TimeUp, "it took more than"},
		{"endless loops in threads", "import threading, zlib\ndata = b'x' * (8 << 20)\ndef work():\n    while True: zlib.compress(data)\nfor _ in range(4): threading.Thread(target=work).start()", l, TimeUp, "it took more than"},
		{"endless sleep", "import time\ntime.sleep(3600)", long, TimeUp, "(wall)"},
		{"a read without end", "import os\nr, w = os.pipe()\nos.read(r, 1)", long, TimeUp, "(wall)"},
		{"endless output", "while True: print('x' * 1000)", l, OutputFull, "(stdout)"},
		{"endless output on stderr", "import sys\nfor _ in range(1000): sys.stderr.write('x' * 1000 + '\\n')\nsys.exit(3)", l, Exited, "it failed"},
		{"endless memory", "data = []\nwhile True: data.append(bytearray(1 << 20))", l, Exited, "MemoryError"},
		{"memory at once", "bytearray(1 << 40)", l, Exited, "MemoryError"},
		{"endless files", "i = 0\nwhile True:\n    open('tmp/%d' % i, 'wb').write(b'x' * (1 << 20)); i += 1", l, Exited, "No space left"},
		{"a fork bomb", "import os\nwhile True: os.fork()", l, Exited, "PermissionError"},
		{"a thread bomb", "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()", l, Exited, "can't start new thread"},
		{"an abort", "import os\nos.abort()", l, Killed, "signal"},
		{"a pattern without end", "import re\nre.match('(a+)+$', 'a' * 64 + 'b')", l, TimeUp, "it took more than"},
		{"wrong code", "def", l, Exited, "SyntaxError"},
		{"a code that it exits with", "import sys\nsys.exit(7)", l, Exited, "it failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := c.on.Run(t.Context(), Job{Code: c.code})
			require.NoError(t, err)
			require.False(t, r.OK(), "%s", r.Stdout)
			if c.exit != "" {
				require.Equal(t, c.exit, r.Exit, "%s %s", r.Problem, r.Stderr)
			}
			require.Contains(t, r.Problem, c.says, "%s", r.Stderr)
			require.LessOrEqual(t, len(r.Stdout), 64<<10)
			require.LessOrEqual(t, len(r.Stderr), 4<<10)
			require.Empty(t, r.Files)
		})
	}
}

// TestFilesThatComeOut: plain files with plain names, as many and as large as may be; a run
// that leaves anything else has not done well.
func TestFilesThatComeOut(t *testing.T) {
	t.Parallel()
	l := local(t)
	for _, c := range []struct{ name, code, says string }{
		{"as many as may be", "for i in range(3): open('out/%d.csv' % i, 'w')", ""},
		{"one more", "for i in range(4): open('out/%d.csv' % i, 'w')", "(output_files)"},
		{"as large as may be", "open('out/a', 'wb').write(b'x' * (1 << 20))", ""},
		{"larger", "open('out/a', 'wb').write(b'x' * ((1 << 20) + 1))", "(output)"},
		{"larger together", "open('out/a', 'wb').write(b'x' * (1 << 20)); open('out/b', 'wb').write(b'x')", "(output)"},
		{"a sparse one", "import os; os.truncate(os.open('out/a', os.O_CREAT | os.O_RDWR), 7 << 20)", "(output)"},
		{"a folder", "import os; os.mkdir('out/a')", "no plain file"},
		{"a hidden name", "open('out/.a', 'w')", "is called"},
		{"a name with a line break", "open('out/a\\nb', 'w')", "is called"},
		{"a name that is no text", "open(b'out/\\xff', 'w')", "is called"},
		{"one that may not be read", "import os; os.umask(0o777); open('out/a', 'w')", ""},
		{"no folder", "import os; os.rmdir('out')", "is gone"},
		{"a file in its place", "import os; os.rmdir('out'); open('out', 'w')", "is gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := l.Run(t.Context(), Job{Code: c.code})
			require.NoError(t, err)
			if c.says == "" && (c.name != "one that may not be read" || os.Geteuid() == 0) {
				require.True(t, r.OK(), "%s %s", r.Problem, r.Stderr)
				require.NotEmpty(t, r.Files)
				return
			}
			require.Equal(t, BadFiles, r.Exit, "%s", r.Stderr)
			require.Contains(t, r.Problem, c.says)
		})
	}
}

// TestJobsThatAreNotRun: what is no job is refused before a process is made.
func TestJobsThatAreNotRun(t *testing.T) {
	t.Parallel()
	l := local(t)
	for name, job := range map[string]Job{
		"no code":        {},
		"too large":      {Code: "pass", Files: []File{{"a", make([]byte, 1<<20)}}},
		"a path":         {Code: "pass", Files: []File{{"../a", nil}}},
		"a hidden name":  {Code: "pass", Files: []File{{".a", nil}}},
		"the same twice": {Code: "pass", Files: []File{{"a", nil}, {"a", nil}}},
	} {
		_, err := l.Run(t.Context(), job)
		var unfit *UnfitError
		require.ErrorAs(t, err, &unfit, name)
	}
	r, err := l.Run(t.Context(), Job{Code: "pass", Files: []File{{"a", make([]byte, 1<<20-4)}}})
	require.NoError(t, err)
	require.True(t, r.OK(), "as large as may be: %s", r.Stderr)
}

// TestLimits: what is left open has its default, and what is out of bounds is refused by name.
func TestLimits(t *testing.T) {
	t.Parallel()
	whole, err := Limits{}.Complete()
	require.NoError(t, err)
	require.Equal(t, Limits{
		Wall: time.Minute, CPU: time.Minute, Memory: 2 << 30, Threads: 32, OpenFiles: 256, Scratch: 128 << 20,
		Stdout: 4 << 20, Stderr: 16 << 10, Input: 64 << 20, OutputFiles: 20, Output: 16 << 20,
	}, whole)
	for name, l := range map[string]Limits{
		"wall": {Wall: 1}, "cpu": {CPU: -1}, "memory": {Memory: 1}, "scratch": {Scratch: -1}, "input": {Input: -1}, "output": {Output: -1},
		"threads": {Threads: -1}, "open_files": {OpenFiles: 15}, "stdout": {Stdout: -1}, "stderr": {Stderr: -1}, "output_files": {OutputFiles: -1},
	} {
		_, err := l.Complete()
		require.ErrorContains(t, err, "limit "+name+" is")
	}
}

// children are the processes that a process started.
func children(pid int) []string {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // by the thread that did
	if err != nil {
		return nil
	}
	var out []string
	for _, list := range lists {
		if text, err := os.ReadFile(list); err == nil {
			out = append(out, strings.Fields(string(text))...)
		}
	}
	return out
}

// TestACancelEndsTheProgram: within a second of a cancel Run has returned, and its process
// with all its threads is no more.
func TestACancelEndsTheProgram(t *testing.T) {
	t.Parallel()
	l := local(t, func(c *Config) { c.Limits.Wall = time.Minute })
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	var cancelled time.Time
	time.AfterFunc(100*time.Millisecond, func() { cancelled = time.Now(); cancel(why) })
	_, err := l.Run(ctx, Job{Code: "import threading, time\nfor _ in range(3): threading.Thread(target=time.sleep, args=(600,)).start()"})
	require.ErrorIs(t, err, why)
	require.Less(t, time.Since(cancelled), time.Second)
	_, err = l.Run(ctx, Job{Code: "pass"})
	require.ErrorIs(t, err, why)
}

// TestPlaces: no more programs run at a time than may, and one that waits for a place can
// be cancelled.
func TestPlaces(t *testing.T) {
	t.Parallel()
	l := local(t, func(c *Config) { c.MaxRunning = 1 })
	l.places <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := l.Run(ctx, Job{Code: "pass"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	<-l.places
	_, err = l.Run(t.Context(), Job{Code: "pass"})
	require.NoError(t, err)
	require.Empty(t, l.places)
}

// TestNothingIsLeftAfterAKill: a service that is killed in the middle leaves no process and
// no file, without another start that cleans up.
func TestNothingIsLeftAfterAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	parent := exec.Command("/proc/self/exe", parentArgument)
	parent.Env = append(os.Environ(), "TMPDIR="+dir)
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.True(t, alive(pid))
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	require.Eventually(t, func() bool { return !alive(pid) }, time.Second, 5*time.Millisecond)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// alive reports whether a process runs; one that has ended and is not waited for does not.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}

// runForEver prints the process of its program once that runs.
func runForEver() error {
	l, err := Open(context.Background(), Config{Program: "/proc/self/exe"})
	if err != nil {
		return err
	}
	go func() {
		for {
			if at := slices.IndexFunc(children(os.Getpid()), runsPython); at >= 0 {
				fmt.Println(children(os.Getpid())[at])
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err = l.Run(context.Background(), Job{Code: "import time\nwhile True: time.sleep(1)"})
	return err
}

func runsPython(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/cmdline")
	return err == nil && strings.Contains(string(text), programDir)
}

// TestItRefusesWithoutAWall: on a machine that lacks one, nothing is run, and the error
// names it. The machine is this one with the system call taken away.
func TestItRefusesWithoutAWall(t *testing.T) {
	t.Parallel()
	for without, says := range map[string]string{
		"unshare":                 "namespaces",
		"landlock_create_ruleset": "landlock",
		"seccomp":                 "seccomp",
		"mount":                   "read-only root",
		"pivot_root":              "read-only root",
		"prlimit64":               "limits",
	} {
		t.Run(without, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), "/proc/self/exe", poorArgument, without).CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), "the sandbox refuses to start")
			require.Contains(t, string(out), says)
			require.Contains(t, string(out), "RefusedError")
		})
	}
}

// openPoor prints what Open says where a system call is not there.
func openPoor(without string) error {
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{{Names: []string{without}, Action: seccomp.ActionErrno}}}
	if without == "unshare" { // namespaces come by clone, and clone3 tells nothing of its arguments
		policy.Syscalls = []seccomp.SyscallGroup{
			{Names: []string{"clone3"}, Action: seccomp.ActionErrno | 38},
			{NamesWithCondtions: []seccomp.NameWithConditions{{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: namespaces}}}}, Action: seccomp.ActionErrno},
		}
	}
	if err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: policy}); err != nil {
		return err
	}
	l, err := Open(context.Background(), Config{Program: "/proc/self/exe", Python: "/usr/bin/python3"})
	if err == nil {
		return fmt.Errorf("it started, with the walls %v", l.Walls())
	}
	fmt.Printf("%T %v\n", err, err)
	return nil
}

// TestNoInterpreter: an interpreter that is not there, or is no Python, is told of.
func TestNoInterpreter(t *testing.T) {
	t.Parallel()
	for _, path := range []string{filepath.Join(t.TempDir(), "python3"), "/bin/true", "/bin/cat"} {
		_, err := Open(t.Context(), Config{Program: "/proc/self/exe", Python: path})
		var refused *RefusedError
		require.ErrorAs(t, err, &refused)
		require.ErrorIs(t, err, ErrRefused)
		require.Contains(t, refused.Problem, path)
		require.NotEmpty(t, refused.Walls)
	}
}

// TestIsChild: nothing but the hidden argument alone makes a child.
func TestIsChild(t *testing.T) {
	t.Parallel()
	require.True(t, IsChild([]string{"dibrain", childArgument}))
	require.False(t, IsChild([]string{"dibrain"}))
	require.False(t, IsChild([]string{"dibrain", childArgument, "x"}))
	require.False(t, IsChild([]string{"dibrain", "serve"}))
}

// BenchmarkRun is the sandbox around a program that does nothing, and the interpreter alone.
func BenchmarkRun(b *testing.B) {
	l, err := Open(b.Context(), Config{Program: "/proc/self/exe"})
	require.NoError(b, err)
	b.Run("sandbox", func(b *testing.B) {
		for b.Loop() {
			r, err := l.Run(b.Context(), Job{Code: "pass"})
			require.NoError(b, err)
			require.True(b, r.OK())
		}
	})
	b.Run("interpreter alone", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, exec.CommandContext(b.Context(), l.Interpreter().Executable, "-I", "-B", "-c", "pass").Run())
		}
	})
}

// TestWithoutAProgram: who does not say which program this is gets no sandbox.
func TestWithoutAProgram(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Config{})
	require.ErrorContains(t, err, "it is not known where that is")
}
