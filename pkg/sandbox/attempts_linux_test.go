package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// local is a sandbox with limits small enough to be reached at once. A host that lacks a
// wall fails the test: nothing is skipped.
func local(t *testing.T, change ...func(*Config)) *Local {
	t.Helper()
	c := Config{Program: "/proc/self/exe", Limits: Limits{
		Wall: 5 * time.Second, CPU: time.Second, Memory: 512 << 20, Threads: 8, OpenFiles: 32, Scratch: 8 << 20,
		Stdout: 64 << 10, Stderr: 4 << 10, Input: 1 << 20, OutputFiles: 3, Output: 1 << 20,
	}}
	for _, f := range change {
		f(&c)
	}
	l, err := Open(t.Context(), c)
	require.NoError(t, err)
	return l
}

// frame makes a program of an attempt: it says THROUGH where the attempt was not refused.
// Names in braces are filled in by the test.
const frame = `
import ctypes, os, socket, struct, subprocess, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    got = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in args))
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got
def attempt():
%s
try:
    got = attempt()
except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as e:
    print("HELD", type(e).__name__, e)
else:
    print("THROUGH", got)
`

// attempt is something that a program must not be able to do.
type attempt struct {
	name string
	body string
	// outside says that the same program, run without the sandbox as the test's user, gets
	// through: so it is the sandbox that holds it. It is not tried where it would harm the
	// machine, or where others than root are refused too.
	outside bool
}

