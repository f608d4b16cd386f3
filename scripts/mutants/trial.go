package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// test is a test function of a package.
type test struct {
	pkg  int
	name string
	took time.Duration
}

// Limits of a run of tests: slow machines and changes that never end.
const (
	patience      = 20 * time.Second
	patienceTimes = 8
	// firstRound is how long the quick tests that are tried first may take.
	firstRound = time.Second
)

// trace runs each test alone with all changes asleep and keeps which ones it reaches.
func (b *bench) trace(ctx context.Context) error {
	b.reach = map[int][]*test{}
	if err := b.copyTree(ctx); err != nil {
		return err
	}
	for i := range b.packages {
		if _, err := os.Stat(b.binary(i)); err != nil {
			continue
		}
		out, err := b.start(ctx, i, 0, "-test.list=.").CombinedOutput()
		if err != nil {
			return fmt.Errorf("list tests: %w: %s", err, out)
		}
		for name := range strings.Lines(string(out)) {
			if name = strings.TrimSpace(name); !regexp.MustCompile(`^(Test|Fuzz|Example)\w*$`).MatchString(name) {
				continue
			}
			t := &test{pkg: i, name: name}
			if err := b.traceOne(ctx, t); err != nil {
				return err
			}
			b.tests = append(b.tests, t)
		}
	}
	for _, of := range b.reach {
		slices.SortFunc(of, func(x, y *test) int { return int(x.took - y.took) })
	}
	return nil
}

func (b *bench) traceOne(ctx context.Context, t *test) error {
	path := filepath.Join(b.dir, "trace")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }() // what is traced next writes it anew
	begin := time.Now()
	if out, err := b.start(ctx, t.pkg, 0, "-test.run=^"+t.name+"$").CombinedOutput(); err != nil {
		return fmt.Errorf("%s of %s fails with nothing changed: %w\n%s", t.name, b.packages[t.pkg].ImportPath, err, tail(out))
	}
	t.took = time.Since(begin)
	ids, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	seen := map[int]bool{}
	for line := range strings.Lines(string(ids)) {
		if id, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && !seen[id] {
			seen[id] = true
			b.reach[id] = append(b.reach[id], t)
		}
	}
	return nil
}

// copyTree copies the files of the module. Tests run in the copy: code that was changed
// may write anywhere, and the files that tests read are found from where they run.
func (b *bench) copyTree(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the module: %w", err)
	}
	b.root = strings.TrimSpace(string(out))
	return filepath.WalkDir(b.root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git":
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case entry.IsDir():
			return os.MkdirAll(b.inCopy(path), 0o700)
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(b.inCopy(path), text, info.Mode().Perm())
	})
}

// inCopy is where the copy of a directory or file of the module is.
func (b *bench) inCopy(path string) string {
	return filepath.Join(b.dir, "tree", strings.TrimPrefix(path, b.root))
}

// start prepares a run of a test binary in the copy of its package's directory.
func (b *bench) start(ctx context.Context, i int, limit time.Duration, args ...string) *exec.Cmd {
	if limit > 0 {
		args = append(args, "-test.timeout="+limit.String())
	}
	cmd := exec.CommandContext(ctx, b.binary(i), args...)
	cmd.Dir = b.inCopy(b.packages[i].Dir)
	cmd.WaitDelay = 5 * time.Second // a child of a test that outlives it holds its output
	return cmd
}

// notices returns the name of a test that fails when a change is awake; "" if none does.
func (b *bench) notices(ctx context.Context, m *mutant) (string, error) {
	if err := os.WriteFile(filepath.Join(b.dir, "awake"), []byte(strconv.Itoa(m.id)), 0o600); err != nil {
		return "", err
	}
	for _, round := range rounds(b.reach[m.id]) {
		var names []string
		limit := patience
		for _, t := range round {
			names = append(names, t.name)
			limit += patienceTimes * t.took
		}
		// The binary ends itself at its limit; a little later it is ended.
		late, cancel := context.WithTimeout(ctx, limit+10*time.Second)
		out, err := b.start(late, round[0].pkg, limit, "-test.failfast", "-test.run=^("+strings.Join(names, "|")+")$").CombinedOutput()
		cancel()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			return who(out), nil
		}
	}
	return "", nil
}

// rounds divides tests into runs: the quick ones first, each of one package.
func rounds(tests []*test) [][]*test {
	var out [][]*test
	var slow []*test
	quick := time.Duration(0)
	put := func(t *test) {
		for i, r := range out {
			if r[0].pkg == t.pkg {
				out[i] = append(r, t)
				return
			}
		}
		out = append(out, []*test{t})
	}
	for _, t := range tests {
		if quick += t.took; quick <= firstRound {
			put(t)
		} else {
			slow = append(slow, t)
		}
	}
	first := out
	out = nil
	for _, t := range slow {
		put(t)
	}
	return append(first, out...)
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// who is the test that failed, as its output says.
func who(out []byte) string {
	if bytes.Contains(out, []byte("panic: test timed out")) {
		return "a test that did not end"
	}
	if at := failed.FindSubmatch(out); at != nil {
		return string(at[1])
	}
	if bytes.Contains(out, []byte("panic:")) || bytes.Contains(out, []byte("fatal error:")) {
		return "a panic"
	}
	return "a test binary that failed"
}

// tail is the end of a long text.
func tail(out []byte) []byte {
	const most = 2000
	return out[max(0, len(out)-most):]
}
