package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// channel is the descriptor that a child inherits.
const channel = 3

// namespaces are those that a child has of its own.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// namespaceKinds are the same by their names under /proc/self/ns.
var namespaceKinds = []string{"user", "pid", "mnt", "net", "ipc", "uts"}

// maxSpec bounds what a child is told beside code and files.
const maxSpec = 8 << 20

// insideID is the user and group that a program is within its namespace.
const insideID = 1000

// ChildMain becomes Python behind all walls, or says to its parent which does not hold.
func ChildMain() int {
	runtime.LockOSThread() // rights and filters are those of a thread, and this one becomes Python
	// Whatever this process inherited ends with it, the channel too: by its end the parent
	// sees that Python runs.
	if err := unix.CloseRange(channel, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 1
	}
	file := os.NewFile(channel, "parent")
	conn, err := net.FileConn(file)
	if err != nil {
		return 1
	}
	_ = file.Close()
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 1
	}
	err = become(socket)
	var r refusal
	if !errors.As(err, &r) {
		r = refusal{Wall: "", Text: fmt.Sprint(err)}
	}
	text, err := json.Marshal(r)
	if err == nil {
		_, _ = socket.Write(append([]byte{markFailed}, text...)) // the parent sees the end of the process if not
	}
	return 1
}

// Error implements error.
func (r refusal) Error() string { return r.Wall + ": " + r.Text }

// at names the wall that an error is about.
func at(wall string, err error) error {
	if err == nil {
		return nil
	}
	return refusal{Wall: wall, Text: err.Error()}
}

func become(socket *net.UnixConn) error {
	s, err := readSpec(socket)
	if err != nil {
		return err
	}
	if err := at(wallNamespaces, separate(s)); err != nil {
		return err
	}
	work, err := makeRoot(s, socket)
	if err != nil {
		return at(wallRoot, err)
	}
	if err := awaitGo(socket, work); err != nil {
		return err
	}
	if err := at(wallRights, dropRights()); err != nil {
		return err
	}
	if err := at(wallLandlock, lockFiles(s)); err != nil {
		return err
	}
	load, err := filter()
	if err != nil {
		return at(wallSeccomp, err)
	}
	if err := at(wallSeccomp, seccomp.LoadFilter(load)); err != nil {
		return err
	}
	return replace(s)
}

// replace sets the limits and becomes Python. The limits are Python's, and Go's own threads
// and memory would be over them at once: nothing is allocated and nobody else can run
// between the first limit and the last call, as the child has one processor (see variables)
// and these calls do not give it away.
func replace(s spec) error {
	program, err := unix.BytePtrFromString(s.Program)
	if err != nil {
		return fmt.Errorf("start the interpreter: %w", err)
	}
	args, err := syscall.SlicePtrFromStrings([]string{s.Called, "-I", "-B", programDir + "/step.py"})
	if err != nil {
		return fmt.Errorf("start the interpreter: %w", err)
	}
	// The variables hold nothing of this machine. One thread for linear algebra: the
	// processors are shared.
	env, err := syscall.SlicePtrFromStrings([]string{
		"HOME=" + workDir, "TMPDIR=" + scratchDir, "MPLCONFIGDIR=" + scratchDir, "LANG=C.UTF-8", "MPLBACKEND=Agg",
		"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1",
	})
	if err != nil {
		return fmt.Errorf("start the interpreter: %w", err)
	}
	limits := s.Limits.bounds()
	for i := range limits {
		if _, _, failed := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, limits[i].which, uintptr(unsafe.Pointer(&limits[i].value)), 0, 0, 0); failed != 0 {
			return refusal{Wall: wallLimits, Text: limits[i].name + ": " + failed.Error()}
		}
	}
	_, _, failed := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(program)), uintptr(unsafe.Pointer(&args[0])), uintptr(unsafe.Pointer(&env[0])))
	return fmt.Errorf("start the interpreter: %w", failed)
}