// attempts are the bodies of functions.
var attempts = []attempt{
	// Network.
	{"tcp", `return socket.create_connection(("127.0.0.1", {tcp}), 2)`, true},
	{"tcp of ipv6", `return socket.socket(socket.AF_INET6, socket.SOCK_STREAM)`, true},
	{"udp", `return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {tcp}))`, true},
	{"unix socket by path", `s = socket.socket(socket.AF_UNIX); s.connect("{unix}"); return s`, true},
	{"abstract unix socket", `s = socket.socket(socket.AF_UNIX); s.connect("\0{abstract}"); return s`, true},
	{"socket pair", `return socket.socketpair()`, true},
	{"listening", `s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); return s`, true},
	{"raw socket", `return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)`, false},
	{"packet socket", `return socket.socket(socket.AF_PACKET, socket.SOCK_RAW)`, false},
	{"netlink socket", `return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)`, true},
	{"vsock", `return socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)`, false},
	{"crypto socket of the kernel", `return socket.socket(38, socket.SOCK_SEQPACKET)`, false},
	{"multipath tcp", `return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)`, false},
	// Files outside, read.
	{"a file of the machine", `return open("/etc/passwd").read()`, true},
	{"a file of somebody", `return open("{secret}").read()`, true},
	{"a file by way of its own folder", `return open("/in/../..{secret}").read()`, false},
	{"the root's list", `return os.listdir("/")`, true},
	{"a descriptor that was left open", `
        for fd in range(3, 64):
            try: os.fstat(fd)
            except OSError: continue
            return fd
        raise OSError("none is open")`, false},
	{"the root of another process", `return os.listdir("/proc/{pid}/root")`, false},
	{"the list of processes", `return os.listdir("/proc")`, true},
	{"its own process's variables", `return open("/proc/self/environ").read()`, true},
	{"another process's variables", `return open("/proc/{pid}/environ").read()`, true},
	{"another process's memory", `return open("/proc/{pid}/mem", "rb")`, false},
	{"settings of the kernel", `return os.listdir("/sys")`, true},
	{"a disk", `return [os.open("/dev/" + d, os.O_RDONLY) for d in ("vda", "sda", "mem", "kmem")]`, false},
	{"a shell in memory's folder", `return os.listdir("/dev/shm")`, true},
	{"a handle of a file", `h = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + b"\0" * 128); m = ctypes.c_int(); return call({SYS_NAME_TO_HANDLE_AT}, -100, b"/in", h, ctypes.byref(m), 0)`, false},
	// Files outside, written.
	{"a file in a folder for all", `return open("/tmp/dibrain-attempt-{pid}", "w")`, false},
	{"a file beside the interpreter's own", `return open(os.path.join(os.path.dirname(os.__file__), "attempt.py"), "w")`, false},
	{"the interpreter itself", `return open(os.path.realpath(sys.executable), "r+b")`, false},
	{"a module of the interpreter", `return os.unlink(os.__file__)`, false},
	{"the name of a module", `return os.rename(os.__file__, "/work/os.py")`, false},
	{"the rights of the interpreter", `return os.chmod(os.path.realpath(sys.executable), 0o777)`, false},
	{"a setuid program of its own", `open("/work/own", "w").close(); return os.chmod("/work/own", 0o4755)`, false},
	{"an input file", `return open("/in/rows.csv", "r+")`, false},
	{"an input file cut", `return os.truncate("/in/rows.csv", 0)`, false},
	{"a file beside the input", `return open("/in/more.csv", "w")`, false},
	{"the program that runs", `return open("/program/step.py", "w")`, false},
	{"a file in the root", `return open("/file", "w")`, false},
	{"a device that may be read", `return os.write(os.open("/dev/urandom", os.O_WRONLY), b"x")`, true},
	// Links, pipes, devices.
	{"a symlink out", `os.symlink("/etc", "here"); return os.listdir("here")`, true},
	{"a hard link of the interpreter", `return os.link(os.path.realpath(sys.executable), "own-python")`, false},
	{"a pipe with a name", `return os.mkfifo("pipe")`, true},
	{"a device", `return os.mknod("disk", 0o60600, os.makedev(254, 0))`, false},
	{"a socket with a name", `return os.mknod("sock", 0o140600)`, true},
	// Processes.
	{"fork", `return os.fork()`, true},
	{"vfork", `return call({SYS_CLONE}, 0x4111, 0, 0, 0, 0)`, false},
	{"clone3", `a = (ctypes.c_uint64 * 11)(); return call({SYS_CLONE3}, a, 88)`, true},
	{"a shell", `return subprocess.run(["/bin/sh", "-c", "true"], check=True)`, true},
	{"another process by posix_spawn", `return os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})`, true},
	{"a program of its own", `
        data = open(os.path.realpath(sys.executable), "rb").read(1 << 20)
        open("/work/own", "wb").write(data)
        return os.execv("/work/own", ["own"])`, false},
	{"a library that is a program", `return os.execv("/usr/bin/env", ["env"])`, false},
	{"a program in memory", `return call({SYS_MEMFD_CREATE}, b"x", 0)`, true},
	{"a signal to another process", `return os.kill({pid}, 9)`, true},
	{"a signal to everybody", `return os.kill(-1, 9)`, false},
	{"a signal to a thread of another", `return call({SYS_TGKILL}, {pid}, {pid}, 9)`, true},
	{"a handle of another process", `return call({SYS_PIDFD_OPEN}, {pid}, 0)`, true},
	{"tracing another", `return call({SYS_PTRACE}, 16, {pid}, 0, 0)`, false},
	{"being traced", `return call({SYS_PTRACE}, 0, 0, 0, 0)`, false},
	{"reading another's memory", `b = ctypes.create_string_buffer(16); v = (ctypes.c_uint64 * 2)(ctypes.addressof(b), 16); return call({SYS_PROCESS_VM_READV}, {pid}, v, 1, v, 1, 0)`, false},
	{"reading its own memory from outside", `b = ctypes.create_string_buffer(16); v = (ctypes.c_uint64 * 2)(ctypes.addressof(b), 16); return call({SYS_PROCESS_VM_WRITEV}, os.getpid(), v, 1, v, 1, 0)`, true},
	{"outliving the service", `return call({SYS_PRCTL}, 1, 0, 0, 0, 0)`, true},
	{"a session of its own", `return os.setsid()`, false},
	// Rights.
	{"another user", `return os.setuid(0)`, false},
	{"another user, all ids", `return os.setresuid(0, 0, 0)`, false},
	{"other groups", `return os.setgroups([0])`, false},
	{"all capabilities", `h = (ctypes.c_uint32 * 2)(0x20080522, 0); d = (ctypes.c_uint32 * 6)(*[0xffffffff] * 6); return call({SYS_CAPSET}, h, d)`, false},
	{"keeping capabilities", `return call({SYS_PRCTL}, 8, 1, 0, 0, 0)`, true},
	{"a capability across programs", `return call({SYS_PRCTL}, 47, 2, 21, 0, 0)`, false},
	// Mounts and namespaces.
	{"a mount", `return call({SYS_MOUNT}, b"x", b"/work/tmp", b"tmpfs", 0, 0)`, false},
	{"the root writable", `return call({SYS_MOUNT}, b"", b"/", b"", 32 | 4096, 0)`, false},
	{"the input unmounted", `return call({SYS_UMOUNT2}, b"/in", 2)`, false},
	{"a mount by descriptor", `return call({SYS_FSOPEN}, b"tmpfs", 0)`, false},
	{"a copy of a mount", `return call({SYS_OPEN_TREE}, -100, b"/in", 1)`, false},
	{"attributes of a mount", `a = (ctypes.c_uint64 * 4)(0, 1, 0, 0); return call({SYS_MOUNT_SETATTR}, -100, b"/in", 0, a, 32)`, false},
	{"another root", `return os.chroot("/work")`, false},
	{"another root by pivot", `return call({SYS_PIVOT_ROOT}, b"/work", b"/work/tmp")`, false},
	{"a user namespace", `return call({SYS_UNSHARE}, 0x10000000)`, true},
	{"a mount namespace", `return call({SYS_UNSHARE}, 0x20000)`, false},
	{"a network namespace by clone", `return call({SYS_CLONE}, 0x40000000 | 0x10000 | 0x800 | 0x100, 0, 0, 0, 0)`, false},
	{"a namespace of somebody", `return call({SYS_SETNS}, 0, 0)`, false},
	{"another name of the machine", `return socket.sethostname("own")`, false},
	// Doors of the kernel.
	{"io_uring", `p = ctypes.create_string_buffer(120); return call({SYS_IO_URING_SETUP}, 4, p)`, false},
	{"bpf", `a = ctypes.create_string_buffer(struct.pack("IIII", 1, 4, 4, 1) + b"\0" * 56); return call({SYS_BPF}, 0, a, 72)`, false},
	{"keys added", `return call({SYS_ADD_KEY}, b"user", b"x", b"y", 1, -3)`, false},
	{"keys", `return call({SYS_KEYCTL}, 0, -3, 1)`, false},
	{"performance counters", `a = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 0) + b"\0" * 100); return call({SYS_PERF_EVENT_OPEN}, a, 0, -1, -1, 0)`, false},
	{"faults of memory by itself", `return call({SYS_USERFAULTFD}, 0)`, false},
	{"watching files", `return call({SYS_INOTIFY_INIT1}, 0)`, true},
	{"watching all files", `return call({SYS_FANOTIFY_INIT}, 0, 0)`, false},
	{"shared memory by key", `return call({SYS_SHMGET}, 0, 4096, 0o1600)`, true},
	{"queues of messages", `return call({SYS_MSGGET}, 0, 0o1600)`, true},
	{"another clock", `t = (ctypes.c_long * 2)(0, 0); return call({SYS_CLOCK_SETTIME}, 0, t)`, false},
	{"the kernel's log", `b = ctypes.create_string_buffer(64); return call({SYS_SYSLOG}, 3, b, 64)`, false},
	{"a module of the kernel", `return call({SYS_FINIT_MODULE}, 0, b"", 0)`, false},
	{"a restart of the machine", `return call({SYS_REBOOT}, 0, 0, 0)`, false},
	{"a real-time schedule", `return os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))`, false},
	{"a better priority", `return os.setpriority(os.PRIO_PROCESS, 0, -20)`, false},
	{"other processors", `return os.sched_setaffinity(0, os.sched_getaffinity(0))`, true},
	{"another personality", `return call({SYS_PERSONALITY}, 0x0400000)`, false},
	{"a filter of its own", `return call({SYS_SECCOMP}, 2, 0xffff, 0, b"")`, false},
	{"input for a terminal", `return call({SYS_IOCTL}, 0, 0x5412, b"x")`, false},
	{"a shorter limit on its files made longer", `
        import resource
        return resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))`, false},
	{"an image of its memory", `
        import resource
        return resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))`, false},
	{"more files open than it may", `return [os.dup(0) for _ in range(40)]`, true},
	{"more threads than it may", `
        stop, threads = threading.Event(), []
        try:
            for _ in range(40):
                threads.append(threading.Thread(target=stop.wait))
                threads[-1].start()
        finally:
            stop.set()
        return len(threads)`, true},
	{"variables of the service", `
        if not set(os.environ) - {"HOME", "TMPDIR", "MPLCONFIGDIR", "LANG", "MPLBACKEND", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "LC_CTYPE"}:
            raise OSError("none of them")
        return os.environ`, true},
	{"more on its disk than it may", `
        for i in range(12):
            open("/work/tmp/%d" % i, "wb").write(b"x" * (1 << 20))
        return "12 MiB"`, false},
	{"one file larger than it may", `
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        return os.truncate(os.open("/work/tmp/large", os.O_CREAT | os.O_RDWR), 1 << 40)`, false},
	{"more folders than there may be", `
        for i in range(10000):
            os.mkdir("/work/tmp/%d" % i)
        return "10000 folders"`, false},
}

