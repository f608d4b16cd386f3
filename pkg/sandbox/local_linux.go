package sandbox

import (
	"bytes"
	"context"
	"debug/elf"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// outsideID is whom programs run as on this machine where the service runs as root: nobody.
const outsideID = 65534

// setupTimeout bounds the time from the start of a process to the start of Python.
const setupTimeout = 10 * time.Second

// outputWait is how long the output of a process that has ended is waited for.
const outputWait = time.Second

// Local runs programs on this machine. It may be used concurrently.
type Local struct {
	config Config
	python Interpreter
	walls  []Wall
	spec   spec // without code and files
	places chan struct{}
}

// tryout is what a program sees of its walls from inside.
//
//go:embed tryout.py
var tryout string

// Open finds an interpreter and tries all walls around it. The error is a RefusedError
// where one of them does not hold, or where there is no interpreter that can be served.
func Open(ctx context.Context, c Config) (*Local, error) {
	var err error
	if c.Limits, err = c.Limits.Complete(); err != nil {
		return nil, err
	}
	if c.Program == "" {
		return nil, errors.New("the sandbox starts this program again, and it is not known where that is")
	}
	if c.MaxRunning == 0 {
		c.MaxRunning = 2
	}
	found := candidates(c.Python)
	if len(found) == 0 {
		return nil, &RefusedError{Problem: "there is no python3 on this machine: install it, or say where it is", Walls: kernelWalls("")}
	}
	var problems []string
	var walls []Wall
	for _, path := range found {
		l, err := open(ctx, c, path)
		if err == nil {
			return l, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var refused *RefusedError
		if errors.As(err, &refused) {
			walls = refused.Walls
			problems = append(problems, path+": "+refused.Problem)
		} else {
			problems = append(problems, err.Error())
		}
	}
	if walls == nil {
		walls = kernelWalls("")
	}
	return nil, &RefusedError{Problem: strings.Join(problems, "; "), Walls: walls}
}

// tryoutTime is how long the first start of an interpreter may take at least.
const tryoutTime = 20 * time.Second

func open(ctx context.Context, c Config, path string) (*Local, error) {
	python, err := inspect(ctx, path)
	if err != nil {
		return nil, err
	}
	local := func(c Config) (*Local, error) {
		l := &Local{config: c, python: python, places: make(chan struct{}, c.MaxRunning)}
		var err error
		l.spec, err = python.spec(c.Limits)
		return l, err
	}
	l, err := local(c)
	if err != nil {
		return nil, err
	}
	patient := c // short limits of programs are none of starting the interpreter on a busy machine
	patient.Limits.Wall, patient.Limits.CPU = max(c.Limits.Wall, tryoutTime), max(c.Limits.CPU, tryoutTime)
	first, err := local(patient)
	if err != nil {
		return nil, err
	}
	r, err := first.Run(ctx, Job{Code: tryout})
	if refused := (refusal{}); errors.As(err, &refused) {
		return nil, &RefusedError{Problem: refused.Error(), Walls: kernelWalls(refused.Wall)}
	} else if err != nil {
		return nil, err
	}
	if !r.OK() {
		return nil, &RefusedError{Problem: fmt.Sprintf("the interpreter does not run: %s %s", r.Problem, lastLine(r.Stderr)), Walls: kernelWalls("")}
	}
	var seen map[string]string // wall to what leads through it; empty where nothing does
	if err := json.Unmarshal(r.Stdout, &seen); err != nil {
		return nil, fmt.Errorf("read what was seen of the walls: %w", err)
	}
	held := map[string]string{
		wallNamespaces: "user, pid, mount, network, ipc and uts of its own",
		wallRoot:       "the interpreter and libraries read-only, the rest of the machine not there",
		wallRights:     "no capability, and none to be had",
		wallLimits:     "time, memory, threads, files, file size",
		wallLandlock:   fmt.Sprintf("version %d", landlockVersion()),
		wallSeccomp:    "a list of the system calls that it may make",
	}
	var open []string
	for _, wall := range wallNames {
		through, tried := seen[wall]
		if !tried {
			through = "it was not tried"
		}
		w := Wall{Name: wall, Held: through == "", Found: held[wall]}
		if !w.Held {
			w.Found = through
			open = append(open, wall+": "+through)
		}
		l.walls = append(l.walls, w)
	}
	if len(open) > 0 {
		return nil, &RefusedError{Problem: strings.Join(open, "; "), Walls: l.walls}
	}
	return l, nil
}

// wallNames are all of them, in the order in which they are put up.
var wallNames = []string{wallNamespaces, wallRoot, wallRights, wallLimits, wallLandlock, wallSeccomp}

// kernelWalls are what can be told without a run; missing is the wall that did not hold.
func kernelWalls(missing string) []Wall {
	version := landlockVersion()
	walls := []Wall{
		{Name: wallLandlock, Held: version >= leastLandlock, Found: fmt.Sprintf("version %d of the kernel, %d is needed", version, leastLandlock)},
		{Name: wallSeccomp, Held: seccomp.Supported(), Found: "as the kernel says"},
	}
	if missing != "" && missing != wallLandlock && missing != wallSeccomp {
		walls = append([]Wall{{Name: missing, Found: "it cannot be put up"}}, walls...)
	}
	return walls
}

// spec is what a child under this interpreter is told.
func (i Interpreter) spec(l Limits) (spec, error) {
	paths, links, err := i.shown()
	if err != nil {
		return spec{}, err
	}
	s := spec{Links: links, Program: i.program, Called: i.Executable, Limits: l, Run: []string{i.program}}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return spec{}, fmt.Errorf("look at %s: %w", path, err)
		}
		s.Shown = append(s.Shown, shownPath{Path: path, Dir: info.IsDir()})
	}
	loader, err := loaderOf(i.program)
	if err != nil {
		return spec{}, err
	}
	if loader != "" {
		s.Run = append(s.Run, loader)
	}
	s.Namespaces, err = ownNamespaces()
	return s, err
}

