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
	number map[gram]int32
	start  []uint32 // of a trigram's tables; one more than there are trigrams
	list   []int32
}

func gramsOf(tables []*Table) *nameGrams {
	g := &nameGrams{tables: tables, number: make(map[gram]int32), start: []uint32{0}}
	var room []gram
	var found []int32 // trigrams of all tables, by number
	ends := make([]int, 0, len(tables))
	for _, t := range tables {
		room = trigrams(t.Name.Table, room)
		for _, one := range room {
			n, known := g.number[one]
			if !known {
				n = int32(len(g.number))
				g.number[one] = n
				g.start = append(g.start, 0)
			}
			g.start[n+1]++
			found = append(found, n)
		}
		ends = append(ends, len(found))
	}
	for n := 1; n < len(g.start); n++ {
		g.start[n] += g.start[n-1]
	}
	g.list = make([]int32, len(found))
	next := slices.Clone(g.start)
	from := 0
	for i, end := range ends {
		for _, n := range found[from:end] {
			g.list[next[n]] = int32(i)
			next[n]++
		}
		from = end
	}
	return g
}

// of returns the tables whose names have a trigram.
func (g *nameGrams) of(one gram) []int32 {
	n, known := g.number[one]
	if !known {
		return nil
	}
	return g.list[g.start[n]:g.start[n+1]]
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
	for _, one := range trigrams(asked, nil) {
		for _, i := range g.of(one) {
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

// gram is a run of three bytes.
type gram uint32

// trigrams returns the distinct runs of three bytes of a name in lower case, with
// its edges marked so that short names have some; in the place of what is in room.
func trigrams(name string, room []gram) []gram {
	padded := "^" + clip(strings.ToLower(name)) + "$"
	grams := room[:0]
	for i := 0; i+3 <= len(padded); i++ {
		grams = append(grams, gram(padded[i])<<16|gram(padded[i+1])<<8|gram(padded[i+2]))
	}
	slices.Sort(grams)
	return slices.Compact(grams)
}

func clip(s string) string { return s[:min(len(s), nearLongest)] }