func readSpec(from io.Reader) (spec, error) {
	var size uint32
	if err := binary.Read(from, binary.BigEndian, &size); err != nil {
		return spec{}, fmt.Errorf("read what to do: %w", err)
	}
	if size > maxSpec {
		return spec{}, fmt.Errorf("what to do has %d bytes", size)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(from, text); err != nil {
		return spec{}, fmt.Errorf("read what to do: %w", err)
	}
	var s spec
	return s, json.Unmarshal(text, &s)
}

// ownNamespaces are those of this process, by kind.
func ownNamespaces() (map[string]string, error) {
	out := make(map[string]string, len(namespaceKinds))
	for _, kind := range namespaceKinds {
		link, err := os.Readlink("/proc/self/ns/" + kind)
		if err != nil {
			return nil, fmt.Errorf("look at the namespaces: %w", err)
		}
		out[kind] = link
	}
	return out, nil
}

// separate checks that this process is in namespaces of its own and ends with its parent.
func separate(s spec) error {
	have, err := ownNamespaces()
	if err != nil {
		return err
	}
	for kind, link := range have {
		if s.Namespaces[kind] == "" || s.Namespaces[kind] == link {
			return fmt.Errorf("the %s namespace is the parent's", kind)
		}
	}
	if os.Getpid() != 1 || os.Getuid() != insideID || os.Getgid() != insideID {
		return fmt.Errorf("process %d runs as user %d, group %d", os.Getpid(), os.Getuid(), os.Getgid())
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("end with the parent: %w", err)
	}
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // help: the limits are the guarantee
	return unix.Sethostname([]byte("sandbox"))
}

// makeRoot makes a file system in memory with what the program may see, and makes it the
// root of this process. It returns the scratch folder.
func makeRoot(s spec, from io.Reader) (work *os.File, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, fmt.Errorf("keep mounts to itself: %w", err)
	}
	// What is shown is opened first: the new root is put over a folder of this machine.
	devices := []shownPath{{Path: "/dev/null"}, {Path: "/dev/urandom"}}
	all := slices.Concat(s.Shown, devices)
	open := make([]int, len(all))
	for i, shown := range all {
		if open[i], err = unix.Open(shown.Path, unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
			return nil, fmt.Errorf("open %s: %w", shown.Path, err)
		}
	}
	const base = "/tmp"
	if err := unix.Mount("root", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m,nr_inodes=65536"); err != nil {
		return nil, fmt.Errorf("make a root in memory: %w", err)
	}
	for i, shown := range all {
		if err := show(open[i], base, shown); err != nil {
			return nil, fmt.Errorf("show %s: %w", shown.Path, err)
		}
	}
	for link, to := range s.Links {
		if err := os.MkdirAll(filepath.Dir(base+link), 0o755); err != nil {
			return nil, err
		}
		if err := os.Symlink(to, base+link); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
	}
	if err := receive(s, base, from); err != nil {
		return nil, err
	}
	if err := memoryFolder(base+workDir, s.Limits.Scratch); err != nil {
		return nil, err
	}
	for _, dir := range []string{OutputDir, scratchDir} {
		if err := os.Mkdir(base+dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, base, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOEXEC}); err != nil {
		return nil, fmt.Errorf("make the root read-only: %w", err)
	}
	if err := unix.Chdir(base); err != nil {
		return nil, err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return nil, fmt.Errorf("change the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return nil, fmt.Errorf("leave the old root: %w", err)
	}
	if err := os.Chdir(workDir); err != nil {
		return nil, err
	}
	for _, fd := range open {
		_ = unix.Close(fd)
	}
	return os.Open(workDir)
}

// show puts a file or folder of this machine into the new root, read-only with all that
// is mounted in it.
func show(fd int, base string, shown shownPath) error {
	target := base + shown.Path
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if shown.Dir {
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
	} else if err := os.WriteFile(target, nil, 0o644); err != nil {
		return err
	}
	if err := unix.Mount("/proc/self/fd/"+strconv.Itoa(fd), target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	if filepath.Dir(shown.Path) == "/dev" {
		return nil // writing to a device writes no file; landlock says which of the two may be written
	}
	return unix.MountSetattr(unix.AT_FDCWD, target, unix.AT_RECURSIVE, &unix.MountAttr{
		Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
	})
}

// memoryFolder makes a folder in memory that holds so many bytes.
func memoryFolder(path string, bytes int64) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	options := fmt.Sprintf("mode=0700,size=%d,nr_inodes=%d", bytes, maxFolders)
	if err := unix.Mount("scratch", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options); err != nil {
		return fmt.Errorf("make the folder %s in memory: %w", filepath.Base(path), err)
	}
	return nil
}

// pageSpare is what a file may take beyond its bytes, as memory is given in pages.
const pageSpare = 64 << 10

// receive writes the code and the input files, and makes their folders read-only.
func receive(s spec, base string, from io.Reader) error {
	size := int64(1 << 20)
	for _, f := range s.Files {
		size += f.Size + pageSpare
	}
	folders := map[string][]inFile{base + programDir: {{Name: "step.py", Size: s.Code}}, base + InputDir: s.Files}
	for _, folder := range []string{base + programDir, base + InputDir} { // in the order in which they are sent
		bytes := size
		if folder == base+programDir {
			bytes = s.Code + pageSpare
		}
		if err := memoryFolder(folder, bytes); err != nil {
			return err
		}
		for _, f := range folders[folder] {
			if err := receiveFile(filepath.Join(folder, f.Name), f.Size, from); err != nil {
				return err
			}
		}
		if err := unix.MountSetattr(unix.AT_FDCWD, folder, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("make the input read-only: %w", err)
		}
	}
	return nil
}

func receiveFile(path string, size int64, from io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o400)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, from, size)
	return errors.Join(err, file.Close())
}

