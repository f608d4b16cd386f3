package chatbi

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/cost"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// Codes of what makes the figures of an answer doubtful in the data themselves.
const (
	WarnRowsUnread   = "ROWS_UNREAD"   // lines of a file that are not among the rows
	WarnValuesUnread = "VALUES_UNREAD" // values of a file that are NULL
	// WarnValuesMissing says that a file wrote words for no value, or that rows without a
	// value are left out of a sum or an average.
	WarnValuesMissing = "VALUES_MISSING"
	WarnTextColumn    = "TEXT_COLUMN" // text that is used as if it were numbers or days
	// WarnSpellings says that groups are made of values of which some differ by nothing but case and blanks.
	WarnSpellings = "SPELLINGS"
	// WarnCurrencies says that amounts in several currencies are added up, compared or put in order as if they
	// were in one.
	WarnCurrencies = "CURRENCIES"
)

// maxDoubts bounds the warnings of one answer about the data.
const maxDoubts = 5

// maxCurrencies bounds the currencies that a warning lists.
const maxCurrencies = 8

// doubts gathers what the columns of a statement hold that it does not say.
type doubts struct {
	resolution *resolve.Resolution
	known      *catalogrpc.Excerpt
	words      *written.Words
	protected  bool
	say        func(key string, args map[string]string) string
	seen       map[string]bool
	list       []analyse.Warning
	grouped    map[resolve.Origin]bool // rows are grouped by
	single     map[resolve.Origin]bool // has one value in all reads
}

// warnDoubts says which values and rows of the files the figures leave out, and
// which texts the statement takes for numbers or days.
func (s *Service) warnDoubts(q Query, approved guard.Approved, known *catalogrpc.Excerpt, a *Answer) {
	d := doubts{
		resolution: approved.Asked(), known: known, words: s.words, protected: approved.Protected(), seen: map[string]bool{},
		say: func(key string, args map[string]string) string { return s.analyst.Sentence(q.Language, key, args) },
	}
	for _, name := range approved.Tables() {
		if t, ok := known.Lookup(name); ok && t.UnreadRows > 0 {
			d.warn(WarnRowsUnread, "rows_unread", map[string]string{"table": t.Name.Table, "n": strconv.FormatInt(t.UnreadRows, 10)})
		}
	}
	d.separated()
	computed := d.computed()
	for _, use := range lineage.Of(approved.Asked()).Uses {
		c, ok := d.column(use.Column)
		if !ok {
			continue
		}
		t, _ := known.Lookup(use.Column.Table)
		if computed[use.Column] {
			d.currencies(use.Column)
		}
		switch {
		case computed[use.Column] && c.Unread+c.Absent > 0 && c.Missing > 0 && t.RowCount > 0:
			d.warn(WarnValuesMissing, "rows_missing", map[string]string{
				"column": c.Name, "table": t.Name.Table, "n": strconv.FormatInt(c.Missing, 10), "rows": strconv.FormatInt(t.RowCount, 10),
			})
		case c.Absent > 0:
			d.warn(WarnValuesMissing, "values_absent", map[string]string{"column": c.Name, "n": strconv.FormatInt(c.Absent, 10)})
		}
		if c.Unread > 0 {
			d.warn(WarnValuesUnread, "values_unread", map[string]string{"column": c.Name, "n": strconv.FormatInt(c.Unread, 10)})
		}
		if c.Resembles != "" {
			d.warn(WarnTextColumn, "text_like_"+c.Resembles, map[string]string{"column": c.Name})
		}
	}
	tree.Walk(approved.Asked().Statement(), func(n tree.Node) bool {
		if s, ok := n.(*tree.Select); ok && s.GroupBy != nil {
			d.spellings(s)
		}
		d.node(n)
		return true
	})
	a.Analysis.Warnings = append(a.Analysis.Warnings, d.list...)
}

// computed are the columns whose values sums, averages and their like are made of.
func (d *doubts) computed() map[resolve.Origin]bool {
	found := map[resolve.Origin]bool{}
	tree.Walk(d.resolution.Statement(), func(n tree.Node) bool {
		call, ok := n.(*tree.Call)
		if !ok || !aggregates(call.Name.Key()) {
			return true
		}
		for _, arg := range call.Args {
			tree.Walk(arg, func(n tree.Node) bool {
				if ref, ok := n.(*tree.ColumnRef); ok {
					for _, o := range d.resolution.Origins(ref) {
						found[o] = true
					}
				}
				return true
			})
		}
		return true
	})
	return found
}

// aggregates reports functions over all values of a column to which a missing one adds
// nothing.
func aggregates(function string) bool {
	switch function {
	case "sum", "avg", "stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", "approx_percentile", "geometric_mean":
		return true
	}
	return false
}

// warn adds a warning once. How many values there are is not for whoever may not
// see all rows.
func (d *doubts) warn(code, key string, args map[string]string) {
	if d.protected && args["n"] != "" {
		key += "_some"
	}
	message, about := d.say(key, args), code+"\x00"+args["table"]+"\x00"+args["column"]
	if d.seen[about] || len(d.list) >= maxDoubts {
		return
	}
	d.seen[about] = true
	d.list = append(d.list, analyse.Warning{Code: code, Message: message})
}

func (d *doubts) column(o resolve.Origin) (catalog.Column, bool) {
	t, ok := d.known.Lookup(o.Table)
	if !ok {
		return catalog.Column{}, false
	}
	return t.Column(o.Column)
}

