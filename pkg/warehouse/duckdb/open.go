package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// Open starts a child, which attaches the databases read-only and gives up everything
// else: files, extensions, settings.
func Open(ctx context.Context, config Config) (*Engine, error) {
	config = config.withDefaults()
	if config.Launcher == nil {
		return nil, errors.New("open the embedded engine: there is no launcher of children")
	}
	if len(config.Databases) == 0 {
		return nil, fault.New(codes.FailedPrecondition, "DATABASE_MISSING", "the source has no database: "+config.Remake)
	}
	limit, err := ProcessMemory(config.MemoryLimit, config.ProcessMemory)
	if err != nil {
		return nil, err
	}
	for _, region := range slices.Sorted(maps.Keys(config.Databases)) {
		if err := config.checkFile(region); err != nil {
			return nil, err
		}
	}
	e := newEngine(config, limit)
	first, err := e.pool.start(ctx)
	if err != nil {
		return nil, errors.Join(config.opening(err), e.pool.close())
	}
	e.pool.giveBack(first, func() {})
	return e, nil
}

// newEngine makes an engine that has no child yet. The configuration is complete, and
// limit is that of a child's memory, in bytes; 0: none.
func newEngine(config Config, limit int64) *Engine {
	e := &Engine{config: config, slots: warehouse.NewSlots(config.Limits).Measured(config.Meter, meter.QueueDuckDB), pool: &pool{
		launcher: config.Launcher, room: config.Room, limit: limit, keep: config.KeepIdle, log: config.Log, all: map[*worker]bool{},
		open: wire.Open{
			Databases: config.Databases, MemoryLimit: config.MemoryLimit, Threads: config.Threads, TimeZone: config.TimeZone,
			DataLimit: dataLimit(limit),
		},
	}}
	config.Room.join(e.pool)
	return e
}

// programMemory is what a child takes beside its statement: the program, the runtime,
// buffers.
const programMemory = 384 << 20

// ProcessMemory is the memory at which a child is killed: what is set, or what
// follows from DuckDB's own limit.
func ProcessMemory(limit string, set int64) (int64, error) {
	engine, err := humanize.ParseBytes(limit)
	if err != nil || engine == 0 || engine > 1<<50 {
		return 0, fault.New(codes.InvalidArgument, "MEMORY_LIMIT",
			fmt.Sprintf("%q is no memory limit of the embedded engine: write a number and a unit, such as 2GB or 512MB", limit))
	}
	if set > 0 {
		return set, nil
	}
	return int64(engine + engine/4 + programMemory), nil
}

// dataLimit bounds a child's data segment, which has much in it that is never
// touched, well above the memory at which it is killed: a statement that is faster
// than the watch fails there.
func dataLimit(processMemory int64) uint64 { return uint64(2*processMemory) + 1<<30 }

// checkFile tells what is wrong with a region's file before a child looks at it.
func (c Config) checkFile(region string) error {
	switch strings.ToLower(region) {
	case "memory", "system", "temp":
		return fault.New(codes.InvalidArgument, "REGION_NAME", fmt.Sprintf("a region cannot be named %q: the engine uses that name itself", region))
	}
	path := c.Databases[region]
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(codes.FailedPrecondition, "DATABASE_MISSING",
			fmt.Sprintf("the database file of region %s is missing: %s", region, c.Remake)).ForOperator("%s", path).Because(err)
	case err != nil:
		return fault.New(codes.FailedPrecondition, "DATABASE_UNREADABLE",
			fmt.Sprintf("the database file of region %s cannot be read: check its permissions", region)).ForOperator("%s", path).Because(err)
	case info.IsDir():
		return fault.New(codes.FailedPrecondition, "DATABASE_CORRUPT",
			fmt.Sprintf("the database of region %s is a directory, not a DuckDB file: %s", region, c.Remake)).ForOperator("%s", path)
	}
	return nil
}

// opening turns what a child, or the system, says when a child cannot be opened into
// an error for people. Other errors stay.
func (c Config) opening(err error) error {
	var failed *openFailure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed) && failed.Region != "":
		return c.attaching(failed)
	case errors.As(err, &failed):
		return errors.Join(shortOf(failed.Text, failed), err)
	}
	if short := shortOf(errnoText(err), err); short != nil {
		return short
	}
	return err
}

// errnoText is the text of a system's error in err; empty where there is none.
func errnoText(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return ""
}

// shortage is something that the machine lacks, which says nothing about the file.
// The words are those of the C library, which DuckDB quotes.
type shortage struct{ words, reason, message string }

func shortages() []shortage {
	return []shortage{
		{"too many open files", "OUT_OF_DESCRIPTORS", "this process, or the machine, has too many files open: end other programs or raise the limit of open files (ulimit -n), then try again"},
		{"no space left on device", "DISK_FULL", "the disk is full: free some space, then try again"},
		{"disk quota exceeded", "DISK_FULL", "the disk quota is used up: free some space, then try again"},
		{"cannot allocate memory", "OUT_OF_MEMORY", "the machine has no memory left for the embedded engine: end other programs, or lower chatbi.engine.memory_limit, then try again"},
		{"resource temporarily unavailable", "OUT_OF_PROCESSES", "the machine lets this user start no more processes or threads: end other programs or raise the limit (ulimit -u), then try again"},
	}
}

// shortOf returns the fault of a shortage that a text tells of; nil: it tells of none.
func shortOf(text string, cause error) error {
	lower := strings.ToLower(text)
	for _, s := range shortages() {
		if strings.Contains(lower, s.words) {
			return fault.New(codes.ResourceExhausted, s.reason, s.message).Because(cause)
		}
	}
	return nil
}

// attaching turns DuckDB's refusal of a file into what it is: a lock, a shortage, a
// file that may not be read, or a file that is none of DuckDB's.
func (c Config) attaching(failed *openFailure) error {
	path := c.Databases[failed.Region]
	lower := strings.ToLower(strings.ReplaceAll(failed.Text, path, "")) // a path may have any words in it
	file := func(code codes.Code, reason, format string) error {
		return fault.New(code, reason, fmt.Sprintf(format, failed.Region)).ForOperator("%s", path).Because(failed)
	}
	switch short := shortOf(lower, failed); {
	case strings.Contains(lower, "could not set lock on file"), strings.Contains(lower, "conflicting lock is held"):
		return file(codes.Unavailable, "DATABASE_LOCKED", "the database file of region %s is being written by another process: try again when it is done")
	case short != nil:
		return short
	case strings.Contains(lower, "permission denied"):
		return file(codes.FailedPrecondition, "DATABASE_UNREADABLE", "the database file of region %s cannot be read: check its permissions")
	}
	return file(codes.FailedPrecondition, "DATABASE_CORRUPT", "the file of region %s is not a DuckDB database that this version reads: "+strings.ReplaceAll(c.Remake, "%", "%%"))
}