// awaitGo hands the scratch folder to the parent and waits for its word: a parent that has
// died meanwhile says none.
func awaitGo(socket *net.UnixConn, work *os.File) error {
	if _, _, err := socket.WriteMsgUnix([]byte{markReady}, unix.UnixRights(int(work.Fd())), nil); err != nil {
		return fmt.Errorf("tell the parent: %w", err)
	}
	word := make([]byte, 1)
	if _, err := io.ReadFull(socket, word); err != nil || word[0] != markGo {
		return fmt.Errorf("wait for the parent: %w", err)
	}
	return work.Close()
}

// dropRights gives up what it took to make the root: neither this process nor what it
// becomes can have any of it again.
func dropRights() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	for right := 0; ; right++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(right), 0, 0, 0); errors.Is(err, unix.EINVAL) {
			break // there are no more
		} else if err != nil {
			return fmt.Errorf("give up right %d: %w", right, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// limit is one that the kernel holds.
type limit struct {
	name  string
	which uintptr
	value unix.Rlimit
}

// bounds are the limits of the process, that of memory last.
func (l Limits) bounds() []limit {
	to := func(name string, which int, value uint64) limit {
		return limit{name: name, which: uintptr(which), value: unix.Rlimit{Cur: value, Max: value}}
	}
	return []limit{
		to("cpu", unix.RLIMIT_CPU, uint64((l.CPU+time.Second-1)/time.Second)), to("core", unix.RLIMIT_CORE, 0),
		to("open_files", unix.RLIMIT_NOFILE, uint64(l.OpenFiles)), to("scratch", unix.RLIMIT_FSIZE, uint64(l.Scratch)),
		to("locked memory", unix.RLIMIT_MEMLOCK, 0), to("message queues", unix.RLIMIT_MSGQUEUE, 0), to("priority", unix.RLIMIT_NICE, 0),
		to("real-time priority", unix.RLIMIT_RTPRIO, 0), to("pending signals", unix.RLIMIT_SIGPENDING, 64),
		to("threads", unix.RLIMIT_NPROC, uint64(l.Threads)), to("memory", unix.RLIMIT_AS, uint64(l.Memory)),
	}
}
