package trino

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// maxRounds bounds the rounds of the second step: a cast may show what another
// one has to do.
const maxRounds = 6

// settle is the second step: what the Presto tree and the types of its
// expressions show. Each round makes edits that do not disturb one another.
func (t *translator) settle() {
	for range maxRounds {
		if _, ok := parser.Probe(string(t.out)); !ok {
			return
		}
		stmt, err := parser.Parse(string(t.out))
		if err != nil || stmt.Query == nil {
			return
		}
		s := &settler{t: t, dialect: t.dialect, traits: t.traits, selects: map[tree.Node]*tree.Select{}}
		s.r, s.mistakes = resolve.Resolve(stmt, t.opt.Scope)
		s.stmt = stmt
		s.collect()
		if !t.apply(s.edits) {
			return
		}
		if len(t.out) > t.limit {
			t.err = &parser.Error{Code: parser.CodeTooLarge, Message: "the statement grows too much when it is translated"}
			return
		}
	}
}

// edit of the outcome: what stands at [start, end) gets before and after around
// it, or is replaced by text.
type edit struct {
	start, end    int
	before, after string
	text          string
	replace       bool
	rule, message string
	warning       string
}

// settler finds the edits of one round.
type settler struct {
	t       *translator
	dialect Dialect
	traits
	stmt     *tree.Statement
	r        *resolve.Resolution
	mistakes []resolve.Diagnostic
	edits    []edit
	selects  map[tree.Node]*tree.Select // of the names inside
}

func (s *settler) collect() {
	s.enclose(s.stmt, nil)
	// A column beside an aggregate is judged when all names are known.
	for _, m := range s.mistakes {
		s.unknownName(m)
	}
	if len(s.edits) == 0 {
		for _, m := range s.mistakes {
			if n, ok := m.Node.(*tree.ColumnRef); ok && m.Code == resolve.ExpressionNotAggregate {
				s.bareColumn(n)
			}
		}
	}
	tree.Walk(s.stmt, func(n tree.Node) bool {
		s.node(n)
		return true
	})
}

// enclose notes the SELECT that each node stands in.
func (s *settler) enclose(n tree.Node, sel *tree.Select) {
	for _, c := range tree.Children(n) {
		if c == nil {
			continue
		}
		inner := sel
		switch c := c.(type) {
		case *tree.Select:
			inner = c
		case *tree.Query:
			inner = nil
		case *tree.SortItem:
			if q, ok := n.(*tree.Query); ok {
				inner, _ = q.Body.(*tree.Select)
			}
		}
		s.selects[c] = inner
		s.enclose(c, inner)
	}
}

// node applies the rules that types decide.
func (s *settler) node(n tree.Node) {
	switch n := n.(type) {
	case *tree.Binary:
		s.binary(n)
	case *tree.Between:
		s.comparable(n.X, n.Low)
		s.comparable(n.X, n.High)
	case *tree.InList:
		for _, x := range n.List {
			s.comparable(n.X, x)
		}
	case *tree.InQuery:
		s.inQuery(n)
	case *tree.Quantified:
		s.quantified(n)
	case *tree.Like:
		s.text(n.X)
	case *tree.Call:
		s.call(n)
	case *tree.Extract:
		if s.typeOf(n.X).IsText() {
			s.time(n.X)
		}
	case *tree.Case:
		s.caseResults(n)
	case *tree.Cast:
		s.cast(n)
	case *tree.SortItem:
		s.sortItem(n)
	case *tree.SetOp:
		s.setOp(n)
	case *tree.Not:
		s.condition(n.X)
	case *tree.Select:
		s.condition(n.Where)
		s.condition(n.Having)
	case *tree.Join:
		s.condition(n.On)
	}
}

func (s *settler) typeOf(x tree.Expr) types.Type { return s.r.TypeOf(x) }

// wrap puts text around a node; change is its rule and message.
func (s *settler) wrap(n tree.Node, before, after, rule, message string) {
	span := n.Span()
	if span.IsZero() {
		return
	}
	s.edits = append(s.edits, edit{start: span.Start, end: span.End, before: before, after: after, rule: rule, message: message})
}