// loaderOf is the dynamic loader that a program names; empty for one that needs none.
func loaderOf(program string) (string, error) {
	file, err := elf.Open(program)
	if err != nil {
		return "", fmt.Errorf("read %s: it is no program of Linux: %w", program, err)
	}
	defer func() { _ = file.Close() }() // only read
	for _, part := range file.Progs {
		if part.Type != elf.PT_INTERP {
			continue
		}
		name, err := io.ReadAll(io.LimitReader(part.Open(), 4096))
		if err != nil {
			return "", fmt.Errorf("read the loader of %s: %w", program, err)
		}
		return filepath.EvalSymlinks(string(bytes.TrimRight(name, "\x00")))
	}
	return "", nil
}

// Interpreter is the Python that runs programs.
func (l *Local) Interpreter() Interpreter { return l.python }

// Walls are those around a program; all of them hold.
func (l *Local) Walls() []Wall { return l.walls }

// Run runs a program. It waits for a place while as many run as may. What the program did
// is in the result, however it ended; the error is an UnfitError, the end of the context,
// or that no process could be made. When Run returns, nothing of the program is left.
func (l *Local) Run(ctx context.Context, job Job) (Result, error) {
	if err := job.check(l.config.Limits); err != nil {
		return Result{}, err
	}
	select {
	case l.places <- struct{}{}:
		defer func() { <-l.places }()
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
	p := &process{limits: l.config.Limits, ended: make(chan struct{})}
	if err := p.start(l.config.Program); err != nil {
		return Result{}, err
	}
	defer p.close()
	s := l.spec
	s.Code = int64(len(job.Code))
	for _, f := range job.Files {
		s.Files = append(s.Files, inFile{Name: f.Name, Size: int64(len(f.Data))})
	}
	if err := p.prepare(ctx, s, job); err != nil {
		p.kill()
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		return Result{}, err
	}
	return p.await(ctx)
}

// process is a child that becomes Python.
type process struct {
	limits  Limits
	cmd     *exec.Cmd
	socket  *net.UnixConn
	work    *os.File // the scratch folder, once there is one
	stdout  kept
	stderr  tail
	full    chan struct{}
	started time.Time
	ended   chan struct{}
	err     error // of Wait; valid once ended is closed
}

// variables are those of a child until it becomes Python, none of this process's: one
// processor and no collector, so that nothing of Go runs beside its last calls.
func variables() []string { return []string{"GOMAXPROCS=1", "GOGC=off"} }

// attributes put a process into namespaces of its own, as a user who is nobody outside,
// with the two rights inside that it takes to make a root and to give up rights.
func attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags: namespaces, Pdeathsig: syscall.SIGKILL, Setsid: true,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: insideID, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: insideID, HostID: os.Getegid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP},
		Credential:  &syscall.Credential{Uid: insideID, Gid: insideID, NoSetGroups: true},
	}
	if os.Geteuid() == 0 {
		a.UidMappings[0].HostID, a.GidMappings[0].HostID = outsideID, outsideID
		a.GidMappingsEnableSetgroups, a.Credential.NoSetGroups = true, false // and of no other group
	}
	return a
}