// machineAttempts are made of instructions of one kind of processor.
var machineAttempts = map[string][]attempt{"amd64": {
	{"calls of 32 bits", machine(`b8 18 00 00 00 cd 80 c3`), true},                 // getuid by int 0x80
	{"calls of x32", `return call(0x40000000 | 39)`, false},                        // getpid
	{"a process by 32 bits", machine(`b8 02 00 00 00 cd 80 c3`), false},            // fork by int 0x80
	{"input and output ports", `return call({SYS_IOPL}, 3)`, false},                //
	{"a local table of segments", `return call({SYS_MODIFY_LDT}, 0, 0, 0)`, false}, //
}}

// machine runs instructions, whose result is below zero where the kernel refuses.
func machine(code string) string {
	return `
        import mmap
        m = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        m.write(bytes.fromhex("` + code + `"))
        got = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()
        if got < 0:
            raise OSError(-got, os.strerror(-got))
        return got`
}

// fillIns are what an attempt is aimed at: a listener, sockets by path and by abstract name,
// a file that anybody may read, and a process.
func fillIns(t *testing.T) *strings.Replacer {
	t.Helper()
	listen := func(network, address string) net.Listener {
		l, err := net.Listen(network, address) //nolint:noctx // it lives as long as the test
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	tcp, ok := listen("tcp", "127.0.0.1:0").Addr().(*net.TCPAddr)
	require.True(t, ok)
	dir, err := os.MkdirTemp("", "sandbox") // a short name: those of sockets are bounded
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755)) //nolint:gosec // others than its owner shall find it
	path := filepath.Join(dir, "sock")
	listen("unix", path)
	require.NoError(t, os.Chmod(path, 0o777)) //nolint:gosec // likewise
	abstract := filepath.Base(dir)
	listen("unix", "@"+abstract)
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("a secret"), 0o644)) //nolint:gosec // likewise
	victim := exec.Command("sleep", "600")
	require.NoError(t, victim.Start())
	t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() })
	pairs := []string{"{tcp}", strconv.Itoa(tcp.Port), "{unix}", path, "{abstract}", abstract, "{secret}", secret, "{pid}", strconv.Itoa(victim.Process.Pid)}
	for name, number := range numbers {
		pairs = append(pairs, "{SYS_"+name+"}", strconv.Itoa(number))
	}
	return strings.NewReplacer(pairs...)
}

