package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

type sqlFixOptions struct {
	catalogFlags
	write   bool
	diff    bool
	likely  bool
	json    bool
	failure string
	lang    string
}

func newSQLFixCommand(f *Factory) *cobra.Command {
	o := &sqlFixOptions{}
	cmd := &cobra.Command{
		Use:   "fix [FILE|FOLDER|-]...",
		Short: "Repair broken statements by the smallest change",
		Long: `Repair the statements of files, folders (all their .sql files) or standard input by
rules, and print them; what was changed is said on standard error. All that is not
wrong stays byte for byte. With --catalog or --source names and types are repaired
too. Only certain repairs are made; --likely makes those that something else may have
been meant by, too. What is left is reported.

Exit codes: 0 everything is valid, or was repaired; 1 something is still wrong, or,
with --diff, something would change; 2 bad input.`,
		Example: `  echo 'SELCT a FORM t' | dibrain sql fix
  dibrain sql fix --catalog schema.sql --diff queries/
  dibrain sql fix --source wh --error "$(cat error.txt)" --write q.sql`,
		RunE: func(cmd *cobra.Command, args []string) error { return runSQLFix(cmd.Context(), f, o, args) },
	}
	flags := cmd.Flags()
	o.add(flags)
	flags.BoolVarP(&o.write, "write", "w", false, "write the result back to the files")
	flags.BoolVar(&o.diff, "diff", false, "print a diff and change nothing; exit code 1 if anything would change")
	flags.BoolVar(&o.likely, "likely", false, "make likely repairs too, not only certain ones")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.StringVar(&o.failure, "error", "", "text of the engine's error, of Trino, DuckDB, MySQL, Hive, Spark or PostgreSQL")
	flags.StringVar(&o.lang, "lang", "en", "language of what is said: en or zh")
	return cmd
}

// repaired is what became of one statement, as JSON has it.
type repaired struct {
	File       string         `json:"file"`
	Line       int            `json:"line"` // where the statement begins, from 1
	SQL        string         `json:"sql"`
	Changed    bool           `json:"changed"`
	Certain    bool           `json:"certain"`
	Valid      bool           `json:"valid"`
	Confidence float64        `json:"confidence"`
	Changes    []repairChange `json:"changes"`
	Candidates []string       `json:"candidates"`
	Problems   []problem      `json:"problems"`
}

type repairChange struct {
	Class      string  `json:"class"`
	Message    string  `json:"message"`
	Line       int     `json:"line"` // in the file
	Column     int     `json:"column"`
	Start      int     `json:"start_byte"` // in the statement
	End        int     `json:"end_byte"`
	Before     string  `json:"before"`
	After      string  `json:"after"`
	Confidence float64 `json:"confidence"`
}

func runSQLFix(ctx context.Context, f *Factory, o *sqlFixOptions, args []string) error {
	switch {
	case o.write && o.diff:
		return badUsage("--write and --diff cannot go together")
	case o.lang != "en" && o.lang != "zh":
		return badUsage("--lang is %q: give en or zh", o.lang)
	}
	scripts, err := readScripts(f.IO.In, args)
	if err != nil {
		return err
	}
	scope, err := o.scope(f)
	if err != nil {
		return err
	}
	all := []repaired{}
	var problems []problem
	changed := false
	for _, s := range scripts {
		text, done, err := o.fixScript(ctx, s, scope)
		if err != nil {
			return err
		}
		all = append(all, done...)
		for _, r := range done {
			problems = append(problems, r.Problems...)
			o.tell(f, r)
		}
		changed = changed || text != s.text
		if err := o.deliver(f, s, text); err != nil {
			return err
		}
	}
	if o.json {
		if err := writeOwnJSON(f.IO.Out, map[string]any{"statements": all}); err != nil {
			return err
		}
	} else if err := o.report(f, problems); err != nil {
		return err
	}
	if len(problems) > 0 || o.diff && changed {
		return exitWith(exitFailure)
	}
	return nil
}

// report writes what is left to standard error: standard output has the statements.
func (o *sqlFixOptions) report(f *Factory, problems []problem) error {
	for _, p := range problems {
		if _, err := fmt.Fprintf(f.IO.Err, "%s:%d:%d: %s: %s\n", p.File, p.Line, p.Column, p.Code, p.Message); err != nil {
			return err
		}
	}
	return nil
}

