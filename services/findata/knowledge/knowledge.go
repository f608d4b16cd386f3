// Package knowledge asks the knowledge bases beside the tables: documents of the
// data marts and the glossary (pages.go over what the catalog holds), folders of
// Markdown files (folder.go), and whatever else implements Base. All are asked at
// the same time, each with a deadline; one that fails is told as missing.
package knowledge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
)

// Query is what a knowledge base is asked.
type Query struct {
	Text     string
	Language lang.Language
	Limit    int // passages at most
	// May says whether the asker may read a text: one that speaks of what is hidden
	// from them is not found. nil: they may read everything.
	May func(text string) bool
}

// Base is a knowledge base. It may be used concurrently.
type Base interface {
	Name() string
	// Search returns at most q.Limit passages, best first. It ends with ctx.
	Search(ctx context.Context, q Query) ([]Passage, error)
}

// Passage is a part of a document that fits a question.
type Passage struct {
	Base    string // name of the knowledge base
	ID      string
	Title   string
	Text    string
	Score   float64 // share of the question's words, by rarity, that it has: 0 to 1
	Reasons []string
}

// Missing is a knowledge base that did not answer.
type Missing struct{ Name, Reason string }

// Found is what came of asking.
type Found struct {
	Passages []Passage // best first
	Missing  []Missing // by name
}

// Ask asks the bases whose names are wanted (none: all) at the same time and waits
// for each at most so long. failed is told the errors, for a log.
func Ask(ctx context.Context, bases []Base, wanted []string, q Query, wait time.Duration, failed func(base string, err error)) Found {
	var found Found
	for _, name := range wanted {
		if !slices.ContainsFunc(bases, func(b Base) bool { return b.Name() == name }) {
			found.Missing = append(found.Missing, Missing{name, q.Language.Pick("there is no such knowledge base", "没有该知识库")})
		}
	}
	asked := slices.DeleteFunc(slices.Clone(bases), func(b Base) bool { return len(wanted) > 0 && !slices.Contains(wanted, b.Name()) })
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	type answer struct {
		base     string
		passages []Passage
		err      error
	}
	answers := make(chan answer, len(asked)) // a base that comes too late ends all the same
	for _, b := range asked {
		go func() {
			passages, err := search(ctx, b, q)
			answers <- answer{b.Name(), passages, err}
		}()
	}
	open := make(map[string]bool, len(asked))
	for _, b := range asked {
		open[b.Name()] = true
	}
	for len(open) > 0 {
		select {
		case a := <-answers:
			delete(open, a.base)
			if a.err != nil {
				found.Missing = append(found.Missing, Missing{a.base, reasonOf(a.err, q.Language)})
				failed(a.base, a.err)
				continue
			}
			found.Passages = append(found.Passages, a.passages...)
		case <-ctx.Done():
			for name := range open {
				found.Missing = append(found.Missing, Missing{name, late(q.Language)})
			}
			clear(open)
		}
	}
	found.sort(q.Limit)
	return found
}

// search asks one base; a panic of it is its failure and not the process's.
func search(ctx context.Context, b Base, q Query) (passages []Passage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("knowledge base %s: %v", b.Name(), p)
		}
	}()
	return b.Search(ctx, q)
}

func reasonOf(err error, l lang.Language) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return late(l)
	}
	return l.Pick("it failed", "查询失败")
}

func late(l lang.Language) string { return l.Pick("it took too long", "响应超时") }

// sort orders what was found, whichever base was faster.
func (f *Found) sort(limit int) {
	slices.SortStableFunc(f.Missing, func(a, b Missing) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(f.Passages, func(a, b Passage) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Base, b.Base), cmp.Compare(a.ID, b.ID))
	})
	f.Passages = f.Passages[:min(len(f.Passages), limit)]
}