// node looks for texts that are read as numbers or days, and for texts of digits
// that are compared or ordered letter by letter.
func (d *doubts) node(n tree.Node) {
	switch n := n.(type) {
	case *tree.Cast:
		if n.Try && (semantic.IsNumber(n.Type.Text) || semantic.IsTime(n.Type.Text)) {
			d.each(n.X, func(c catalog.Column) {
				if !d.allRead(c) {
					d.warn(WarnTextColumn, "text_cast", map[string]string{"column": c.Name, "type": n.Type.Text})
				}
			})
		}
	case *tree.SortItem:
		d.ordered(n.Expr)
	case *tree.Between:
		d.ordered(n.X)
	case *tree.Binary:
		switch n.Op {
		case tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe:
			d.ordered(n.Left)
			d.ordered(n.Right)
		}
	case *tree.Call:
		if name := n.Name.Key(); (name == "min" || name == "max") && len(n.Args) > 0 {
			d.ordered(n.Args[0])
		}
	}
}

// spellings tells of the columns that rows are grouped by which of their values are written in several ways.
func (d *doubts) spellings(s *tree.Select) {
	tree.Walk(s.GroupBy, func(n tree.Node) bool {
		if x, ok := n.(tree.Expr); ok {
			d.each(x, func(c catalog.Column) {
				if a, b, ok := catalog.Spellings(c.Samples); ok && c.Personal == nil {
					d.warn(WarnSpellings, "spellings", map[string]string{"column": c.Name, "a": a, "b": b})
				}
			})
			return false // "lower(method)" is another value
		}
		return true
	})
}

// each hands over the text columns that an expression is: itself, or what is cast.
func (d *doubts) each(x tree.Expr, do func(catalog.Column)) {
	for _, o := range d.origins(x) {
		if c, ok := d.column(o); ok && semantic.IsText(c.Type) {
			do(c)
		}
	}
}

// origins are the stored columns that an expression is.
func (d *doubts) origins(x tree.Expr) []resolve.Origin {
	if p, ok := x.(*tree.Paren); ok {
		x = p.X
	}
	ref, ok := x.(*tree.ColumnRef)
	if !ok {
		return nil
	}
	return d.resolution.Origins(ref)
}

// ordered tells of what is compared or put in order by size: texts of numbers, and amounts in several currencies.
func (d *doubts) ordered(x tree.Expr) {
	d.each(x, func(c catalog.Column) {
		if numbersOfSeveralLengths(d.words, c.Samples) {
			d.warn(WarnTextColumn, "text_like_number", map[string]string{"column": c.Name})
		}
	})
	for _, o := range d.origins(x) {
		d.currencies(o)
	}
}

// currencies tells of a column of amounts that it is in several currencies, unless rows are grouped by the column
// that tells them, or one of them is asked for.
func (d *doubts) currencies(amount resolve.Origin) {
	t, ok := d.known.Lookup(amount.Table)
	c, found := d.column(amount)
	if !ok || !found {
		return
	}
	told := semantic.CurrencyColumn(d.words, t, &c)
	if told == nil || told.Distinct == 1 && told.Missing == 0 {
		return
	}
	if o := (resolve.Origin{Table: amount.Table, Column: told.Name}); d.grouped[o] || d.single[o] {
		return
	}
	key, args := "currencies", map[string]string{"column": c.Name, "currency": told.Name, "values": strings.Join(told.Samples[:min(len(told.Samples), maxCurrencies)], ", ")}
	if d.protected || len(told.Samples) == 0 {
		key = "currencies_some"
	}
	d.warn(WarnCurrencies, key, args)
}

// separated notes by which columns the statement groups rows, and of which it reads one value only.
func (d *doubts) separated() {
	d.grouped, d.single = map[resolve.Origin]bool{}, map[resolve.Origin]bool{}
	tree.Walk(d.resolution.Statement(), func(n tree.Node) bool {
		if s, ok := n.(*tree.Select); ok && s.GroupBy != nil {
			tree.Walk(s.GroupBy, func(n tree.Node) bool {
				if x, ok := n.(tree.Expr); ok {
					for _, o := range d.origins(x) {
						d.grouped[o] = true
					}
				}
				return true
			})
		}
		return true
	})
	several := map[resolve.Origin]bool{}
	for _, read := range cost.Reads(d.resolution, cost.Options{}) {
		for i := range read.Table.Columns {
			o := resolve.Origin{Table: read.Table.Name, Column: read.Table.Columns[i].Name}
			n, points := read.Domain(o.Column).Points()
			d.single[o] = points && n <= 1 && !several[o]
			several[o] = !d.single[o]
		}
	}
}

// allRead reports that all values of a text column are known, and that each of them
// can be cast: then the cast leaves nothing out.
func (d *doubts) allRead(c catalog.Column) bool {
	if c.Distinct == 0 || int64(len(c.Samples)) < c.Distinct {
		return false
	}
	for _, v := range c.Samples {
		if _, err := strconv.ParseFloat(v, 64); err == nil {
			continue
		}
		if m, ok := d.words.ReadMoment(v); !ok || m.Form != written.FormYearFirst {
			return false
		}
	}
	return true
}

// numbersOfSeveralLengths reports values that are numbers all, of which letters give
// another order than size does.
func numbersOfSeveralLengths(words *written.Words, values []string) bool {
	lengths := map[int]bool{}
	for _, v := range values {
		if _, ok := words.ReadNumber(v); !ok {
			return false
		}
		whole, _, _ := strings.Cut(v, ".")
		lengths[len(whole)] = true
	}
	return len(lengths) > 1
}
