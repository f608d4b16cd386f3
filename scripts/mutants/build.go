package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// bench holds the test binaries with all changes in them.
type bench struct {
	dir      string
	root     string // of the module
	packages []*pkg
	tests    []*test
	stands   map[string]string // of a changed file, the one that it stands for
	reach    map[int][]*test   // of a mutant, the tests that come by it
}

// maxBuilds bounds how often changes that do not compile are taken out.
const maxBuilds = 12

// build makes the test binaries with the first n of some changes that compile.
func (b *bench) build(ctx context.Context, order []*mutant, n int) ([]*mutant, error) {
	bad := map[*mutant]bool{}
	for range maxBuilds {
		var drawn []*mutant
		for _, m := range order {
			if !bad[m] && len(drawn) < n && !collides(drawn, m) {
				drawn = append(drawn, m)
			}
		}
		for i, m := range drawn {
			m.id = i + 1
		}
		overlay, err := b.overlay(drawn)
		if err != nil {
			return nil, err
		}
		wrong, err := b.compile(ctx, overlay)
		if err != nil {
			return nil, err
		}
		if wrong == "" {
			return drawn, nil
		}
		found := false
		for _, m := range drawn {
			if m.blamed(wrong) {
				bad[m], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("build: %s", wrong)
		}
	}
	return nil, fmt.Errorf("after %d builds there are still changes that do not compile", maxBuilds)
}

// collides reports whether a change replaces text that another one replaces.
func collides(drawn []*mutant, m *mutant) bool {
	return slices.ContainsFunc(drawn, func(o *mutant) bool {
		if o.file != m.file || o.outer != 0 || m.outer != 0 {
			return false
		}
		return o.edits[0].from == m.edits[0].from && o.edits[0].to == m.edits[0].to
	})
}

var place = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// blamed reports whether the compiler complains of a line of a change, or of the end
// of a function that a statement left out leaves without its return.
func (m *mutant) blamed(wrong string) bool {
	for _, at := range place.FindAllStringSubmatch(wrong, -1) {
		line, _ := strconv.Atoi(at[2])
		last := m.line + bytes.Count(m.file.source[m.edits[0].from:m.edits[0].to], []byte("\n"))
		if at[1] == m.file.path && (line >= m.line && line <= last || line == m.end) {
			return true
		}
	}
	return false
}

// overlay writes the changed files and says which they stand for.
func (b *bench) overlay(drawn []*mutant) (string, error) {
	replace := map[string]string{}
	b.stands = map[string]string{}
	write := func(path string, text []byte) error {
		to := filepath.Join(b.dir, fmt.Sprintf("%d.go", len(replace)))
		replace[path], b.stands[to] = to, path
		return os.WriteFile(to, text, 0o600)
	}
	for _, p := range b.packages {
		changed := false
		for _, f := range p.files {
			of := slices.Clone(drawn)
			if of = slices.DeleteFunc(of, func(m *mutant) bool { return m.file != f }); len(of) == 0 {
				continue
			}
			changed = true
			if err := write(f.path, f.with(of)); err != nil {
				return "", err
			}
		}
		if changed {
			text := strings.NewReplacer("PACKAGE", p.Name, "DIR", b.dir).Replace(sleeping)
			if err := write(filepath.Join(p.Dir, "zz_mutants.go"), []byte(text)); err != nil {
				return "", err
			}
		}
	}
	out, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.dir, "overlay.json")
	return path, os.WriteFile(path, out, 0o600)
}

// insertion is text at a place of a file; of two at one place the lower rank is first.
type insertion struct {
	at, over int // over bytes are replaced
	text     string
	rank     [3]int
}