// fixScript repairs the statements of a script and returns the whole text.
func (o *sqlFixOptions) fixScript(ctx context.Context, s *script, scope resolve.Scope) (string, []repaired, error) {
	cuts := parser.Split(s.text)
	parts := s.parts()
	if len(cuts) == 0 {
		cuts = []parser.Part{{End: len(s.text)}}
	}
	var text strings.Builder
	var done []repaired
	at := 0
	for i, p := range parts {
		r, err := o.fixPart(ctx, p, scope)
		if err != nil {
			return "", nil, err
		}
		text.WriteString(s.text[at:cuts[i].Start] + r.SQL)
		at = cuts[i].End
		done = append(done, r)
	}
	text.WriteString(s.text[at:])
	return text.String(), done, nil
}

func (o *sqlFixOptions) fixPart(ctx context.Context, p part, scope resolve.Scope) (repaired, error) {
	out := repaired{File: p.script.name, Line: p.line, SQL: p.text, Changes: []repairChange{}, Candidates: []string{}, Problems: []problem{}}
	res, err := repair.Run(ctx, p.text, repair.Options{Scopes: repair.Fixed(scope), Error: o.failure, Counts: o.counts})
	if err != nil {
		return out, err
	}
	out.Certain, out.Confidence = res.Certain(), res.Confidence
	for _, c := range res.Candidates {
		out.Candidates = append(out.Candidates, c.Text)
	}
	if res.Text != p.text && (res.Certain() || o.likely) {
		out.SQL, out.Changed = res.Text, true
		for _, c := range res.Changes {
			line, column := p.place(c.Line, c.Column)
			out.Changes = append(out.Changes, repairChange{
				Class: c.Class.ID, Message: c.Message(lang.Language(o.lang)), Line: line, Column: column,
				Start: c.Start, End: c.End, Before: c.Before, After: c.After, Confidence: c.Confidence,
			})
		}
	} else if res.Text != p.text {
		out.Candidates = append([]string{res.Text}, out.Candidates...)
	}
	if out.Problems, err = o.problems(p, out.SQL, scope); err != nil {
		return out, err
	}
	out.Valid = len(out.Problems) == 0
	return out, nil
}

// counts reports whether something is wrong whatever the tables are. Without a catalog
// only what shows in the text is repaired.
// A column is reported then only where there is no table that could have it.
func (o *sqlFixOptions) counts(d resolve.Diagnostic) bool {
	return o.given() || d.Code == resolve.ColumnNotFound || certainWithoutCatalog(d)
}

// problems are what is wrong with a statement. Their places are those of the text as it
// is now.
func (o *sqlFixOptions) problems(p part, text string, scope resolve.Scope) ([]problem, error) {
	p.text = text
	stmt, err := parser.Parse(text)
	if err != nil {
		found, ok := problemOf(p, err)
		if !ok {
			return nil, err
		}
		return []problem{found}, nil
	}
	out := []problem{}
	if stmt.Query == nil {
		return out, nil
	}
	_, diagnostics := resolve.Resolve(stmt, scope)
	for _, d := range diagnostics {
		if o.counts(d) {
			out = append(out, problemOfDiagnostic(p, d))
		}
	}
	return out, nil
}

// tell says what was changed, and what may have been meant.
func (o *sqlFixOptions) tell(f *Factory, r repaired) {
	if o.json {
		return
	}
	for _, c := range r.Changes {
		fmt.Fprintf(f.IO.Err, "%s:%d:%d: %s: %s\n", r.File, c.Line, c.Column, c.Class, c.Message)
	}
	if r.Valid {
		return
	}
	for _, c := range r.Candidates {
		fmt.Fprintf(f.IO.Err, "%s:%d: may be meant: %s\n", r.File, r.Line, lang.OneLine(c))
	}
}

// deliver prints, writes or compares one result.
func (o *sqlFixOptions) deliver(f *Factory, s *script, text string) error {
	switch {
	case o.json && !o.write:
		return nil
	case o.diff:
		if text == s.text {
			return nil
		}
		_, err := fmt.Fprint(f.IO.Out, lineDiff(s.name, s.text, text))
		return err
	case o.write && s.path != "":
		if text == s.text {
			return nil
		}
		info, err := os.Stat(s.path)
		if err != nil {
			return unreadable(err)
		}
		if err := os.WriteFile(s.path, []byte(text), info.Mode().Perm()); err != nil {
			return fault.Invalid("file", "FILE_UNWRITABLE", "%s cannot be written: %v", s.path, errors.Unwrap(err))
		}
		_, err = fmt.Fprintln(f.IO.Err, "repaired", s.path)
		return err
	}
	_, err := fmt.Fprint(f.IO.Out, text)
	return err
}
