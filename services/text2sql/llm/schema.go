package llm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// detail is how much is told of a table.
type detail struct {
	columns, samples, runes int
	personal                bool // values of columns with data of persons, too
}

// details from much to little: the first that fits is taken.
var details = [...]detail{
	{columns: 120, samples: 6, runes: 200}, {columns: 80, samples: 5, runes: 120}, {columns: 50, samples: 4, runes: 80},
	{columns: 30, samples: 3, runes: 60}, {columns: 20, samples: 2}, {columns: 12},
}

// schema tells the tables of a task in a compact form, a line a column: type, key,
// comment, stored values, and how tables join. must are names of tables that are
// among them in any case. What does not fit is left out: details, then the tables that
// fit the question least. The order is that of names: what an endpoint remembers of the
// beginning of a request holds for the next question too.
func (d *desk) schema(task *team.Task, must []string) string {
	asked := wordsOf(task.Question)
	return d.tell(d.chosen(task, asked, must), asked)
}

// schemaOf tells the named tables alone; all where none of the names is known.
func (d *desk) schemaOf(task *team.Task, names []string) string {
	asked := wordsOf(task.Question)
	entries := slices.DeleteFunc(fold(task.Tables), func(e *entry) bool { return !e.isAny(names) })
	if len(entries) == 0 {
		entries = d.chosen(task, asked, nil)
	}
	return d.tell(entries, asked)
}

// tell writes tables, best first as they are given, with as much detail as fits.
func (d *desk) tell(entries []*entry, asked map[string]bool) string {
	told := map[string]bool{}
	for _, e := range entries {
		for _, t := range e.members {
			told[t.Name.Key()] = true
		}
	}
	for n := len(entries); n > 0; n = n * 2 / 3 {
		list := slices.Clone(entries[:n])
		slices.SortFunc(list, func(a, b *entry) int { return cmp.Compare(a.name, b.name) })
		for _, much := range details {
			if d.cfg.Samples == SamplesOff {
				much.samples = 0
			}
			much.personal = d.cfg.Personal == SamplesOn
			var b strings.Builder
			for _, e := range list {
				describe(&b, e, much, asked, told)
			}
			if chat.EstimateTokens(b.String()) <= d.cfg.MaxSchemaTokens {
				return b.String()
			}
		}
	}
	return ""
}

// chosen are the tables to tell: all where they are few; else those that the rules read,
// those that the words of the question fit best, and those that these point to.
func (d *desk) chosen(task *team.Task, asked map[string]bool, must []string) []*entry {
	all := fold(task.Tables)
	if len(all) <= d.cfg.MaxTables {
		return all
	}
	score := map[*entry]float64{}
	for i, e := range all {
		score[e] = fit(e.Table, asked) + 1/float64(i+2) // tables come best first
		if e.isAny(must) {
			score[e] += 100
		}
	}
	slices.SortStableFunc(all, func(a, b *entry) int { return cmp.Compare(score[b], score[a]) })
	best := all[:d.cfg.MaxTables*4/5]
	out := slices.Clone(best)
	add := func(name catalog.Name) {
		for _, e := range all {
			if e.has(name) && !slices.Contains(out, e) && len(out) < d.cfg.MaxTables {
				out = append(out, e)
			}
		}
	}
	for _, e := range best {
		for _, k := range e.ForeignKeys {
			add(k.RefTable)
		}
	}
	for _, e := range all {
		add(e.Name)
	}
	return out
}

// Weights of where a word of the question is found. Names tell more than texts.
const (
	weightTable  = 3.0
	weightColumn = 1.0
	weightText   = 0.5
	weightValue  = 2.0
)

// fit says how well a table fits the words of a question.
func fit(t *catalog.Table, asked map[string]bool) float64 {
	score := weightTable*overlap(t.Name.Table, asked) + weightText*overlap(t.Description, asked)
	for i := range t.Columns {
		c := &t.Columns[i]
		score += weightColumn*min(1, overlap(c.Name, asked)) + weightText*min(1, overlap(c.Comment, asked))
		if slices.ContainsFunc(c.Samples, func(s string) bool { return asked[strings.ToLower(s)] }) {
			score += weightValue
		}
	}
	return score
}

// overlap counts the words of a text that are asked for.
func overlap(s string, asked map[string]bool) float64 {
	n := 0.0
	for w := range wordsOf(s) {
		if asked[w] {
			n++
		}
	}
	return n
}

