// Package facts describes a reading of a question by numbers: what of the question
// it leaves out, whether the shape of its SQL is what the words ask for, how its
// names fit, what it reads and how that hangs together. Names are "CLASS/NAME";
// package rank weighs them.
//
//	lost/TAG      words that ask for something that the SQL does not do
//	unasked/MARK  what the SQL does and no word asks for
//	left/KIND     words that the reading has no use for
//	sql/NAME      what the SQL reads and shows
//	doubt/, slot/ from package bind; variant/NAME how it was varied there
//	draft/NAME    from package parse
//	among/NAME    how it stands among the other readings
package facts

import (
	_ "embed" // marks.yaml
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/rank"
)

//go:embed marks.yaml
var marksFile []byte

// Describer is read-only after New and may be used concurrently.
type Describer struct {
	marks map[string][]string // tag -> marks of shape
}

// New reads the table of tags and marks.
func New() (*Describer, error) {
	d := &Describer{}
	if err := yaml.Unmarshal(marksFile, &d.marks); err != nil {
		return nil, fmt.Errorf("marks of shapes: %w", err)
	}
	return d, nil
}

// Of describes a reading of the items of a question.
func (d *Describer) Of(items []*link.Item, r *bind.Reading, l *bind.Layer) rank.Features {
	f := rank.Features{}
	for name, v := range r.Facts {
		f[name] = v
	}
	for name, v := range r.Draft.Features {
		if !strings.HasPrefix(name, "rule/") && !strings.Contains(name, "|") { // too many to be weighed one by one: its score has them
			f["draft/"+name] = v
		}
	}
	f["draft/doubts"] = float64(len(r.Draft.Doubts))
	for _, doubt := range r.Draft.Doubts {
		f["draft/doubt"] += 1 - doubt.Factor
	}
	s := shapeOf(&r.Intent, l)
	s.describe(f)
	d.asked(f, items, r, s)
	left(f, items, r, s)
	return f
}

// comparing are the tags of words that compare: each is too rare to be weighed by
// itself, and to lose any of them is as bad.
var comparing = []string{"cmp", "post", "after", "before", "between", "contains", "starts", "ends", "isnull", "notnull", "not", "but"}

// asked compares what words ask for with the shape.
func (d *Describer) asked(f rank.Features, items []*link.Item, r *bind.Reading, s *shape) {
	wanted := map[string]bool{}
	for _, it := range items {
		_, used := r.Used[it]
		for _, t := range it.Tags {
			marks := d.marks[t.Name+":"+t.Arg]
			if marks == nil {
				marks = d.marks[t.Name]
			}
			if marks == nil {
				continue
			}
			met := false
			for _, m := range marks {
				met = met || s.marks[m] > 0
				wanted[m] = true
			}
			if !met && !used {
				f["lost/"+t.Name]++
				f["lost/all"]++
				if slices.Contains(comparing, t.Name) {
					f["lost/comparison"]++
				}
			}
			f["said/"+t.Name]++
		}
	}
	for m, n := range s.marks {
		if !wanted[m] {
			f["unasked/"+m] = float64(n)
		}
		f["mark/"+m] = float64(n)
	}
}

// left counts the words that a reading has no use for, by what they might be.
func left(f rank.Features, items []*link.Item, r *bind.Reading, s *shape) {
	content, unused := 0, 0
	for i, it := range items {
		if it.Is("mark") || it.Is("stop") && len(it.Columns)+len(it.Tables)+len(it.Values) == 0 {
			continue
		}
		content += it.To - it.From
		if _, ok := r.Used[it]; ok {
			continue
		}
		kind := kindOf(it, r, s)
		if kind == "" {
			continue
		}
		f["left/"+kind]++
		if where := standing(items, i, kind, r, s); where != "" {
			f["left/"+where]++
		}
		f["left/all"]++
		unused += it.To - it.From
		if i+1 == len(items) {
			f["left/last"]++
		}
	}
	f["said/words"] = float64(content)
	if content > 0 {
		f["left/share"] = float64(unused) / float64(content)
	}
}

// kindOf says what an unused item might have been; empty where nothing is lost.
func kindOf(it *link.Item, r *bind.Reading, s *shape) string {
	switch {
	case it.Number != "":
		if it.Number == fmt.Sprint(r.Intent.Limit) || s.constants[it.Number] {
			return ""
		}
		return "number"
	case it.Quoted:
		return "value"
	case it.Period != nil:
		if it.Period.Grain != "" && s.marks["grain"] > 0 || s.constants[it.Period.First] || s.constants[it.Period.Last] {
			return ""
		}
		return "period"
	case it.Unknown():
		return unknown(it)
	case len(it.Tables) > 0 && slices.ContainsFunc(it.Tables, func(t link.TableMatch) bool { return s.tables[t.Entity.Table] }):
		return ""
	case len(it.Columns) > 0 && slices.ContainsFunc(it.Columns, func(c link.ColumnMatch) bool { return s.columns[c.Dim.ID] }):
		return ""
	case len(it.Tables)+len(it.Columns)+len(it.Values) == 0 && (only(it, "lasting") || only(it, "unit")) && !r.Lasts():
		return unknown(it)
	case len(it.Tags) > 0 && !only(it, "light") && !only(it, lexicon.WeakTag):
		return "" // what the word does is looked at elsewhere
	case len(it.Tables) > 0:
		return "table"
	case len(it.Columns) > 0:
		return "column"
	case len(it.Values) > 0:
		return "value"
	}
	return ""
}

// standing says how an unknown word stands to the names around it: alone, "who have a
// tractor", it is something else; before a table, "overdue invoices", it picks rows.
// Beside a name otherwise, "faculty members", it is most often part of that name, and
// a verb says how names are related: empty.
func standing(items []*link.Item, i int, kind string, r *bind.Reading, s *shape) string {
	if kind != "word" && kind != "verb" || !items[i].Latin() {
		return ""
	}
	names := func(at int) (id string, ok bool) {
		if at < 0 || at == len(items) {
			return "", false
		}
		id, ok = r.Used[items[at]]
		return id, ok && items[at].Number == ""
	}
	next, after := names(i + 1)
	_, before := names(i - 1)
	switch {
	case after && s.tables[next]:
		return "modifier"
	case !before && !after && kind == "word":
		return "alone"
	}
	return ""
}

func only(it *link.Item, name string) bool {
	for _, t := range it.Tags {
		if t.Name != name {
			return false
		}
	}
	return true
}

// unknown sorts words that nothing covers: names, verb forms that most often only
// say how two things are related, and the rest.
func unknown(it *link.Item) string {
	text := strings.Trim(it.Text, " ,.?!")
	if text == "" {
		return ""
	}
	first := []rune(text)[0]
	switch {
	case unicode.IsUpper(first) && it.From > 0:
		return "name"
	case len(text) > 4 && (strings.HasSuffix(text, "ed") || strings.HasSuffix(text, "ing")):
		return "verb"
	}
	return "word"
}
