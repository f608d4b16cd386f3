package catalog

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/spelling"
)

// Bounds of the search for near names.
const (
	nearCandidates = 300  // names compared letter by letter, those with most trigrams in common
	nearLongest    = 128  // letters of a name that are compared
	nearSimilar    = 0.55 // least similarity, 0 to 1, of the table part to count as near
)

// nameGrams finds names by the trigrams of their last part.
type nameGrams struct {
	tables []*Table
	lists  map[string][]int32
}

func gramsOf(tables []*Table) *nameGrams {
	g := &nameGrams{tables: tables, lists: make(map[string][]int32)}
	for i, t := range tables {
		for _, gram := range trigrams(t.Name.Table) {
			g.lists[gram] = append(g.lists[gram], int32(i))
		}
	}
	return g
}

type nearName struct {
	table *Table
	score float64
}

// nearest ranks by likeness of the table part; equal schema and region break ties.
func (g *nameGrams) nearest(name Name, n int, visible func(*Table) bool) []*Table {
	asked := clip(strings.ToLower(name.Table))
	var found []nearName
	for _, t := range g.mostShared(asked, visible) {
		score := likeness(asked, clip(strings.ToLower(t.Name.Table)))
		if score < nearSimilar {
			continue
		}
		if name.Schema != "" && strings.EqualFold(name.Schema, t.Name.Schema) {
			score += 0.1
		}
		if name.Region != "" && strings.EqualFold(name.Region, t.Name.Region) {
			score += 0.05
		}
		found = append(found, nearName{t, score})
	}
	slices.SortStableFunc(found, func(a, b nearName) int { return cmp.Compare(b.score, a.score) })
	tables := make([]*Table, 0, min(n, len(found)))
	for _, f := range found[:min(n, len(found))] {
		tables = append(tables, f.table)
	}
	return tables
}

// mostShared returns the visible tables, nearCandidates at most, that have most trigrams of a
// name, those with equally many by name. What is hidden pushes nothing out.
func (g *nameGrams) mostShared(asked string, visible func(*Table) bool) []*Table {
	shared := make([]uint8, len(g.tables)) // a name has not more than nearLongest
	if len(shared) == 0 {
		return nil
	}
	for _, gram := range trigrams(asked) {
		for _, i := range g.lists[gram] {
			shared[i]++
		}
	}
	tables := make([]*Table, 0, nearCandidates)
	for n := slices.Max(shared); n > 0; n-- {
		for from := 0; ; from++ {
			at := bytes.IndexByte(shared[from:], n)
			if at < 0 {
				break
			}
			if len(tables) == nearCandidates {
				return tables
			}
			if from += at; visible(g.tables[from]) {
				tables = append(tables, g.tables[from])
			}
		}
	}
	return tables
}

// likeness is 1 for equal words and falls with the number of edits; a name that
// begins with the other one counts as near whatever its length.
func likeness(a, b string) float64 {
	longest := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	if longest == 0 {
		return 0
	}
	score := 1 - float64(spelling.Distance(a, b))/float64(longest)
	if shorter := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b)); shorter >= 4 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		score = max(score, 0.6+0.4*float64(shorter)/float64(longest))
	}
	return score
}

// trigrams returns the distinct runs of three bytes of a name in lower case, with
// its edges marked so that short names have some.
func trigrams(name string) []string {
	padded := "^" + clip(strings.ToLower(name)) + "$"
	var grams []string
	for i := 0; i+3 <= len(padded); i++ {
		grams = append(grams, padded[i:i+3])
	}
	slices.Sort(grams)
	return slices.Compact(grams)
}

func clip(s string) string { return s[:min(len(s), nearLongest)] }
