package parse

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// TimeColumn stands for the column that dates the rows asked for.
var TimeColumn = &lexicon.Adjective{Attributes: []string{"date", "time", "day", "datetime", "timestamp"}}

// YearColumn stands for the column that says in which year rows are.
var YearColumn = &lexicon.Adjective{Attributes: []string{"year", "date", "time", "datetime", "start date", "season"}}

func isFiller(it *link.Item) bool {
	if len(it.Columns)+len(it.Tables)+len(it.Values) > 0 || it.Number != "" {
		return false
	}
	for _, t := range it.Tags {
		if t.Name != "stop" && t.Name != "ask" && t.Name != "light" && t.Name != lexicon.WeakTag {
			return false
		}
	}
	return len(it.Tags) > 0
}

func lower(it *link.Item) string {
	s := ""
	for i, t := range it.Tokens {
		if i > 0 {
			s += " "
		}
		s += t.Lower
	}
	return s
}

// multiples are words that say how many times an amount is meant.
var multiples = map[string]string{"twice": "2", "double": "2", "thrice": "3", "triple": "3", "half": "0.5"}

func isYear(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 4 && n >= 1500 && n <= 2100
}

func parseLimit(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

func isMost(s string) bool {
	s = strings.ToLower(s)
	switch s {
	case "most", "fewest", "least", "max number of", "maximum number of", "minimum number of":
		return true
	}
	return strings.Contains(s, " amount ")
}

func extreme(desc bool) intent.Agg {
	if desc {
		return intent.AggMax
	}
	return intent.AggMin
}

func numberOf(it *link.Item) Value {
	return Value{Item: it, Text: it.Number, Number: true}
}

func isNumber(it *link.Item) bool {
	return len(it.Columns) > 0 && semantic.IsNumber(it.Columns[0].Dim.Type)
}

func isMeasureItem(it *link.Item) bool {
	return len(it.Columns) > 0 && it.Columns[0].Dim.Role == semantic.RoleMeasure && semantic.IsNumber(it.Columns[0].Dim.Type)
}

// isAmount reports whether words name an amount, and no rows as well.
func isAmount(it *link.Item) bool {
	return isMeasureItem(it) && it.Columns[0].Score >= goodName && (len(it.Tables) == 0 || it.Tables[0].Score < it.Columns[0].Score)
}

func isFlagItem(it *link.Item) bool {
	return it != nil && len(it.Columns) > 0 && (link.Flag(it.Columns[0].Dim) || it.Undone())
}

// truth is the condition that a flag holds; of a word that denies one, that it
// does not; of a word that says that something has not happened, that its day is
// empty.
func truth(e *Expr) *Pred {
	if e.Item.Undone() {
		return &Pred{Left: &Expr{Item: e.Item, Owner: e.Owner, Near: e.Near}, Op: intent.IsNull}
	}
	dim := e.Item.Columns[0].Dim
	stored := link.Truths(dim)
	if e.Item.Not {
		stored = link.Falsehoods(dim)
	}
	v := Value{Text: "true"}
	if len(stored) > 0 {
		v.Text = stored[0]
	}
	v.Item = &link.Item{Text: e.Item.Text, Values: []link.ValueMatch{{Dim: dim, Value: v.Text, Score: 1}}}
	return &Pred{Left: &Expr{Item: e.Item, Owner: e.Owner, Near: e.Near}, Op: intent.Eq, Values: []Value{v}}
}

func sharesColumn(name, value *link.Item) bool {
	if name == nil {
		return false
	}
	for _, c := range name.Columns {
		for _, v := range value.Values {
			if v.Dim == c.Dim {
				return true
			}
		}
	}
	return false
}

func sameColumnValues(p *Pred, it *link.Item) bool {
	if len(p.Values) == 0 || len(it.Values) == 0 {
		return false
	}
	for _, a := range p.Values[0].Item.Values {
		for _, b := range it.Values {
			if a.Dim == b.Dim {
				return true
			}
		}
	}
	return false
}

func dayOf(it *link.Item, day string) Value { return Value{Item: it, Text: day, Date: true} }
