package sandbox

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// leastLandlock is the first version of landlock in which files can be moved between
// folders. What later ones add is taken where it is there; mounts, namespaces and the list
// of system calls hold it too.
const leastLandlock = 2

// calls are the system calls that Python and its libraries need. Every other one fails
// with EPERM: sockets, new processes and namespaces, mounts, links, other processes'
// memory, io_uring, bpf, keys, and whatever a later kernel brings.
var calls = []string{
	// Files by descriptor and by name; landlock says which names.
	"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "lseek", "close", "close_range", "dup", "dup2", "dup3", "fcntl", "flock",
	"open", "openat", "creat", "stat", "fstat", "lstat", "newfstatat", "fstatat", "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2",
	"readlink", "readlinkat", "getdents64", "getcwd", "chdir", "fchdir", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2",
	"truncate", "ftruncate", "fallocate", "fadvise64", "fsync", "fdatasync", "sync_file_range", "umask", "sendfile", "copy_file_range",
	"pipe", "pipe2", "poll", "ppoll", "select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait",
	// Memory.
	"mmap", "mprotect", "munmap", "mremap", "madvise", "msync", "brk",
	// Threads of its own.
	"futex", "set_robust_list", "get_robust_list", "set_tid_address", "rseq", "membarrier", "arch_prctl", "restart_syscall",
	"sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "getcpu",
	"exit", "exit_group", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend", "sigaltstack", "tgkill",
	// What it may know of itself, of time and chance.
	"getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid", "getpgrp", "getpgid", "getsid", "capget",
	"uname", "sysinfo", "times", "getrusage", "getrlimit", "prlimit64", "getrandom",
	"clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
	// The start of Python itself; landlock says that nothing else can be started.
	"execve",
}

// controls are the requests of ioctl that are made of files in passing: is it a terminal,
// how wide, close it on exec, how much is there to read.
var controls = []uint64{unix.TCGETS, unix.TIOCGWINSZ, unix.TIOCINQ, 0x5450 /* FIONCLEX */, 0x5451 /* FIOCLEX */}

// settings are the options of prctl for names of threads and of memory.
var settings = []uint64{unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA}

// filter is the list as a program for the kernel.
func filter() (seccomp.Filter, error) {
	info, err := arch.GetInfo(runtime.GOARCH)
	if err != nil {
		return seccomp.Filter{}, fmt.Errorf("list the system calls of this machine: %w", err)
	}
	// An architecture lacks some old names, and then nothing calls them.
	known := slices.DeleteFunc(slices.Clone(calls), func(name string) bool { _, ok := info.SyscallNames[name]; return !ok })
	when := func(name string, argument uint32, values []uint64) []seccomp.NameWithConditions {
		var out []seccomp.NameWithConditions
		for _, v := range values {
			out = append(out, seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{{Argument: argument, Operation: seccomp.Equal, Value: v}}})
		}
		return out
	}
	allowed := slices.Concat(
		when("ioctl", 1, controls), when("prctl", 0, settings),
		// A thread and not a process, and in no namespace of its own.
		[]seccomp.NameWithConditions{{Name: "clone", Conditions: seccomp.ArgumentConditions{
			{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD},
			{Argument: 0, Operation: seccomp.BitsNotSet, Value: namespaces | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME},
		}}},
	)
	return seccomp.Filter{NoNewPrivs: true, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionErrno,
		Syscalls: []seccomp.SyscallGroup{
			// The arguments of clone3 lie in memory, where the kernel's program cannot look: the
			// C library takes clone where it is not there.
			{Names: []string{"clone3"}, Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)},
			{Names: known, NamesWithCondtions: allowed, Action: seccomp.ActionAllow},
		},
	}}, nil
}

// landlockVersion is what the kernel offers; 0 where it has none.
func landlockVersion() int {
	version, err := llsys.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}

// handled is everything that a version of landlock can refuse; what no rule then allows
// is refused: files, ports, abstract sockets of others, and signals to them.
func handled(version int) llsys.RulesetAttr {
	rights := llsys.RulesetAttr{HandledAccessFS: 2*llsys.AccessFSRefer - 1} // all up to version 2
	for _, later := range []struct {
		version     int
		fs, network uint64
		scopes      uint64
	}{
		{version: 3, fs: llsys.AccessFSTruncate},
		{version: 4, network: llsys.AccessNetBindTCP | llsys.AccessNetConnectTCP},
		{version: 5, fs: llsys.AccessFSIoctlDev},
		{version: 6, scopes: llsys.ScopeAbstractUnixSocket | llsys.ScopeSignal},
		{version: 9, fs: llsys.AccessFSResolveUnix},
		{version: 10, network: llsys.AccessNetBindUDP | llsys.AccessNetConnectSendUDP},
	} {
		if version >= later.version {
			rights.HandledAccessFS |= later.fs
			rights.HandledAccessNet |= later.network
			rights.Scoped |= later.scopes
		}
	}
	return rights
}

// lockFiles gives the names that this thread, and what it becomes, can still open: what it
// is shown, to be read; the two programs that make up Python's start, to be run; its
// scratch folder. The library's own functions are for processes that go on with all their
// threads and look into /proc for them; here one thread becomes Python, so the system calls
// are made for it alone.
func lockFiles(s spec) error {
	version := landlockVersion()
	if version < leastLandlock {
		return fmt.Errorf("the kernel has version %d, and %d is needed", version, leastLandlock)
	}
	rights := handled(version)
	rules, err := llsys.LandlockCreateRuleset(&rights, 0)
	if err != nil {
		return fmt.Errorf("make a set of rules: %w", err)
	}
	defer func() { _ = unix.Close(rules) }()
	const (
		readFolder  = llsys.AccessFSReadFile | llsys.AccessFSReadDir
		writeFolder = readFolder | llsys.AccessFSWriteFile | llsys.AccessFSTruncate | llsys.AccessFSMakeReg | llsys.AccessFSMakeDir |
			llsys.AccessFSRemoveFile | llsys.AccessFSRemoveDir | llsys.AccessFSRefer
	)
	allowed := map[string]uint64{
		InputDir: readFolder, programDir: readFolder, workDir: writeFolder,
		"/dev/urandom": llsys.AccessFSReadFile, "/dev/null": llsys.AccessFSReadFile | llsys.AccessFSWriteFile,
	}
	for _, shown := range s.Shown {
		allowed[shown.Path] = llsys.AccessFSReadFile
		if shown.Dir {
			allowed[shown.Path] = readFolder
		}
	}
	for _, program := range s.Run {
		allowed[program] |= llsys.AccessFSReadFile | llsys.AccessFSExecute
	}
	for path, access := range allowed {
		if err := allow(rules, path, access&rights.HandledAccessFS); err != nil {
			return fmt.Errorf("allow %s: %w", path, err)
		}
	}
	return llsys.LandlockRestrictSelf(rules, 0)
}

// allow adds a rule for what lies beneath a path.
func allow(rules int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return llsys.LandlockAddPathBeneathRule(rules, &llsys.PathBeneathAttr{AllowedAccess: access, ParentFd: fd}, 0)
}
