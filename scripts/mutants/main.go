// Command mutants measures how much of a package's behaviour its own tests hold.
//
// It draws changes of single places of the packages named (a condition turned round,
// a boundary moved, a statement or a field left out, a loop that never runs, ...),
// builds each test binary once with all of them asleep in it, and then wakes one at a
// time and runs the tests that reach it. A change that no test notices is printed:
//
//	go run ./scripts/mutants -n 100 -seed 7 ./pkg/sql/guard ./pkg/policy
//
// The packages named are both what is changed and whose tests are run, so that
// ./pkg/warehouse/duckdb/... has the tests of the engine for its internal packages.
// Tests run in a copy of the module, so no file of the tree is touched, whatever changed
// code does. The exit code is 1 where a change survived.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	switch {
	case errors.Is(err, errSurvived):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

var errSurvived = errors.New("a change survived")

func run(ctx context.Context) error {
	n := flag.Int("n", 100, "changes to draw; 0 is all that there are")
	seed := flag.Uint64("seed", 1, "seed of the draw: the same one draws the same changes of the same source")
	at := flag.String("at", "", "only changes at these places: file.go or file.go:LINE, separated by commas")
	list := flag.Bool("list", false, "print the changes drawn and run nothing")
	verbose := flag.Bool("v", false, "print what was noticed too, with the test")
	flag.Parse()
	packages, err := load(ctx, flag.Args())
	if err != nil {
		return err
	}
	var all []*mutant
	for _, p := range packages {
		all = append(all, p.find()...)
	}
	if *at != "" {
		all = slices.DeleteFunc(all, func(m *mutant) bool { return !m.isAt(strings.Split(*at, ",")) })
	}
	order := draw(all, rand.New(rand.NewPCG(*seed, 0)))
	if *n == 0 {
		*n = len(order)
	}
	if *list {
		for _, m := range order[:min(*n, len(order))] {
			fmt.Println(m)
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder of its own under the system's
	b := &bench{dir: dir, packages: packages}
	drawn, err := b.build(ctx, order, *n)
	if err != nil {
		return err
	}
	fmt.Printf("%d changes of %d that can be drawn\n", len(drawn), len(all))
	if err := b.trace(ctx); err != nil {
		return err
	}
	return judge(ctx, b, drawn, *verbose)
}

// draw orders changes at random: by line first, so that a line that can be changed in
// ten ways is not drawn ten times as often, then one change of the line.
func draw(all []*mutant, random *rand.Rand) []*mutant {
	lines := map[string][]*mutant{}
	var keys []string
	for _, m := range all {
		key := fmt.Sprintf("%s:%d", m.file.path, m.line)
		if lines[key] == nil {
			keys = append(keys, key)
		}
		lines[key] = append(lines[key], m)
	}
	var order []*mutant
	for len(keys) > 0 {
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		left := keys[:0]
		for _, key := range keys {
			of := lines[key]
			i := random.IntN(len(of))
			order = append(order, of[i])
			if lines[key] = slices.Delete(of, i, i+1); len(lines[key]) > 0 {
				left = append(left, key)
			}
		}
		keys = left
	}
	return order
}

// judge wakes one change after the other and counts by package.
func judge(ctx context.Context, b *bench, drawn []*mutant, verbose bool) error {
	type count struct{ drawn, noticed int }
	counts, total := map[string]*count{}, count{}
	for _, m := range drawn {
		by, err := b.notices(ctx, m)
		if err != nil {
			return err
		}
		name := m.file.pkg.ImportPath
		if counts[name] == nil {
			counts[name] = &count{}
		}
		counts[name].drawn++
		total.drawn++
		if by != "" {
			counts[name].noticed++
			total.noticed++
			if verbose {
				fmt.Printf("noticed   %s  by %s\n", m, by)
			}
			continue
		}
		why := "SURVIVED "
		if len(b.reach[m.id]) == 0 {
			why = "UNREACHED"
		}
		fmt.Printf("%s %s\n", why, m)
	}
	for _, p := range b.packages {
		if c := counts[p.ImportPath]; c != nil {
			fmt.Printf("%4d of %4d noticed  %s\n", c.noticed, c.drawn, p.ImportPath)
		}
	}
	fmt.Printf("%4d of %4d noticed\n", total.noticed, total.drawn)
	if total.noticed < total.drawn {
		return errSurvived
	}
	return nil
}

// isAt reports whether a change is at one of some places.
func (m *mutant) isAt(places []string) bool {
	for _, p := range places {
		file, line, has := strings.Cut(p, ":")
		if filepath.Base(m.file.path) != filepath.Base(file) {
			continue
		}
		if !has || line == fmt.Sprint(m.line) {
			return true
		}
	}
	return false
}
