package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"strings"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// What is looked at of the questions that take longest.
const (
	slowestShare = 20 // one of so many questions is profiled
	rounds       = 5  // of each, the least time of which counts
	again        = 40 // how often each is asked under the profile
	answersKept  = 50 // tables of a question that -answers writes
)

// profile asks the slowest questions again and again and writes a profile of it. It
// prints them with their times of the processor and their lengths. The service must keep
// no candidates of questions.
func (s *served) profile(ctx context.Context, path string, asked []string) error {
	type timed struct {
		question string
		ms       float64
	}
	all := make([]timed, len(asked))
	for round := range rounds {
		for i, question := range asked {
			from := cpuSeconds()
			if err := s.searchTables(ctx, question); err != nil {
				return err
			}
			if ms := (cpuSeconds() - from) * 1000; round == 0 || ms < all[i].ms {
				all[i] = timed{question, ms}
			}
		}
	}
	slices.SortFunc(all, func(a, b timed) int { return cmp.Compare(b.ms, a.ms) })
	for _, p := range []int{50, 95, 99} {
		fmt.Fprintf(os.Stderr, "least of %d rounds, p%d %.2f ms\n", rounds, p, all[len(all)-1-min(len(all)*p/100, len(all)-1)].ms)
	}
	all = all[:max(1, len(all)/slowestShare)]
	for _, q := range all {
		fmt.Fprintf(os.Stderr, "%6.2f ms %4d bytes %s\n", q.ms, len(q.question), q.question)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	for range again {
		for _, q := range all {
			if err := s.searchTables(ctx, q.question); err != nil {
				return err
			}
		}
	}
	pprof.StopCPUProfile()
	return f.Close()
}

// answers writes for each question a line with its best tables and their scores, by
// which two programs can be compared.
func (s *served) answers(ctx context.Context, path string, asked []string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, question := range asked {
		found, err := s.findData.SearchTables(as(ctx), &findatav1.SearchTablesRequest{Source: sourceName, Query: question, PageSize: answersKept})
		if err != nil {
			return fmt.Errorf("%q: %w", question, err)
		}
		_, _ = w.WriteString(strings.ReplaceAll(question, "\n", " ")) // Flush tells of an error
		for _, t := range found.GetTables() {
			_, _ = fmt.Fprintf(w, "\t%s %.9g", t.GetEntryId(), t.GetScore())
		}
		_ = w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
