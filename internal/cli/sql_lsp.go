package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/lsp"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func newSQLLSPCommand(f *Factory) *cobra.Command {
	o := &sqlCheckOptions{}
	language := "en"
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: mistakes, repairs, layout and hover of Presto SQL",
		Long: `Speak the Language Server Protocol over standard input and output. An editor starts
the command; see docs/sql.md for settings. Statements are checked as "dibrain sql check"
checks them, repaired as "dibrain sql fix" repairs them and laid out as "dibrain sql
format" does. The catalog is read at the start.`,
		Example: `  dibrain sql lsp
  dibrain sql lsp --source wh
  dibrain sql lsp --catalog schema.sql --disable select-star`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if language != "en" && language != "zh" {
				return badUsage("--lang is %q: give en or zh", language)
			}
			scope, err := o.scope(f)
			if err != nil {
				return err
			}
			tools := &editorTools{f: f, check: o, fix: &sqlFixOptions{catalogFlags: o.catalogFlags, lang: language}, scope: scope}
			if _, err := tools.Check("SELECT 1"); err != nil { // an unknown rule is told before an editor is served
				return err
			}
			return lsp.Serve(cmd.Context(), f.IO.In, f.IO.Out, lsp.Config{Tools: tools, Version: f.Build.Version})
		},
	}
	flags := cmd.Flags()
	o.add(flags)
	flags.StringSliceVar(&o.enable, "enable", nil, "rules to switch on; all: every rule")
	flags.StringSliceVar(&o.disable, "disable", nil, "rules to switch off; all: every rule, so that only errors are reported")
	flags.StringVar(&language, "lang", "en", "language of repairs: en or zh")
	return cmd
}

// editorTools are the sql commands as an editor uses them.
type editorTools struct {
	f     *Factory
	check *sqlCheckOptions
	fix   *sqlFixOptions
	scope resolve.Scope
}

// Check implements lsp.Tools. A text without a statement has no mistake.
func (t *editorTools) Check(text string) ([]lsp.Problem, error) {
	if len(parser.Words(text)) == 0 && len(text) <= parser.MaxBytes {
		return nil, nil
	}
	var out []lsp.Problem
	for _, p := range (&script{name: "text", text: text}).parts() {
		found, err := t.check.check(t.f, p, t.scope)
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			out = append(out, lsp.Problem{Line: x.Line, Column: x.Column, Length: x.length, Warning: x.Severity == severityWarning, Code: x.Code, Message: prose.Safe(x.Message)})
		}
	}
	return out, nil
}

// Repairs implements lsp.Tools.
func (t *editorTools) Repairs(ctx context.Context, text string, start, end int) ([]lsp.Repair, error) {
	var out []lsp.Repair
	for _, cut := range parser.Split(text) {
		if cut.End < start || cut.Start > end {
			continue
		}
		res, err := repair.Run(ctx, text[cut.Start:cut.End], repair.Options{Scopes: repair.Fixed(t.scope), Counts: t.fix.counts})
		if err != nil {
			return nil, err
		}
		add := func(to string, changes []repair.Change, certain bool) {
			var whys []string
			for _, c := range changes {
				whys = append(whys, c.Message(lang.Language(t.fix.lang)))
			}
			out = append(out, lsp.Repair{Start: cut.Start, End: cut.End, Text: to, Certain: certain, Why: lang.Shorten(prose.Safe(strings.Join(whys, " ")), maxTitle)})
		}
		if len(res.Changes) > 0 {
			add(res.Text, res.Changes, res.Certain())
		}
		for _, c := range res.Candidates {
			add(c.Text, c.Changes, false)
		}
	}
	return out, nil
}

// maxTitle bounds what a menu of an editor says of a repair, in characters.
const maxTitle = 200

// Format implements lsp.Tools.
func (t *editorTools) Format(text string) (string, bool) {
	if len(parser.Split(text)) == 0 {
		return "", false
	}
	laid, problem := layOut(&script{name: "text", text: text})
	return laid, problem == nil
}

// Hover implements lsp.Tools.
func (t *editorTools) Hover(text string, offset int) (lsp.Note, bool) {
	for _, cut := range parser.Split(text) {
		if offset < cut.Start || offset > cut.End {
			continue
		}
		stmt, err := parser.Parse(text[cut.Start:cut.End])
		if err != nil || stmt.Query == nil {
			return lsp.Note{}, false
		}
		resolution, _ := resolve.Resolve(stmt, t.scope)
		var note lsp.Note
		tree.Walk(stmt, func(n tree.Node) bool {
			span := n.Span()
			at := offset - cut.Start
			if at < span.Start || at > span.End {
				return true // a node may stand outside of what holds it, as of ORDER BY
			}
			if said := t.told(n, resolution); said != "" {
				note = lsp.Note{Start: cut.Start + span.Start, End: cut.Start + span.End, Text: said}
			}
			return true
		})
		return note, note.Text != ""
	}
	return lsp.Note{}, false
}

// told is what is known of a table or a column; empty for what is neither.
func (t *editorTools) told(n tree.Node, r *resolve.Resolution) string {
	switch n := n.(type) {
	case *tree.Table:
		if stored, ok := r.Stored(n); ok {
			return tableNote(stored)
		}
	case *tree.ColumnRef:
		for _, o := range r.Origins(n) {
			if stored, ok := t.scope.Catalog.Lookup(o.Table); ok {
				if c, ok := stored.Column(o.Column); ok {
					return columnNote(stored, c)
				}
			}
		}
		if typ := r.TypeOf(n).String(); typ != "" && len(r.Places(n)) > 0 {
			return prose.Safe(n.Span().Text() + " " + typ)
		}
	}
	return ""
}

// maxHoverColumns bounds the columns that a hover lists.
const maxHoverColumns = 40

func tableNote(t *catalog.Table) string {
	lines := []string{t.Name.String()}
	if t.Description != "" {
		lines = append(lines, lang.OneLine(t.Description))
	}
	for _, c := range t.Columns[:min(len(t.Columns), maxHoverColumns)] {
		lines = append(lines, "  "+columnLine(c))
	}
	if more := len(t.Columns) - maxHoverColumns; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d columns more", more))
	}
	return prose.Safe(strings.Join(lines, "\n"))
}

func columnNote(t *catalog.Table, c catalog.Column) string {
	return prose.Safe(columnLine(c) + "\n" + t.Name.String())
}

func columnLine(c catalog.Column) string {
	line := c.Name + " " + c.Type
	if c.PrimaryKey {
		line += ", key"
	}
	if c.Partition {
		line += ", partition"
	}
	if c.Comment != "" {
		line += ": " + lang.OneLine(c.Comment)
	}
	return line
}