// describe writes one table.
func describe(b *strings.Builder, e *entry, much detail, asked, told map[string]bool) {
	t := e.Table
	var facts []string
	if n := len(e.members); n > 1 {
		b.WriteString("tables " + e.name)
		facts = append(facts, fmt.Sprintf("%d tables of the same columns", n))
	} else {
		b.WriteString("table " + e.name)
	}
	if much.runes > 0 {
		if about := lang.Shorten(text(t.Description), much.runes); about != "" {
			facts = append(facts, about)
		}
		if t.Grain != "" {
			facts = append(facts, "one row: "+lang.Shorten(text(t.Grain), much.runes))
		}
	}
	if t.RowCount > 0 {
		facts = append(facts, fmt.Sprintf("%d rows", t.RowCount))
	}
	if len(facts) > 0 {
		b.WriteString(" -- " + strings.Join(facts, "; "))
	}
	b.WriteByte('\n')
	shown, left := shownColumns(t, much.columns, asked)
	for _, l := range shown {
		if len(l.columns) > 1 {
			fmt.Fprintf(b, "  %s %s -- %d columns, one for each choice\n", l.name, l.columns[0].Type, len(l.columns))
			continue
		}
		describeColumn(b, t, l.columns[0], much, asked)
	}
	if left > 0 {
		fmt.Fprintf(b, "  (%d further columns)\n", left)
	}
	for _, k := range t.ForeignKeys {
		if !told[k.RefTable.Key()] { // not of tables that it does not know
			continue
		}
		fmt.Fprintf(b, "  join: %s = %s\n", strings.Join(idents(k.Columns), ", "), refer(k))
	}
}

// sqlName is a table's name as SQL has it, with quotes where it needs them.
func sqlName(n catalog.Name) string {
	return strings.Join(idents(slices.DeleteFunc([]string{n.Region, n.Schema, n.Table}, func(s string) bool { return s == "" })), ".")
}

func idents(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = printer.Ident(n)
	}
	return out
}

// refer names the columns that a key points to.
func refer(k catalog.ForeignKey) string {
	columns := make([]string, len(k.RefColumns))
	for i, c := range k.RefColumns {
		columns[i] = sqlName(k.RefTable) + "." + printer.Ident(c)
	}
	return strings.Join(columns, ", ")
}

// shownColumns are the lines of columns to tell, in stored order, and how many columns are
// left out: keys and partitions stay, then those that fit the question, then the first.
func shownColumns(t *catalog.Table, most int, asked map[string]bool) (shown []line, left int) {
	all := lines(t)
	if len(all) <= most {
		return all, 0
	}
	weight := func(l line) float64 {
		w := 0.0
		for _, c := range l.columns {
			fits := overlap(c.Name, asked) + weightText*overlap(c.Comment, asked)
			if slices.ContainsFunc(c.Samples, func(s string) bool { return isNamed(s, asked) }) {
				fits += weightValue
			}
			if c.PrimaryKey || c.Partition || joins(t, c) {
				fits += 100
			}
			w = max(w, fits)
		}
		return w
	}
	best := slices.Clone(all)
	slices.SortStableFunc(best, func(a, b line) int { return cmp.Compare(weight(b), weight(a)) })
	for _, l := range best[most:] {
		left += len(l.columns)
	}
	best = best[:most]
	kept := func(l line) bool {
		return slices.ContainsFunc(best, func(x line) bool { return x.columns[0] == l.columns[0] })
	}
	return slices.DeleteFunc(all, func(l line) bool { return !kept(l) }), left
}

func joins(t *catalog.Table, c *catalog.Column) bool {
	return slices.ContainsFunc(t.ForeignKeys, func(k catalog.ForeignKey) bool { return slices.Contains(k.Columns, c.Name) })
}