func (p *process) start(program string) error {
	ours, theirs, err := pair()
	if err != nil {
		return err
	}
	defer func() { _ = theirs.Close() }() // the child has its own
	p.socket, p.full = ours, make(chan struct{})
	p.stdout = kept{most: p.limits.Stdout, full: func() { close(p.full) }}
	p.stderr = tail{most: p.limits.Stderr}
	p.cmd = exec.Command(program, childArgument)
	p.cmd.Args[0] = "dibrain" // what an operator sees, wherever the program is
	p.cmd.Env = variables()
	p.cmd.Dir = "/"
	p.cmd.ExtraFiles = []*os.File{theirs} // channel is the first of them
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.SysProcAttr = attributes()
	p.cmd.WaitDelay = outputWait
	p.started = time.Now()
	started := make(chan error)
	go func() {
		// The kernel ends the child with the thread that started it: this one stays until
		// the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		_ = ours.Close()
		return refusal{Wall: wallNamespaces, Text: fmt.Sprintf("start a process in namespaces of its own: %v", err)}
	}
	return nil
}

// pair returns two sockets that are connected to each other and to nothing else.
func pair() (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("connect a process of the sandbox: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "parent")
	file := os.NewFile(uintptr(fds[0]), "child")
	defer func() { _ = file.Close() }() // FileConn has its own
	conn, err := net.FileConn(file)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, fmt.Errorf("connect a process of the sandbox: %w", err)
	}
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, nil, errors.Join(errors.New("connect a process of the sandbox: no socket"), theirs.Close(), conn.Close())
	}
	return socket, theirs, nil
}

// prepare tells the child what to do, takes its scratch folder, and lets it become
// Python. It returns once Python runs.
func (p *process) prepare(ctx context.Context, s spec, job Job) error {
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	if err := p.socket.SetDeadline(time.Now().Add(setupTimeout)); err != nil {
		return fmt.Errorf("wait for a process of the sandbox: %w", err)
	}
	sent := make(chan error, 1)
	go func() { sent <- p.send(s, job) }()
	message, rights := make([]byte, 16<<10), make([]byte, unix.CmsgSpace(4))
	n, nrights, _, _, err := p.socket.ReadMsgUnix(message, rights)
	if err != nil || n == 0 {
		p.kill()
		return fmt.Errorf("wait for a process of the sandbox: %w", errors.Join(err, <-sent, errors.New(lastLine(p.words()))))
	}
	if message[0] == markFailed {
		p.kill()
		<-sent
		return failureOf(message[1:n])
	}
	if err := <-sent; err != nil {
		return err
	}
	if p.work, err = folderOf(rights[:nrights]); err != nil {
		return err
	}
	if _, err := p.socket.Write([]byte{markGo}); err != nil {
		return fmt.Errorf("let a process of the sandbox go: %w", err)
	}
	rest, err := io.ReadAll(io.LimitReader(p.socket, int64(len(message))))
	if err != nil {
		return fmt.Errorf("wait for Python: %w", err)
	}
	if len(rest) > 0 { // the channel closes by itself when Python begins
		return failureOf(rest[1:])
	}
	return nil
}