// numbers are those of system calls on this machine.
var numbers = map[string]int{
	"NAME_TO_HANDLE_AT": unix.SYS_NAME_TO_HANDLE_AT, "CLONE": unix.SYS_CLONE, "CLONE3": unix.SYS_CLONE3, "MEMFD_CREATE": unix.SYS_MEMFD_CREATE,
	"TGKILL": unix.SYS_TGKILL, "PIDFD_OPEN": unix.SYS_PIDFD_OPEN, "PTRACE": unix.SYS_PTRACE, "PROCESS_VM_READV": unix.SYS_PROCESS_VM_READV,
	"PROCESS_VM_WRITEV": unix.SYS_PROCESS_VM_WRITEV, "PRCTL": unix.SYS_PRCTL, "CAPSET": unix.SYS_CAPSET, "MOUNT": unix.SYS_MOUNT,
	"UMOUNT2": unix.SYS_UMOUNT2, "FSOPEN": unix.SYS_FSOPEN, "OPEN_TREE": unix.SYS_OPEN_TREE, "MOUNT_SETATTR": unix.SYS_MOUNT_SETATTR,
	"PIVOT_ROOT": unix.SYS_PIVOT_ROOT, "UNSHARE": unix.SYS_UNSHARE, "SETNS": unix.SYS_SETNS, "IO_URING_SETUP": unix.SYS_IO_URING_SETUP,
	"BPF": unix.SYS_BPF, "ADD_KEY": unix.SYS_ADD_KEY, "KEYCTL": unix.SYS_KEYCTL, "PERF_EVENT_OPEN": unix.SYS_PERF_EVENT_OPEN,
	"USERFAULTFD": unix.SYS_USERFAULTFD, "INOTIFY_INIT1": unix.SYS_INOTIFY_INIT1, "FANOTIFY_INIT": unix.SYS_FANOTIFY_INIT,
	"SHMGET": unix.SYS_SHMGET, "MSGGET": unix.SYS_MSGGET, "CLOCK_SETTIME": unix.SYS_CLOCK_SETTIME, "SYSLOG": unix.SYS_SYSLOG,
	"FINIT_MODULE": unix.SYS_FINIT_MODULE, "REBOOT": unix.SYS_REBOOT, "PERSONALITY": unix.SYS_PERSONALITY, "SECCOMP": unix.SYS_SECCOMP,
	"IOCTL": unix.SYS_IOCTL, "IOPL": 172, "MODIFY_LDT": 154,
}

