package guard_test

import (
	"strings"
	"testing"

	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// FuzzGuard states the promises of the guard and checks them by other means than
// the guard's own: a scanner of quotes and comments, and the grammar of a parser
// that is not ours. What passes is one statement; it is a query; it reads no
// forbidden table; what is protected is read through a cover and nowhere else; and
// it passes again unchanged.
func FuzzGuard(f *testing.F) {
	for _, file := range []string{"attacks.txt", "legitimate.txt"} {
		for _, c := range cases(f, file) {
			f.Add(c.sql)
		}
	}
	for _, text := range lines(f, "evasions.txt") {
		f.Add(text)
	}
	g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(f, oraclePolicy), Directory: oracleListing()})
	_, scope := fixture(f)
	mine := scope
	mine.Catalog, mine.DefaultRegion, mine.DefaultSchema = oracleCatalog(false), "w", "shop"
	f.Fuzz(func(t *testing.T, text string) {
		approved, err := g.Approve(t.Context(), bob(), text, mine)
		if err != nil {
			require.True(t, approved.IsZero())
			return
		}
		requireQuery(t, approved.SQL())
		requireQuery(t, approved.Shown())
		requireCovered(t, approved)
		again, err := g.Approve(t.Context(), bob(), approved.SQL(), mine)
		require.NoError(t, err, approved.SQL())
		require.Equal(t, approved.SQL(), again.SQL())
		require.Empty(t, again.Changes())
	})
}

// requireQuery demands one statement that only reads.
func requireQuery(t require.TestingT, text string) {
	bare := strings.ToLower(withoutQuotesAndComments(text))
	require.NotContains(t, bare, ";")
	first := strings.TrimLeft(bare, " \t\r\n(")
	require.True(t, strings.HasPrefix(first, "select") || strings.HasPrefix(first, "with") ||
		strings.HasPrefix(first, "values") || strings.HasPrefix(first, "table"), text)
	if kind, ok := byGrammar(text); ok {
		require.Equal(t, "query", kind, text)
	}
}

// byGrammar reads a text with the grammar of bytebase and says what kind of
// statement it is; ok is false where that grammar cannot read it.
func byGrammar(text string) (kind string, ok bool) {
	if len(text) > 2_000 { // it takes its time
		return "", false
	}
	lexer := grammar.NewTrinoLexer(antlr.NewInputStream(text + "\n;"))
	lexer.RemoveErrorListeners()
	p := grammar.NewTrinoParser(antlr.NewCommonTokenStream(lexer, antlr.TokenDefaultChannel))
	p.RemoveErrorListeners()
	errors := &counting{DefaultErrorListener: antlr.NewDefaultErrorListener()}
	p.AddErrorListener(errors)
	lexer.AddErrorListener(errors)
	p.GetInterpreter().SetPredictionMode(antlr.PredictionModeSLL)
	statement := p.SingleStatement()
	if errors.n > 0 || p.GetTokenStream().LA(1) != antlr.TokenEOF {
		return "", false
	}
	if _, isQuery := statement.Statement().(*grammar.StatementDefaultContext); isQuery {
		return "query", true
	}
	return "other", true
}

type counting struct {
	*antlr.DefaultErrorListener
	n int
}

func (c *counting) SyntaxError(antlr.Recognizer, any, int, int, string, antlr.RecognitionException) {
	c.n++
}

// requireCovered looks for protected tables outside of the queries that cover them.
func requireCovered(t require.TestingT, approved guard.Approved) {
	depth := 0
	var walk func(n tree.Node)
	walk = func(n tree.Node) {
		if d, ok := n.(*tree.Derived); ok {
			text := d.Span().Text()
			if strings.HasPrefix(text, "(SELECT id, name, nation, CAST('***' || substr(phone, -2) AS varchar) AS phone FROM w.shop.customer WHERE nation in (1, 2)") ||
				strings.HasPrefix(text, "(SELECT id, customer_id, CAST(NULL AS bigint) AS total, owner, team,") || text == "(SELECT id, name FROM w.old.customer)" {
				depth++
				defer func() { depth-- }()
			}
		}
		if table, ok := n.(*tree.Table); ok && depth == 0 {
			if stored, ok := approved.Resolution().Stored(table); ok {
				require.Equal(t, "nation", stored.Name.Table, approved.SQL())
			}
		}
		for _, child := range tree.Children(n) {
			if child != nil {
				walk(child)
			}
		}
	}
	walk(approved.Statement())
	for _, table := range approved.Tables() {
		require.NotEqual(t, "staff", strings.ToLower(table.Table))
	}
}

func withoutQuotesAndComments(sql string) string {
	var b strings.Builder
	for i := 0; i < len(sql); i++ {
		var end string
		switch {
		case sql[i] == '\'' || sql[i] == '"':
			end = sql[i : i+1]
		case strings.HasPrefix(sql[i:], "--"):
			end = "\n"
		case strings.HasPrefix(sql[i:], "/*"):
			end = "*/"
			i++
		default:
			b.WriteByte(sql[i])
			continue
		}
		skip := strings.Index(sql[i+1:], end)
		if end == "\n" { // a carriage return ends a comment too
			skip = strings.IndexAny(sql[i+1:], "\r\n")
		}
		if skip < 0 {
			break
		}
		i += skip + len(end)
		b.WriteByte(' ')
	}
	return b.String()
}

// TestWritesByGrammar: what the grammar reads as anything but a query is refused,
// in every dress that the lists have.
func TestWritesByGrammar(t *testing.T) {
	t.Parallel()
	g, scope := fixture(t)
	writes := 0
	for _, c := range cases(t, "attacks.txt") {
		if kind, ok := byGrammar(c.sql); ok && kind != "query" {
			writes++
			for _, dress := range []string{"%", "/* select 1 */ %", "-- select 1\n%", "\n\t %", "%;", "% -- ;", "(%)", "explain analyze %", "with q as (%) select * from q", "select * from (%) q", "select 1; %"} {
				_, err := g.Approve(t.Context(), alice(), strings.ReplaceAll(dress, "%", c.sql), scope)
				require.Error(t, err, dress, c.sql)
			}
		}
	}
	require.Greater(t, writes, 60)
	for _, c := range cases(t, "legitimate.txt") {
		approved, err := g.Approve(t.Context(), alice(), c.sql, scope)
		require.NoError(t, err)
		requireQuery(t, approved.SQL())
	}
}