func (s *settler) replace(n tree.Node, text, rule, message string) {
	span := n.Span()
	if span.IsZero() || span.Text() == text {
		return
	}
	s.edits = append(s.edits, edit{start: span.Start, end: span.End, text: text, replace: true, rule: rule, message: message})
}

func (s *settler) warnLast(message string) {
	if n := len(s.edits); n > 0 {
		s.edits[n-1].warning = message
	}
}

// castTo writes CAST(x AS typ) around an expression.
func (s *settler) castTo(x tree.Expr, typ, message string) {
	s.wrap(x, "CAST(", " AS "+typ+")", "cast", message)
}

// apply makes the edits and reports whether the text changed. Edits inside what
// another one replaces wait for the next round; the same edit twice is made once.
func (t *translator) apply(edits []edit) bool {
	edits = independent(edits)
	if len(edits) == 0 {
		return false
	}
	type event struct {
		at, order, other int
		text             string
		skipTo           int
	}
	var events []event
	for _, e := range edits {
		if e.replace {
			events = append(events, event{e.start, 1, -e.end, e.text, e.end})
			continue
		}
		if e.before != "" {
			events = append(events, event{e.start, 1, -e.end, e.before, 0})
		}
		if e.after != "" {
			events = append(events, event{e.end, 0, -e.start, e.after, 0})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order), cmp.Compare(a.other, b.other))
	})
	t.note(edits)
	out, origins := make([]byte, 0, len(t.out)+64), make([]int32, 0, len(t.out)+64)
	at := 0
	for _, e := range events {
		out, origins = append(out, t.out[at:e.at]...), append(origins, t.from[at:e.at]...)
		origin := t.origin(max(e.at-1+e.order, 0))
		for i := range len(e.text) {
			out, origins = append(out, e.text[i]), append(origins, origin)
		}
		at = max(e.at, e.skipTo)
	}
	t.out, t.from = append(out, t.out[at:]...), append(origins, t.from[at:]...)
	return true
}

// independent leaves out edits inside a replaced part, and all but the first of
// those that do the same to the same part.
func independent(edits []edit) []edit {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	type part struct {
		start, end int
		what       string
	}
	seen := map[part]bool{}
	var out []edit
	replaced := -1 // the end of the last part that is replaced
	for _, e := range edits {
		what := e.before + e.after
		if strings.Contains(e.before, "CAST(") {
			what = "CAST"
		}
		whole := part{e.start, e.end, "replaced"}
		if e.end <= replaced || seen[whole] || seen[part{e.start, e.end, what}] {
			continue
		}
		if e.replace {
			if seen[part{e.start, e.end, ""}] { // something else is put around it
				continue
			}
			seen[whole], replaced = true, max(replaced, e.end)
		}
		seen[part{e.start, e.end, what}], seen[part{e.start, e.end, ""}] = true, true
		out = append(out, e)
	}
	return out
}

func (t *translator) origin(offset int) int32 {
	if offset < len(t.from) {
		return t.from[offset]
	}
	return int32(len(t.text))
}

// note records the changes that edits are, in terms of the original text.
func (t *translator) note(edits []edit) {
	for _, e := range edits {
		start := int(t.origin(e.start))
		stop := start
		if e.end > e.start {
			stop = max(start, t.tokenEnd(int(t.origin(e.end-1))))
		}
		before := string(t.out[e.start:e.end])
		after := e.before + before + e.after
		if e.replace {
			after = e.text
		}
		t.noteSpan(e.rule, start, stop, e.message, before, after)
		if e.warning != "" {
			line, column := t.source.Position(start)
			t.warnings = append(t.warnings, Warning{Rule: e.rule, Message: e.warning, Line: line, Column: column})
		}
	}
}

// tokenEnd is the end of the token of the original text that an offset is in.
func (t *translator) tokenEnd(offset int) int {
	i, found := slices.BinarySearchFunc(t.tokens, offset, func(tok token, at int) int { return cmp.Compare(tok.start, at) })
	if !found {
		i--
	}
	if i < 0 || i >= len(t.tokens) {
		return min(offset+1, len(t.text))
	}
	return max(min(offset+1, len(t.text)), t.tokens[i].end)
}
