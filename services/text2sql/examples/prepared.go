package examples

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/dates"
)

// Prepared is an example made ready for questions; nobody changes it.
type Prepared struct {
	Example
	question  Question
	statement *tree.Statement
	texts     []textConstant
}

// textConstant is a text in the SQL, cut as questions are.
type textConstant struct {
	text  string
	words []word
}

// Prepare reads an example. The error says in a sentence why it answers nothing:
// its SQL cannot be read, or a period that moves with the day stands in it as days.
func (p *Parser) Prepare(e Example, dr *dates.Reader) (*Prepared, error) {
	stmt, err := parser.Parse(e.SQL)
	if err != nil {
		return nil, fmt.Errorf("its SQL cannot be read: %w", err)
	}
	out := &Prepared{Example: e, question: p.Parse(e.Question), statement: stmt}
	for _, text := range textsOf(stmt) {
		if words := p.cut(text); len(words) > 0 {
			out.texts = append(out.texts, textConstant{text, words})
		}
	}
	slices.SortStableFunc(out.texts, func(a, b textConstant) int { return len(b.words) - len(a.words) })
	if moving := movingPeriod(e.Question, dr); moving != "" && len(daysOf(stmt)) > 0 {
		return nil, fmt.Errorf("the question says %q, which is another period each day, and the SQL has the fixed day %s: use current_date, or name the days in the question",
			moving, daysOf(stmt)[0])
	}
	return out, nil
}

// movingPeriod finds words such as "yesterday" and "last month" in a question: they
// stand for other days on another day.
func movingPeriod(question string, dr *dates.Reader) string {
	at := time.Date(2200, 5, 15, 12, 0, 0, 0, time.UTC) // after every year that is named
	now, later := dr.Find(question, at), dr.Find(question, at.AddDate(2, 7, 9))
	for i, f := range now {
		if i >= len(later) || !f.From.Equal(later[i].From) || !f.To.Equal(later[i].To) {
			return f.Text
		}
	}
	return ""
}

var day = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}|^20\d{6}$`)

// daysOf are the constants of a statement that look like days, in order.
func daysOf(n tree.Node) []string {
	var out []string
	tree.Walk(n, func(n tree.Node) bool {
		switch c := n.(type) {
		case *tree.Typed:
			out = append(out, c.Value)
		case *tree.String:
			if day.MatchString(c.Value) {
				out = append(out, c.Value)
			}
		}
		return true
	})
	return out
}

func textsOf(n tree.Node) []string {
	var out []string
	tree.Walk(n, func(n tree.Node) bool {
		if s, ok := n.(*tree.String); ok && !day.MatchString(s.Value) && !slices.Contains(out, s.Value) {
			out = append(out, s.Value)
		}
		return true
	})
	return out
}

// Says reports whether all constants of the SQL stand in the question: whoever asks
// it learns no value from the SQL that they did not know.
func (m Match) Says() bool {
	asked := m.prepared.question.content
	for _, c := range m.prepared.texts {
		if !contains(asked, c.words) {
			return false
		}
	}
	ok := true
	tree.Walk(m.prepared.statement, func(n tree.Node) bool {
		if c, is := n.(*tree.Number); is && len(c.Text) > 1 && !contains(asked, []word{{plainNumber(c.Text), kindNumber}}) {
			ok = false
		}
		return ok
	})
	return ok
}

func contains(words, part []word) bool {
	for i := 0; i+len(part) <= len(words); i++ {
		if slices.Equal(words[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// TablesRead names the tables of the SQL as they are written there.
func (m Match) TablesRead() []string { return m.prepared.TablesRead() }

// TablesRead names the tables of the SQL as they are written there, without the
// names that WITH gives.
func (p *Prepared) TablesRead() []string {
	var named, out []string
	tree.Walk(p.statement, func(n tree.Node) bool {
		if w, ok := n.(*tree.CommonTable); ok {
			named = append(named, strings.ToLower(w.Name.Name))
		}
		return true
	})
	tree.Walk(p.statement, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok {
			name := t.Name.String()
			if !slices.Contains(named, strings.ToLower(name)) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// SQL returns the SQL with the constants of the question. tables are those that it
// reads, as the asker may know them: a text is only replaced by a stored value of
// the column that it is compared with. ok is false where a constant does not stand
// in the SQL exactly once, or the new one does not fit.
func (m *Match) SQL(scope resolve.Scope, tables []catalog.Table) (sql string, ok bool) {
	stmt := m.prepared.statement
	if len(m.Replaced) == 0 {
		return printer.Format(stmt), true
	}
	resolution, diagnostics := resolve.Resolve(stmt, scope)
	if len(diagnostics) > 0 {
		return "", false
	}
	c := constants{statement: stmt, resolution: resolution, tables: tables, with: map[tree.Node]tree.Node{}}
	for i := range m.Replaced {
		if !c.replace(&m.Replaced[i]) {
			return "", false
		}
	}
	if !c.daysAccounted(m.prepared.question.content) {
		return "", false
	}
	out, err := tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		if with, ok := c.with[n]; ok {
			return with
		}
		return n
	})
	if err != nil {
		return "", false
	}
	return printer.Format(out), true
}