// driver runs the programs of an input file one after another, and prints what each says.
const driver = `
import contextlib, io, json
said = {}
for name, program in json.load(open("/in/programs.json")).items():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, name, "exec"), {"__name__": "__main__"})
    said[name] = out.getvalue()
print(json.dumps(said))
`

// TestAttemptsAreHeld: each thing that a program may try against the machine is refused
// inside; and those that do no harm get through outside, so that it is the sandbox that
// refuses them.
func TestAttemptsAreHeld(t *testing.T) {
	t.Parallel()
	l := local(t)
	all := slices.Concat(attempts, machineAttempts[runtime.GOARCH])
	require.GreaterOrEqual(t, len(all), 60)
	program := func(t *testing.T, a attempt) string {
		t.Helper()
		body := a.body
		if !strings.HasPrefix(body, "\n") {
			body = "    " + body
		}
		return fillIns(t).Replace(fmt.Sprintf(frame, strings.ReplaceAll(body, "\n        ", "\n    ")))
	}
	programs := make(map[string]string, len(all))
	for _, a := range all {
		programs[a.name] = program(t, a)
	}
	require.Len(t, programs, len(all), "each has a name of its own")
	input, err := json.Marshal(programs)
	require.NoError(t, err)
	r, err := l.Run(t.Context(), Job{Code: driver, Files: []File{{"rows.csv", []byte("a,b\n1,2\n")}, {"programs.json", input}}})
	require.NoError(t, err)
	require.True(t, r.OK(), "%s %s", r.Problem, r.Stderr)
	var said map[string]string
	require.NoError(t, json.Unmarshal(r.Stdout, &said), "%s", r.Stdout)
	for _, a := range all {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			require.True(t, strings.HasPrefix(said[a.name], "HELD"), said[a.name])
			if !a.outside {
				return
			}
			cmd := exec.CommandContext(t.Context(), l.Interpreter().Executable, "-I", "-B", "-c", program(t, a))
			cmd.Dir = t.TempDir()
			var words bytes.Buffer
			cmd.Stderr = &words
			out, _ := cmd.Output()
			require.Contains(t, string(out), "THROUGH", "it does not get through outside either: %s", words.String())
		})
	}
}
