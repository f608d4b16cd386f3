package sandbox

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
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
	version, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if failed != 0 {
		return 0
	}
	return int(version)
}

// handled is everything that a version of landlock can refuse; what no rule then allows
// is refused: files, ports, abstract sockets of others, and signals to them.
func handled(version int) unix.LandlockRulesetAttr {
	rights := unix.LandlockRulesetAttr{Handled_access_fs: 2*unix.LANDLOCK_ACCESS_FS_REFER - 1} // all up to version 2
	for _, later := range []struct {
		version     int
		fs, network uint64
		scopes      uint64
	}{
		{version: 3, fs: unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{version: 4, network: unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP},
		{version: 5, fs: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{version: 6, scopes: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL},
		{version: 9, fs: unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
		{version: 10, network: unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP},
	} {
		if version >= later.version {
			rights.Handled_access_fs |= later.fs
			rights.Handled_access_net |= later.network
			rights.Scoped |= later.scopes
		}
	}
	return rights
}

// lockFiles gives the names that this thread, and what it becomes, can still open: what it
// is shown, to be read; the two programs that make up Python's start, to be run; its
// scratch folder. go-landlock is for processes that go on with all their threads, which it
// finds in /proc; here one thread becomes Python in a root without /proc, so the three
// system calls are made for it alone.
func lockFiles(s spec) error {
	version := landlockVersion()
	if version < leastLandlock {
		return fmt.Errorf("the kernel has version %d, and %d is needed", version, leastLandlock)
	}
	rights := handled(version)
	rules, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rights)), unsafe.Sizeof(rights), 0)
	if failed != 0 {
		return fmt.Errorf("make a set of rules: %w", failed)
	}
	defer func() { _ = unix.Close(int(rules)) }()
	const (
		readFolder  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
		writeFolder = readFolder | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
			unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REFER
	)
	allowed := map[string]uint64{
		InputDir: readFolder, programDir: readFolder, workDir: writeFolder,
		"/dev/urandom": unix.LANDLOCK_ACCESS_FS_READ_FILE, "/dev/null": unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE,
	}
	for _, shown := range s.Shown {
		allowed[shown.Path] = unix.LANDLOCK_ACCESS_FS_READ_FILE
		if shown.Dir {
			allowed[shown.Path] = readFolder
		}
	}
	for _, program := range s.Run {
		allowed[program] |= unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	}
	for path, access := range allowed {
		if err := allow(rules, path, access&rights.Handled_access_fs); err != nil {
			return fmt.Errorf("allow %s: %w", path, err)
		}
	}
	if _, _, failed := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); failed != 0 {
		return failed
	}
	return nil
}

// allow adds a rule for what lies beneath a path.
func allow(rules uintptr, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	if _, _, failed := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); failed != 0 {
		return failed
	}
	return nil
}