// send tells a child what to do.
func (p *process) send(s spec, job Job) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("tell a process of the sandbox what to do: %w", err)
	}
	parts := [][]byte{binary.BigEndian.AppendUint32(nil, uint32(len(text))), text, []byte(job.Code)}
	for _, f := range job.Files {
		parts = append(parts, f.Data)
	}
	for _, part := range parts {
		if _, err := p.socket.Write(part); err != nil {
			return fmt.Errorf("tell a process of the sandbox what to do: %w", err)
		}
	}
	return nil
}

func failureOf(text []byte) error {
	var r refusal
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("a process of the sandbox failed: %w", err)
	}
	return r
}

// folderOf is the folder that a child handed over.
func folderOf(rights []byte) (*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("take the scratch folder over: %w", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, fmt.Errorf("take the scratch folder over: %w", err)
	}
	unix.CloseOnExec(fds[0])
	return os.NewFile(uintptr(fds[0]), workDir), nil
}

// kill ends the process; as it is the first of its namespace, the kernel ends all others
// of it with it.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// words are the last ones of a process that was ended.
func (p *process) words() []byte {
	<-p.ended
	return p.stderr.text
}

// close waits for the end of the process and lets go of its scratch folder, which lies in
// memory and is no more then.
func (p *process) close() {
	p.kill()
	<-p.ended
	_ = p.socket.Close()
	if p.work != nil {
		_ = p.work.Close()
	}
}

// await waits for the end of the program, or ends it.
func (p *process) await(ctx context.Context) (Result, error) {
	timer := time.NewTimer(p.limits.Wall)
	defer timer.Stop()
	why := notEnded
	select {
	case <-p.ended:
	case <-timer.C:
		why = TimeUp
	case <-p.full:
		why = OutputFull
	case <-ctx.Done():
		return Result{}, context.Cause(ctx) // Run ends the process
	}
	p.kill()
	<-p.ended
	r := Result{Exit: why, Stdout: p.stdout.text, Stderr: p.stderr.text, Took: time.Since(p.started)}
	state := p.cmd.ProcessState
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok {
		return Result{}, fmt.Errorf("how a process of the sandbox ended is not known: %w", p.err)
	}
	cpu := state.UserTime() + state.SystemTime()
	switch {
	case p.stdout.over:
		r.Exit, r.Problem = OutputFull, fmt.Sprintf("it printed more than %d bytes (stdout)", p.limits.Stdout)
	case why == TimeUp:
		r.Problem = fmt.Sprintf("it took more than %s (wall)", p.limits.Wall)
	case status.Signaled() && status.Signal() == syscall.SIGKILL && cpu >= p.limits.CPU/cpuSlack:
		r.Exit, r.Problem = TimeUp, fmt.Sprintf("it took more than %s of the processors (cpu)", p.limits.CPU)
	case status.Signaled():
		r.Exit, r.Problem = Killed, fmt.Sprintf("it was ended by the signal %q after %s of the processors", status.Signal(), cpu)
	case status.ExitStatus() != 0:
		r.Exit, r.Code, r.Problem = Exited, status.ExitStatus(), "it failed: "+lastLine(p.stderr.text)
	default:
		r.Exit = Exited
		files, err := collect(p.work, p.limits)
		if err != nil {
			r.Exit, r.Problem = BadFiles, err.Error()
		}
		r.Files = files
	}
	return r, nil
}

// cpuSlack is how many times as long a process may be taken to have run as it did: the kernel
// holds the limit by samples of its clock, and says at the end what it measured.
const cpuSlack = 2
