// Package filter turns ranked tables into what is shown: near-identical tables
// become one with its variants listed, the country decides which variant,
// deprecated tables bring their successor, and neighbours by key come along.
package filter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
	"github.com/dibrain/dibrain/services/findata/country"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// Chosen is a table that is shown.
type Chosen struct {
	rank.Ranked
	// Variants are the other tables of its family.
	Variants []catalog.Name
	// Named: the request named it.
	Named bool
	// Country is the country that decided between variants, ByUser where it is
	// the asker's and not the question's.
	Country string
	ByUser  bool
	// Facets are those that the question asks for and the table has.
	Facets []facet.Value
	// JoinedWith is set for a neighbour: the table that it is joined with, by Key.
	JoinedWith catalog.Name
	Key        string
	// JoinedBy is the number of queries that joined them; 0: a foreign key says so.
	JoinedBy int64
	// Replaces is set for a successor: the deprecated table.
	Replaces catalog.Name
	// Instead is set where a rule put the table in the place of this one.
	Instead catalog.Name
}

// Folder makes the choice for one question.
type Folder struct {
	View *catalog.View
	// Visible returns a table without what the asker may not see of it.
	Visible   func(*catalog.Table) *catalog.Table
	Countries *country.Coverage
	// Corpus tells which of near twins the question wants.
	Corpus   *retrieval.Corpus
	Question *preprocess.Question
	Region   string // of the source's defaults: breaks ties between data centres
	// Rules are the installation's own for the question.
	Rules Applied
	// MaxVariants bounds the variants listed with a table.
	MaxVariants int
	// MaxSpread is how many tables of one family are shown so that they cover all
	// countries asked for.
	MaxSpread int

	twins *retrieval.Twins // of the question, when it is first needed
}

// Keep says whether a table can answer for the question's countries at all.
func (f *Folder) Keep(t *catalog.Table) bool {
	if !f.View.Visible(t) || f.Rules.Hides(t) {
		return false
	}
	if len(f.Question.Countries) == 0 {
		return true
	}
	return slices.ContainsFunc(f.Question.Countries, func(code string) bool { return f.Countries.Covers(t, code) })
}

// Named chooses among the tables that a name of the question may mean. A near twin that
// is meant comes before the table that has the name.
func (f *Folder) Named(n preprocess.Named) []Chosen {
	named := []Chosen{{Ranked: rank.Ranked{Table: n.Tables[0]}, Variants: f.others(n.Tables[0], n.Tables[:1])}}
	if len(n.Tables) > 1 {
		named = f.variants(rank.Ranked{Table: n.Tables[0]}, n.Tables)
	}
	var twins []Chosen
	for i := range named {
		named[i].Named = true
		if twin := f.meant(n, named[i].Table); twin != nil {
			shown := []*catalog.Table{twin, named[i].Table}
			named[i].Variants = f.others(named[i].Table, shown)
			twins = append(twins, Chosen{Ranked: rank.Ranked{Table: twin}, Variants: f.others(twin, shown), Facets: f.readTwins().Met(twin)})
		}
	}
	return append(twins, named...)
}

// meant returns the near twin of a named table that the question asks for in other
// words: of "orders ... for Brazil" orders_br, where the name stands for all of them. nil:
// the table itself is meant, as one is whose name is written with its schema or with marks
// of its own, or that the question asks about instead of its data.
func (f *Folder) meant(n preprocess.Named, named *catalog.Table) *catalog.Table {
	if !n.Loose || f.Question.Intent != preprocess.IntentNone || !f.Corpus.Index().Marks(named).Plain() {
		return nil
	}
	twin := f.readTwins().Best(named)
	if twin == named || !f.Keep(twin) || len(f.readTwins().Met(twin)) == 0 {
		return nil
	}
	return twin
}

// Fold chooses from ranked tables, at most limit, best first, leaving out what
// have holds already.
func (f *Folder) Fold(ranked []rank.Ranked, have []Chosen, limit int) []Chosen {
	var out []Chosen
	seen := make(map[*catalog.Table]bool)
	for _, h := range have {
		f.mark(seen, h.Table)
	}
	for _, r := range ranked {
		if len(out) >= limit {
			break
		}
		if seen[r.Table] {
			continue
		}
		f.mark(seen, r.Table)
		for _, c := range f.variants(r, f.offered(r.Table)) {
			if other, ok := f.instead(c.Table); ok {
				if !seen[other] {
					f.mark(seen, other)
					out = append(out, Chosen{Ranked: rank.Ranked{Table: other, Score: c.Score, Parts: c.Parts, Coverage: c.Coverage}, Instead: c.Table.Name})
				}
				continue
			}
			if successor := f.successor(c.Table); successor != nil && !seen[successor] {
				f.mark(seen, successor)
				out = append(out, Chosen{Ranked: rank.Ranked{Table: successor, Score: c.Score, Parts: c.Parts, Coverage: c.Coverage}, Replaces: c.Table.Name})
			}
			out = append(out, c)
		}
	}
	return out[:min(len(out), max(limit, f.MaxSpread))]
}

