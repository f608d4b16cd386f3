package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/lint"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
)

// Severities of problems.
const (
	severityError   = "error"
	severityWarning = "warning"
)

// problem is what the sql commands find. Line and Column are from 1, columns count
// characters.
type problem struct {
	File        string   `json:"file"`
	Line        int      `json:"line"`
	Column      int      `json:"column"`
	Severity    string   `json:"severity"`
	Code        string   `json:"code"` // Trino's error name, or the id of a rule
	Message     string   `json:"message"`
	Suggestions []string `json:"suggestions,omitempty"`

	length int // in characters, of what it is about; 0: not known
	script *script
}

// problemAt makes a problem of a statement.
func problemAt(p part, line, column int, code, message string) problem {
	line, column = p.place(line, column)
	return problem{File: p.script.name, Line: line, Column: column, Severity: severityError, Code: code, Message: message, script: p.script}
}

// problemOf turns an error of the packages that work on SQL into a problem.
func problemOf(p part, err error) (problem, bool) {
	var syntax *parser.Error
	var unsupported *duckdb.NotSupported
	var foreign *trino.NotSupported
	var refused *guard.Refusal
	switch {
	case errors.As(err, &syntax):
		return problemAt(p, syntax.Line, syntax.Column, string(syntax.Code), syntax.Message), true
	case errors.As(err, &unsupported):
		return problemAt(p, unsupported.Line, unsupported.Column, "NOT_SUPPORTED", withoutPlace(unsupported.Error(), unsupported.Line, unsupported.Column)), true
	case errors.As(err, &foreign):
		return problemAt(p, foreign.Line, foreign.Column, "NOT_SUPPORTED", withoutPlace(foreign.Error(), foreign.Line, foreign.Column)), true
	case errors.As(err, &refused):
		found := problemAt(p, refused.Line, refused.Column, refused.Code, refused.Message)
		found.Suggestions = refused.Suggestions
		return found, true
	}
	return problem{}, false
}

// withoutPlace takes the place off a message that begins with it.
func withoutPlace(message string, line, column int) string {
	return strings.TrimPrefix(message, fmt.Sprintf("line %d:%d: ", line, column))
}

func problemOfDiagnostic(p part, d resolve.Diagnostic) problem {
	found := problemAt(p, d.Line, d.Column, string(d.Code), d.Message)
	found.Suggestions = d.Suggestions
	if d.Node != nil {
		found.length = utf8.RuneCountInString(firstLine(d.Node.Span().Text()))
	}
	return found
}

func problemOfFinding(p part, f lint.Finding) problem {
	line, column := f.Node.Span().Position()
	found := problemAt(p, line, column, f.Rule.ID, f.Message+"; "+f.Rule.Instead)
	found.Severity = severityWarning
	found.length = utf8.RuneCountInString(firstLine(f.Node.Span().Text()))
	return found
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimRight(line, "\r")
}

// reporters write problems in the formats of --format.
var reporters = map[string]func(io.Writer, []problem, bool) error{
	"text": reportText, "json": reportJSON, "github": reportGitHub, "sarif": reportSARIF,
}

