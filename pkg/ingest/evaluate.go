package ingest

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

//go:embed functions.txt
var functionList string

// evaluator works out the expressions among a dump's values, such as
// now() - interval '3 days', in an empty database of its own that can reach no
// file. Only the words of functions.txt may occur.
type evaluator struct {
	db      *sql.DB
	now     time.Time
	allowed map[string]bool
	known   map[string]cell // bounded by maxKnown
}

const maxKnown = 100_000

func newEvaluator(ctx context.Context, now time.Time) (*evaluator, error) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("open a database for expressions: %w", err)
	}
	e := &evaluator{db: sql.OpenDB(connector), now: now.UTC(), allowed: make(map[string]bool), known: make(map[string]cell)}
	e.db.SetMaxOpenConns(1)
	for line := range strings.Lines(functionList) {
		if word := strings.TrimSpace(line); !strings.HasPrefix(word, "#") {
			e.allowed[word] = true
		}
	}
	for _, statement := range []string{
		"SET TimeZone = 'UTC'", "SET memory_limit = '100MB'", "SET threads = 1",
		"SET enable_external_access = false",
		"CREATE MACRO to_char(moment, pattern) AS strftime(moment, pattern)",
		"SET lock_configuration = true",
	} {
		if _, err := e.db.ExecContext(ctx, statement); err != nil {
			return nil, errors.Join(fmt.Errorf("open a database for expressions: %w", err), e.close())
		}
	}
	return e, nil
}

func (e *evaluator) close() error { return e.db.Close() }

// value works out an expression for a column of a wanted type, to which a
// database would convert it; a *placed error says why it is refused.
func (e *evaluator) value(ctx context.Context, tokens []ddl.Token, wanted string) (cell, error) {
	text, err := e.render(tokens)
	if err != nil {
		return cell{}, err
	}
	switch wanted {
	case "integer", "bigint":
		text = "CAST((" + text + ") AS BIGINT)"
	case "date", "timestamp":
		text = "CAST((" + text + ") AS " + wanted + ")"
	}
	if c, ok := e.known[text]; ok {
		return c, nil
	}
	var result sql.NullString
	if err := e.db.QueryRowContext(ctx, "SELECT CAST(("+text+") AS VARCHAR)").Scan(&result); err != nil {
		if ctx.Err() != nil {
			return cell{}, ctx.Err()
		}
		return cell{}, &placed{message: "the expression " + clip(text) + " cannot be worked out"}
	}
	c := cell{text: result.String, null: !result.Valid}
	if len(e.known) < maxKnown {
		e.known[text] = c
	}
	return c, nil
}

// render writes the expression anew from tokens that are allowed, with the run's
// own time in place of the clock's.
func (e *evaluator) render(tokens []ddl.Token) (string, error) {
	stamp := "TIMESTAMP " + printer.String(e.now.Format("2006-01-02 15:04:05.000000"))
	var b strings.Builder
	pattern := false // inside to_char, whose second argument is a pattern
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		word := strings.ToLower(t.Text)
		if !t.Is("|") || i == 0 || !tokens[i-1].Is("|") { // || comes as two tokens
			b.WriteByte(' ')
		}
		switch {
		case t.Kind == ddl.String && pattern && i > 0 && tokens[i-1].Is(","):
			b.WriteString(printer.String(strftimePattern(t.Text)))
			pattern = false
		case t.Kind == ddl.String:
			b.WriteString(printer.String(t.Text))
		case t.Kind == ddl.NumberToken, t.Kind == ddl.Symbol && isOperator(t.Text):
			b.WriteString(t.Text)
		case t.Kind != ddl.Word || !e.allowed[word]:
			return "", &placed{message: fmt.Sprintf("%q is nothing that a value may use", clip(t.Text))}
		case word == "now" || word == "current_timestamp" || word == "localtimestamp" || word == "current_date":
			if i+2 < len(tokens) && tokens[i+1].Is("(") && tokens[i+2].Is(")") {
				i += 2
			}
			b.WriteString(stamp)
			if word == "current_date" {
				b.WriteString("::DATE")
			}
		default:
			pattern = pattern || word == "to_char"
			b.WriteString(word)
		}
	}
	return strings.TrimSpace(b.String()), nil
}

// isOperator reports a symbol that an expression may have.
func isOperator(symbol string) bool {
	switch symbol {
	case "(", ")", "+", "-", "*", "/", ",", "::", "|":
		return true
	}
	return false
}

// strftimePattern turns a pattern of to_char into one of strftime. Names of
// months and days come without PostgreSQL's padding, as people ask for them. A
// pattern with % signs is MySQL's, which differs in two letters only.
func strftimePattern(pattern string) string {
	if strings.Contains(pattern, "%") {
		return strings.NewReplacer("%i", "%M", "%s", "%S").Replace(pattern)
	}
	return strings.NewReplacer(
		"YYYY", "%Y", "HH24", "%H", "HH12", "%I", "Month", "%B", "MONTH", "%B", "month", "%B", "Mon", "%b",
		"Day", "%A", "DAY", "%A", "Dy", "%a", "DDD", "%j", "MM", "%m", "DD", "%d", "MI", "%M", "SS", "%S", "MS", "%g", "YY", "%y",
	).Replace(pattern)
}

// validText keeps what is UTF-8 and replaces what is not.
func validText(s string) cell {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return cell{text: s}
}
