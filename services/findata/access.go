package findata

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// desk is a source as one asker sees it. Everything that leaves the service goes
// through its view and its clean methods.
type desk struct {
	*sight
	source  string
	release func()
}

// open returns the source, the default one for "". The caller releases it. With a
// policy that cannot be read nothing is opened.
func (s *Service) open(ctx context.Context, source string) (*desk, error) {
	if source == "" {
		source = s.config().DefaultSource
	}
	rules, err := s.deps.Policy.Current()
	if err != nil {
		return nil, err
	}
	v, release, err := s.library.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	asker := run.From(ctx).Principal
	return &desk{sight: s.sightOf(asker, v, rules.For(asker, source)), source: source, release: release}, nil
}

// visible returns a table without the columns, stored values and figures that the
// asker may not see; the table itself where that is nothing.
func (d *desk) visible(t *catalog.Table) *catalog.Table {
	if shown, ok := d.less[t]; ok {
		return shown
	}
	return t
}

// readable is visible with texts that do not speak of what is left out.
func (d *desk) readable(t *catalog.Table) *catalog.Table {
	if d.visible(t) == t {
		return t
	}
	clean := d.table(t)
	return &clean
}

// table returns a copy that speaks of no table and no column that the asker may
// not see.
func (d *desk) table(t *catalog.Table) catalog.Table {
	if d.view.Everything() {
		return *d.visible(t)
	}
	if d.cleaned == nil || !d.key.cacheable() {
		return d.clean(t)
	}
	key := cleanedKey{sight: d.key, table: t.Name.Key()}
	have, ok := d.cleaned.Get(key)
	if !ok {
		have = d.clean(t)
		d.cleaned.Put(key, have)
	}
	return have
}

// clean is table without the cache.
func (d *desk) clean(t *catalog.Table) catalog.Table {
	shown := d.visible(t)
	out := *shown
	out.ForeignKeys = nil
	for _, k := range shown.ForeignKeys {
		ref, ok := d.view.Lookup(k.RefTable)
		if ok && !slices.ContainsFunc(k.RefColumns, func(name string) bool { _, known := d.visible(ref).Column(name); return !known }) {
			out.ForeignKeys = append(out.ForeignKeys, k)
		}
	}
	out.Upstream = d.seen(shown.Upstream)
	out.Usage = d.usage(shown)
	if n, err := catalog.ParseName(t.Successor); err == nil {
		if _, ok := d.view.Lookup(n); !ok {
			out.Successor = ""
		}
	}
	clean := func(s string) string { return d.text(withoutColumns(s, t, shown)) }
	out.Description = clean(t.Description)
	out.Grain = clean(t.Grain)
	out.Columns = slices.Clone(shown.Columns)
	for i := range out.Columns {
		out.Columns[i].Comment = clean(out.Columns[i].Comment)
	}
	return out
}

// seen are those of the names that the asker may see.
func (d *desk) seen(names []catalog.Name) []catalog.Name {
	var out []catalog.Name
	for _, n := range names {
		if _, ok := d.view.Lookup(n); ok {
			out = append(out, n)
		}
	}
	return out
}

// usage returns what the history says of a table's columns and joins that the
// asker may see.
func (d *desk) usage(shown *catalog.Table) *catalog.Usage {
	if shown.Usage == nil {
		return nil
	}
	lacks := func(t *catalog.Table, columns []string) bool {
		return slices.ContainsFunc(columns, func(name string) bool { _, known := t.Column(name); return !known })
	}
	out := *shown.Usage
	out.Columns = slices.DeleteFunc(slices.Clone(out.Columns), func(c catalog.ColumnUse) bool { return lacks(shown, []string{c.Column}) })
	out.Joins = slices.DeleteFunc(slices.Clone(out.Joins), func(j catalog.Join) bool {
		other, ok := d.view.Lookup(j.Table)
		return !ok || lacks(shown, j.Columns) || lacks(d.visible(other), j.RefColumns)
	})
	unseen := func(r catalog.Read) bool {
		t, ok := d.view.Lookup(r.Table)
		return !ok || lacks(d.visible(t), r.Columns)
	}
	out.Templates = slices.DeleteFunc(slices.Clone(out.Templates), func(t catalog.Template) bool { return slices.ContainsFunc(t.Reads, unseen) })
	out.Words = slices.DeleteFunc(slices.Clone(out.Words), func(w catalog.Word) bool { return slices.ContainsFunc(w.Reads, unseen) })
	return &out
}

// withoutColumns replaces the names of the columns that shown lacks.
func withoutColumns(s string, t, shown *catalog.Table) string {
	if len(t.Columns) == len(shown.Columns) || s == "" {
		return s
	}
	return words.ReplaceAllStringFunc(s, func(word string) string {
		_, stored := t.Column(word)
		if _, visible := shown.Column(word); stored && !visible {
			return "…"
		}
		return word
	})
}

// words are what may be the name of a column.
var words = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// identifiers are words that can only be names: with an underscore.
var identifiers = regexp.MustCompile(`[A-Za-z0-9]*_[A-Za-z0-9_]*`)

// text replaces the names of hidden tables and columns. Names that are plain words
// stay: they are words of the language first.
func (d *desk) text(s string) string {
	if d.view.Everything() && len(d.less) == 0 || !strings.Contains(s, "_") {
		return s
	}
	secrets := d.secrets()
	return identifiers.ReplaceAllStringFunc(s, func(word string) string {
		if d.view.Hides(word) || secrets[strings.ToLower(word)] {
			return "…"
		}
		return word
	})
}

// glossary returns terms and rules of the marts that exist for the asker, of one
// of them where mart is set.
func (d *desk) glossary(mart string) (terms []catalog.Term, rules []catalog.Rule) {
	_, count := d.marts()
	shown := func(of string) bool {
		return (of == "" || count[of] > 0) && (mart == "" || of == "" || strings.EqualFold(of, mart))
	}
	snapshot := d.volume.Index.Snapshot()
	for _, t := range snapshot.Glossary {
		if shown(t.Mart) {
			t.Definition = d.text(t.Definition)
			terms = append(terms, t)
		}
	}
	for _, r := range snapshot.Rules {
		if shown(r.Mart) {
			r.Text = d.text(r.Text)
			rules = append(rules, r)
		}
	}
	return terms, rules
}

// requireAdmin guards what concerns all askers.
func requireAdmin(ctx context.Context, doing string) error {
	if run.From(ctx).Principal.Admin {
		return nil
	}
	return fault.New(codes.PermissionDenied, "ADMIN_ONLY", "only an administrator may "+doing+": ask one, or use a token with the admin right")
}