// with returns a file with changes put into it.
func (f *file) with(of []*mutant) []byte {
	var all []insertion
	for _, m := range of {
		id := strconv.Itoa(m.id)
		for _, e := range m.edits {
			before, after := strings.ReplaceAll(e.before, "{id}", id), strings.ReplaceAll(e.after, "{id}", id)
			if e.over {
				all = append(all, insertion{e.from, e.to - e.from, before, [3]int{}})
				continue
			}
			// Ends come before beginnings; wider spans are outside, then outer, then
			// the number.
			length := e.to - e.from
			all = append(all,
				insertion{e.from, 0, before, [3]int{1 << 30, -length, -(m.outer<<20 + m.id)}},
				insertion{e.to, 0, after, [3]int{0, length, m.outer<<20 + m.id}})
		}
	}
	slices.SortStableFunc(all, func(a, b insertion) int {
		return cmp.Or(cmp.Compare(a.at, b.at), slices.Compare(a.rank[:], b.rank[:]))
	})
	var out bytes.Buffer
	last := 0
	for _, i := range all {
		out.Write(f.source[last:i.at])
		out.WriteString(i.text)
		last = i.at + i.over
	}
	out.Write(f.source[last:])
	return out.Bytes()
}

// compile builds the test binary of each package that has tests; what the compiler
// says of changes that it does not take is returned as text.
func (b *bench) compile(ctx context.Context, overlay string) (string, error) {
	for i, p := range b.packages {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-ldflags=-s -w",
			"-gcflags=-e", "-o", b.binary(i), p.ImportPath)
		cmd.Dir = p.Dir
		if out, err := cmd.CombinedOutput(); err != nil {
			if place.Match(out) {
				text := string(out)
				for to, path := range b.stands {
					text = strings.ReplaceAll(text, to, path)
				}
				return text, nil
			}
			return "", fmt.Errorf("%w: %s", err, out)
		}
	}
	return "", nil
}

func (b *bench) binary(i int) string { return filepath.Join(b.dir, fmt.Sprintf("%d.test", i)) }

// sleeping is the file that each changed package gets. Which change is awake stands in
// a file, and not in the environment, as children of a test may have none.
const sleeping = `package PACKAGE

import (
	mutantcmp "cmp"
	mutantos "os"
	mutantstrconv "strconv"
	mutantsync "sync"
)

type mutants struct {
	awake int
	trace *mutantos.File
	seen  mutantsync.Map
}

var mutantsHere = func() *mutants {
	m := &mutants{}
	if text, err := mutantos.ReadFile("DIR/awake"); err == nil {
		m.awake, _ = mutantstrconv.Atoi(string(text))
	}
	m.trace, _ = mutantos.OpenFile("DIR/trace", mutantos.O_WRONLY|mutantos.O_APPEND, 0)
	return m
}()

func mutantOn(id int) bool {
	if m := mutantsHere; m.trace != nil {
		if _, again := m.seen.LoadOrStore(id, true); !again {
			_, _ = m.trace.WriteString(mutantstrconv.Itoa(id) + "\n")
		}
		return false
	}
	return mutantsHere.awake == id
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantAnd(id int, a bool, b func() bool) bool { if mutantOn(id) { return a || b() }; return a && b() }
func mutantOr(id int, a bool, b func() bool) bool { if mutantOn(id) { return a && b() }; return a || b() }
func mutantLess[T mutantcmp.Ordered](id int, a, b T) bool { if mutantOn(id) { return a <= b }; return a < b }
func mutantLessEqual[T mutantcmp.Ordered](id int, a, b T) bool { if mutantOn(id) { return a < b }; return a <= b }
func mutantGreater[T mutantcmp.Ordered](id int, a, b T) bool { if mutantOn(id) { return a >= b }; return a > b }
func mutantGreaterEqual[T mutantcmp.Ordered](id int, a, b T) bool { if mutantOn(id) { return a > b }; return a >= b }
func mutantMore[T mutantNumber](id int, v T) T { if mutantOn(id) { v++ }; return v }
func mutantLessOne[T mutantNumber](id int, v T) T { if mutantOn(id) { v-- }; return v }
func mutantNegative[T mutantNumber](id int, v T) T { if mutantOn(id) { v = -v }; return v }
func mutantText[T ~string](id int, v T) T { if mutantOn(id) { v += "~" }; return v }
func mutantButLast[S ~[]E, E any](id int, s S) S { if mutantOn(id) && len(s) > 0 { return s[:len(s)-1] }; return s }
func mutantZero[T any](id int, v T) T { if mutantOn(id) { var zero T; return zero }; return v }
func mutantPick[T any](id int, a, b T) T { if mutantOn(id) { return b }; return a }
`
