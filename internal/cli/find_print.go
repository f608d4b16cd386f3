package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/prose"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// printCandidates prints tables with their reasons; verbose adds scores, what they
// are made of, and variants.
func printCandidates(f *Factory, tables []*findatav1.TableCandidate, o *findOptions) error {
	columns := []term.Column{{Title: "table", Whole: true}, {Title: "why"}}
	if o.verbose {
		columns = append([]term.Column{{Title: "score", Right: true}}, columns...)
	}
	var rows [][]string
	for _, t := range tables {
		reasons := t.GetReasons()
		if t.GetLocked() {
			reasons = append(slices.Clone(reasons), t.GetApplyHint())
		}
		row := []string{answer.TableName(t.GetTable().GetRef()), strings.Join(reasons, "; ")}
		if !o.verbose {
			rows = append(rows, row)
			continue
		}
		rows = append(rows, append([]string{fmt.Sprintf("%.4f", t.GetScore())}, row...))
		if o.table.asTable() && len(t.GetFeatures()) > 0 {
			rows = append(rows, []string{"", "", "made of " + featureText(t.GetFeatures())})
		}
		if o.table.asTable() && len(t.GetVariants()) > 0 {
			rows = append(rows, []string{"", "", "variants: " + strings.Join(t.GetVariants(), ", ")})
		}
	}
	return o.table.print(f, columns, rows)
}

// featureText lists figures, the largest first.
func featureText(features map[string]float64) string {
	names := slices.SortedFunc(maps.Keys(features), func(a, b string) int {
		switch {
		case features[a] > features[b]:
			return -1
		case features[a] < features[b]:
			return 1
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, 0, len(names))
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s %.3g", name, features[name]))
	}
	return strings.Join(parts, ", ")
}

// printFound prints what came beside the tables: passages of documents, warnings
// and, if wanted, the summary.
func printFound(f *Factory, result *findatav1.DiscoverResult, summary bool) {
	out, style := f.IO.Out, f.style()
	if summary {
		fmt.Fprintf(out, "\n%s\n", prose.Visible(result.GetAnswer())) // in its own lines
	}
	for _, d := range result.GetRelatedDocs() {
		first, _, _ := strings.Cut(d.GetText(), "\n")
		fmt.Fprintf(out, "%s %s: %s\n", style.Dim("["+term.Clean(d.GetKnowledgeBase())+"]"), style.Bold(term.Clean(d.GetTitle())), term.Clean(first))
	}
	for _, w := range result.GetWarnings() {
		fmt.Fprintf(f.IO.Err, "note: %s\n", term.Clean(w.GetMessage()))
	}
}

// runWhy explains why tables are among those found, or are not.
func runWhy(ctx context.Context, f *Factory, services *services, o *findOptions, question string) error {
	response, err := services.FindData.SearchTables(ctx, &findatav1.SearchTablesRequest{Source: o.source, Query: question, PageSize: int32(o.limit), Why: o.why})
	if err != nil {
		return err
	}
	if o.table.asJSON() {
		return writeJSON(f.IO.Out, response)
	}
	if !o.table.asTable() {
		return printCandidates(f, response.GetTables(), o)
	}
	out, style := f.IO.Out, f.style()
	for i, e := range response.GetExplanations() {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s  %s\n", style.Bold(term.Clean(e.GetTable())), term.Clean(e.GetMessage()))
		if !e.GetFound() {
			continue
		}
		fmt.Fprintf(out, "  for it: %s\n", term.Clean(strings.Join(e.GetReasons(), "; ")))
		if words := e.GetMissingWords(); len(words) > 0 {
			fmt.Fprintf(out, "  it does not know: %s\n", term.Clean(strings.Join(words, ", ")))
		}
		if e.GetScore() != 0 {
			fmt.Fprintf(out, "  score: %.4f\n", e.GetScore())
		}
		if o.verbose && len(e.GetFeatures()) > 0 {
			fmt.Fprintf(out, "  made of: %s\n", featureText(e.GetFeatures()))
		}
	}
	fmt.Fprintln(out)
	return printCandidates(f, response.GetTables(), o)
}