func formatNames() string {
	names := make([]string, 0, len(reporters))
	for name := range reporters {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// reportText writes a line a problem, and on a terminal the place in the source.
func reportText(w io.Writer, problems []problem, excerpts bool) error {
	for i, p := range problems {
		if excerpts && i > 0 {
			fmt.Fprintln(w)
		}
		severity := ""
		if p.Severity == severityWarning {
			severity = "warning: "
		}
		if _, err := fmt.Fprintf(w, "%s:%d:%d: %s%s: %s\n", p.File, p.Line, p.Column, severity, p.Code, p.Message); err != nil {
			return err
		}
		if excerpts {
			writeExcerpt(w, p)
		}
		if len(p.Suggestions) > 0 {
			fmt.Fprintf(w, "      did you mean %s?\n", strings.Join(p.Suggestions, ", "))
		}
	}
	return nil
}

// maxExcerpt bounds the characters of a line that are shown before and after the
// place.
const maxExcerpt = 50

// writeExcerpt shows the line of a problem with carets below what it is about.
func writeExcerpt(w io.Writer, p problem) {
	lines := strings.Split(p.script.text, "\n")
	if p.Line < 1 || p.Line > len(lines) {
		return
	}
	line := []rune(strings.ReplaceAll(strings.TrimRight(lines[p.Line-1], "\r"), "\t", " "))
	at := min(max(p.Column-1, 0), len(line))
	length := min(max(p.length, 1), max(len(line)-at, 1))
	before, after := line[max(at-maxExcerpt, 0):at], line[at:min(at+maxExcerpt, len(line))]
	open, closing := "", ""
	if at > maxExcerpt {
		open = "…"
	}
	if at+maxExcerpt < len(line) {
		closing = "…"
	}
	number := fmt.Sprintf("%5d | ", p.Line)
	fmt.Fprintf(w, "%s%s%s%s%s\n", number, open, string(before), string(after), closing)
	fmt.Fprintf(w, "%s| %s%s\n", strings.Repeat(" ", len(number)-2), strings.Repeat(" ", cells([]rune(open))+cells(before)),
		strings.Repeat("^", max(cells(after[:min(length, len(after))]), 1)))
}

// cells counts the columns that characters take on a terminal: those of East Asian
// scripts take two.
func cells(runes []rune) int {
	n := 0
	for _, r := range runes {
		n++
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd) {
			n++
		}
	}
	return n
}

func reportJSON(w io.Writer, problems []problem, _ bool) error {
	if problems == nil {
		problems = []problem{}
	}
	return writeOwnJSON(w, map[string]any{"problems": problems})
}

// reportGitHub writes workflow commands, which become annotations of a change.
func reportGitHub(w io.Writer, problems []problem, _ bool) error {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, p := range problems {
		message := p.Message
		if len(p.Suggestions) > 0 {
			message += "; did you mean " + strings.Join(p.Suggestions, ", ") + "?"
		}
		if _, err := fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n",
			p.Severity, property.Replace(p.File), p.Line, p.Column, property.Replace(p.Code), value.Replace(message)); err != nil {
			return err
		}
	}
	return nil
}

// reportSARIF writes the problems for tools that collect findings (SARIF 2.1.0).
func reportSARIF(w io.Writer, problems []problem, _ bool) error {
	results := []any{}
	for _, p := range problems {
		results = append(results, map[string]any{
			"ruleId": p.Code, "level": p.Severity, "message": map[string]any{"text": p.Message},
			"locations": []any{map[string]any{"physicalLocation": map[string]any{
				"artifactLocation": map[string]any{"uri": p.File},
				"region":           map[string]any{"startLine": p.Line, "startColumn": p.Column},
			}}},
		})
	}
	described := []any{}
	for _, r := range lint.Rules() {
		described = append(described, map[string]any{"id": r.ID, "shortDescription": map[string]any{"text": r.Finds}, "help": map[string]any{"text": r.Instead}})
	}
	return writeOwnJSON(w, map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []any{map[string]any{"tool": map[string]any{"driver": map[string]any{"name": "dibrain", "rules": described}}, "results": results}},
	})
}

// report writes problems and returns the exit code that they mean.
func report(f *Factory, format string, problems []problem) error {
	if err := reporters[format](f.IO.Out, problems, f.IO.IsTTY); err != nil {
		return err
	}
	if len(problems) > 0 {
		return exitWith(exitFailure)
	}
	return nil
}

// reportErr reports an error about a statement as a problem, and returns all other
// errors as they are.
func reportErr(f *Factory, asJSON bool, p part, err error) error {
	found, ok := problemOf(p, err)
	if !ok {
		return err
	}
	format := "text"
	if asJSON {
		format = "json"
	}
	return report(f, format, []problem{found})
}