// offered are the tables of a family that no rule hides.
func (f *Folder) offered(t *catalog.Table) []*catalog.Table {
	family := f.View.Family(t)
	if f.Rules.none() {
		return family
	}
	return slices.DeleteFunc(slices.Clone(family), func(twin *catalog.Table) bool { return twin != t && f.Rules.Hides(twin) })
}

// instead returns the table that a rule puts in the place of one, where the asker sees
// it.
func (f *Folder) instead(t *catalog.Table) (*catalog.Table, bool) {
	name, ok := f.Rules.Instead(t)
	if !ok {
		return nil, false
	}
	other, ok := f.View.Lookup(name)
	return other, ok && other != t
}

func (f *Folder) mark(seen map[*catalog.Table]bool, t *catalog.Table) {
	seen[t] = true
	for _, v := range f.View.Family(t) {
		seen[v] = true
	}
}

func (f *Folder) successor(t *catalog.Table) *catalog.Table {
	if t.Successor == "" {
		return nil
	}
	name, err := catalog.ParseName(t.Successor)
	if err != nil {
		return nil
	}
	s, ok := f.View.Lookup(name)
	if !ok {
		return nil
	}
	return s
}

// variants chooses from a family: the fewest tables that cover the countries of
// the question, else the asker's country, each time the one whose facets fit best,
// and of those that fit alike the one used most.
func (f *Folder) variants(r rank.Ranked, family []*catalog.Table) []Chosen {
	q := f.Question
	var chosen []Chosen
	pick := func(t *catalog.Table, code string, byUser bool) {
		if !slices.ContainsFunc(chosen, func(c Chosen) bool { return c.Table == t }) {
			one := r
			one.Table = t
			chosen = append(chosen, Chosen{Ranked: one, Country: code, ByUser: byUser})
		}
	}
	wanted := q.Countries
	if q.Every {
		wanted = f.spread(family)
	}
	for _, code := range wanted {
		if t := f.best(family, code); t != nil {
			pick(t, code, false)
		}
	}
	if len(chosen) == 0 && q.Region != "" {
		if t := f.best(family, q.Region); t != nil {
			pick(t, q.Region, true)
		}
	}
	if len(chosen) == 0 {
		pick(f.best(family, ""), "", false)
	}
	var tables []*catalog.Table
	for _, c := range chosen {
		tables = append(tables, c.Table)
	}
	for i := range chosen {
		if q.Every || len(f.Countries.Of(chosen[i].Table)) == 0 || len(family) == 1 {
			chosen[i].Country = "" // nothing was decided by it
		}
		chosen[i].Variants = f.others(chosen[i].Table, tables)
		chosen[i].Facets = f.readTwins().Met(chosen[i].Table)
	}
	return chosen
}

// spread returns all countries of a family when few tables cover them; where it
// takes many, one stands for the family and the others are its variants.
func (f *Folder) spread(family []*catalog.Table) []string {
	if len(family) > f.MaxSpread {
		return nil
	}
	var codes []string
	for _, t := range family {
		codes = append(codes, f.Countries.Of(t)...)
	}
	return codes
}

// best returns the table of a family that covers a country (any for ""): the one
// that fits best, of equals the one most used, of these one of the default region;
// nil when none does.
func (f *Folder) best(family []*catalog.Table, code string) *catalog.Table {
	var best *catalog.Table
	for _, t := range family {
		if code != "" && !f.Countries.Covers(t, code) {
			continue
		}
		if best == nil || f.compare(t, best) < 0 {
			best = t
		}
	}
	return best
}

// compare orders two tables of a family, the better one first.
func (f *Folder) compare(a, b *catalog.Table) int {
	twins := f.readTwins()
	return cmp.Or(
		cmp.Compare(twins.Fit(b), twins.Fit(a)), cmp.Compare(b.QueryCount30d, a.QueryCount30d), twins.Compare(a, b),
		cmp.Compare(f.awayFromHome(a), f.awayFromHome(b)),
	)
}

func (f *Folder) readTwins() *retrieval.Twins {
	if f.twins == nil {
		f.twins = f.Corpus.Twins(f.Question.Query, f.View.Visible)
	}
	return f.twins
}

func (f *Folder) awayFromHome(t *catalog.Table) int {
	if strings.EqualFold(t.Name.Region, f.Region) {
		return 0
	}
	return 1
}

func (f *Folder) others(t *catalog.Table, shown []*catalog.Table) []catalog.Name {
	var names []catalog.Name
	for _, v := range f.View.Family(t) {
		if !slices.Contains(shown, v) && v != t {
			names = append(names, v.Name)
		}
		if len(names) == f.MaxVariants {
			break
		}
	}
	return names
}