func describeColumn(b *strings.Builder, t *catalog.Table, c *catalog.Column, much detail, asked map[string]bool) {
	b.WriteString("  " + printer.Ident(c.Name) + " " + c.Type)
	switch {
	case c.PrimaryKey && keys(t) > 1:
		b.WriteString(" part of key")
	case c.PrimaryKey:
		b.WriteString(" key")
	case c.Distinct > 1 && c.Distinct == t.RowCount:
		b.WriteString(" unique")
	}
	if c.Partition {
		b.WriteString(" partition")
	}
	if comment := lang.Shorten(text(c.Comment), much.runes); comment != "" && much.runes > 0 {
		b.WriteString(" -- " + comment)
	}
	b.WriteString(seen(t, c, much))
	if c.Personal != nil && !much.personal {
		b.WriteString(" (data of persons: " + c.Personal.Kind + ")\n")
		return
	}
	if values, all := samples(c, much.samples, asked); len(values) > 0 {
		switch {
		case all:
			b.WriteString(" (values: ")
		case c.Distinct > int64(len(values)) && !semantic.IsNumber(c.Type):
			fmt.Fprintf(b, " (%d values, such as: ", c.Distinct)
		default:
			b.WriteString(" (such as: ")
		}
		b.WriteString(strings.Join(values, ", "))
		if spelledApart(c.Samples) {
			b.WriteString("; one value in several spellings: compare and group by lower(trim(" + printer.Ident(c.Name) + "))")
		}
		b.WriteString(")")
	}
	b.WriteByte('\n')
}

// seen is what the ingest saw of a column: its unit, the range of its numbers or days, and
// how many rows have no value.
func seen(t *catalog.Table, c *catalog.Column, much detail) string {
	var facts []string
	if c.Unit == "%" {
		facts = append(facts, "parts of 1") // not 0 to 100
	} else if c.Unit != "" {
		facts = append(facts, "in "+text(c.Unit))
	}
	// A range is made of stored values: it is told where these are, and says nothing new
	// where all of them are.
	allTold := c.Distinct > 0 && int64(len(c.Samples)) >= c.Distinct
	if much.samples > 0 && !allTold && c.Low != "" && c.High != "" && !c.PrimaryKey && !joins(t, c) && (c.Personal == nil || much.personal) {
		facts = append(facts, text(c.Low)+" to "+text(c.High))
	}
	if c.Missing > 0 {
		facts = append(facts, fmt.Sprintf("%d NULL", c.Missing))
	}
	if len(facts) == 0 {
		return ""
	}
	return " [" + strings.Join(facts, "; ") + "]"
}

// keys is how many columns the key of a table has.
func keys(t *catalog.Table) int {
	n := 0
	for i := range t.Columns {
		if t.Columns[i].PrimaryKey {
			n++
		}
	}
	return n
}

// spelledApart reports values that differ in capitals and outer blanks alone.
func spelledApart(values []string) bool {
	seen := map[string]bool{}
	for _, v := range values {
		plain := strings.ToLower(strings.TrimSpace(v))
		if seen[plain] {
			return true
		}
		seen[plain] = true
	}
	return false
}

// Bounds of stored values.
const (
	maxSample = 40 // characters; longer ones are told where the question names them
	maxNamed  = 8  // values of one column that the question names
	// Of columns with more values than manyValues, fewOfMany show what they are like.
	manyValues = 100
	fewOfMany  = 2
)

// samples are a few stored values in stored order: those that the question names, then
// the first. all tells that there are no others.
func samples(c *catalog.Column, most int, asked map[string]bool) (values []string, all bool) {
	if most == 0 || len(c.Samples) == 0 {
		return nil, false
	}
	if complete := c.Distinct > 0 && int64(len(c.Samples)) >= c.Distinct; complete && len(c.Samples) <= 2*most {
		most, all = len(c.Samples), true
	}
	if c.Distinct > manyValues {
		most = min(most, fewOfMany)
	}
	var named, others []int
	for i, s := range c.Samples {
		switch {
		case isNamed(s, asked):
			named = append(named, i)
		case len([]rune(s)) <= maxSample:
			others = append(others, i)
		default:
			all = false
		}
	}
	named = named[:min(len(named), maxNamed)]
	list := slices.Concat(named, others[:max(0, min(len(others), most-len(named)))])
	slices.Sort(list)
	numeric := semantic.IsNumber(c.Type)
	for _, i := range list {
		s := inOneLine(c.Samples[i])
		if !numeric {
			s = "'" + strings.ReplaceAll(s, "'", "''") + "'"
		}
		values = append(values, s)
	}
	return values, all
}

// inOneLine makes line ends blanks and keeps the blanks of a value.
func inOneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// isNamed reports whether the question has all words of a stored value, or most of three
// and more.
func isNamed(value string, asked map[string]bool) bool {
	words := split(value)
	n := 0
	for _, w := range words {
		if asked[w] || asked[stem(w)] {
			n++
		}
	}
	return n > 0 && n == len(words) || n > 1 && 3*n >= 2*len(words)
}
