package findata

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/findata/answer"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// Locked tables: with findata.hidden_tables "lock" the name of a table that the
// asker may not read is told, with where to apply, where the question names it or
// has most words of its name. Nothing else of it is told, and nothing else finds it.

// maxLocked bounds the locked tables told with one answer; lockedShare is the share
// of a name's words that the question needs.
const (
	maxLocked   = 3
	lockedShare = 0.6
)

// addLocked adds the locked tables that the question speaks of.
func (w *search) addLocked(ctx context.Context) {
	if len(w.desk.locked) == 0 || ctx.Err() != nil {
		return
	}
	asked := make(map[string]bool)
	for _, term := range w.desk.volume.Corpus.Analyzer().Terms(w.question.Text) {
		asked[term] = true
	}
	type hit struct {
		table *catalog.Table
		share float64
	}
	var hits []hit
	for t := range w.desk.locked {
		if share := w.shareOfName(t, asked); share >= lockedShare || w.isNamed(t) {
			hits = append(hits, hit{t, share})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.table.Name.Key(), b.table.Name.Key()))
	})
	for _, h := range hits[:min(len(hits), maxLocked)] {
		bare := catalog.Table{Name: h.table.Name, RowCount: -1}
		w.result.Tables = append(w.result.Tables, answer.Shown{
			Chosen: filter.Chosen{Ranked: rank.Ranked{Table: &bare}}, Locked: true, ApplyHint: w.config().ApplyHint,
			Reasons: []string{w.say("locked")},
		})
	}
}

// shareOfName is the share of the words of a table's name that the question has.
func (w *search) shareOfName(t *catalog.Table, asked map[string]bool) float64 {
	words := w.desk.volume.Corpus.Analyzer().Terms(t.Name.Table)
	found := 0
	for _, word := range words {
		if asked[word] {
			found++
		}
	}
	return float64(found) / float64(max(1, len(words)))
}

// isNamed reports whether the request names a table that it does not find.
func (w *search) isNamed(t *catalog.Table) bool {
	return slices.ContainsFunc(w.question.Unknown, func(u preprocess.Unknown) bool {
		return strings.HasSuffix("."+t.Name.Key(), "."+strings.ToLower(strings.TrimPrefix(u.Name, "@")))
	})
}
