package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/term"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// Bounds of what is printed of a table.
const (
	maxSamplesShown = 5  // values of a column
	maxJoinsShown   = 10 // tables that it is joined with
	maxLikeShown    = 10 // tables that are like it
)

// printTable prints all that is known of a table, and what is like it.
func printTable(f *Factory, t *commonv1.TableDetail, like []*findatav1.TableCandidate, format tableFlags) {
	out := f.IO.Out
	fmt.Fprintln(out, f.style().Bold(term.Clean(answer.TableName(t.GetRef()))))
	if t.GetDescription() != "" {
		fmt.Fprintln(out, term.Clean(t.GetDescription()))
	}
	for _, fact := range factsOf(t, f.Clock()) {
		if fact[1] != "" {
			fmt.Fprintf(out, "  %s: %s\n", fact[0], term.Clean(fact[1]))
		}
	}
	fmt.Fprintln(out)
	titles, rows := columnsOf(t)
	fmt.Fprint(out, term.Table(titles, rows, f.tableWidth(format.wide), f.style()))
	printPersonal(out, t)
	printJoins(out, t)
	if len(like) > 0 {
		fmt.Fprintln(out, "\nlike it")
	}
	for _, l := range like {
		fmt.Fprintf(out, "  %s (%s)\n", term.Clean(answer.TableName(l.GetTable().GetRef())), term.Clean(strings.Join(l.GetReasons(), "; ")))
	}
}

// dependencies says which columns depend on which: "film: rating, length; shop: town".
func dependencies(t *commonv1.TableDetail) string {
	var out []string
	for _, d := range t.GetDependencies() {
		out = append(out, d.GetColumn()+": "+strings.Join(d.GetDetermines(), ", "))
	}
	return strings.Join(out, "; ")
}

// factsOf are names and values; an empty value is not known.
func factsOf(t *commonv1.TableDetail, now time.Time) [][2]string {
	facts := [][2]string{
		{"mart", t.GetMart()}, {"topic", t.GetTopic()}, {"tags", strings.Join(t.GetTags(), ", ")}, {"layer", t.GetLayer()},
		{"country", t.GetCountry()}, {"grain", t.GetGrain()}, {"owner", t.GetOwner()}, {"rows", counted(t.GetRowCount())},
		{"lines that could not be read", positive(t.GetUnreadRows())}, {"partitioned by", strings.Join(namesWhere(t, (*commonv1.Column).GetPartition), ", ")},
		{"key", strings.Join(namesWhere(t, (*commonv1.Column).GetPrimaryKey), ", ")}, {"rows told apart by", strings.Join(t.GetRowKey(), ", ")},
		{"depend on a column", dependencies(t)},
	}
	if at := t.GetUpdatedAt(); at != nil {
		facts = append(facts, [2]string{"updated", at.AsTime().Format("2006-01-02 15:04 MST") + ago(now.Sub(at.AsTime()))})
	}
	if q := t.GetQuality(); q > 0 {
		facts = append(facts, [2]string{"quality", fmt.Sprintf("%.2f of 1", q)})
	}
	facts = append(facts, [2]string{"used", useOf(t)}, [2]string{"made from", upstreamOf(t)})
	if t.GetSuccessor() != "" {
		facts = append(facts, [2]string{"deprecated, use", t.GetSuccessor()})
	}
	return facts
}

// upstreamOf are the tables that it is made from.
func upstreamOf(t *commonv1.TableDetail) string {
	var names []string
	for _, ref := range t.GetUpstream() {
		names = append(names, answer.TableName(ref))
	}
	return strings.Join(names, ", ")
}

// counted is a number that may not be known.
func counted(n int64) string {
	if n < 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// positive is a number that is told where there is any.
func positive(n int64) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func ago(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < 48*time.Hour:
		return fmt.Sprintf(" (%d h ago)", int(d.Hours()))
	}
	return fmt.Sprintf(" (%d days ago)", int(d.Hours()/24))
}

func namesWhere(t *commonv1.TableDetail, is func(*commonv1.Column) bool) []string {
	var names []string
	for _, c := range t.GetColumns() {
		if is(c) {
			names = append(names, c.GetName())
		}
	}
	return names
}

// useOf says how much a table is used, in a line.
func useOf(t *commonv1.TableDetail) string {
	var parts []string
	if n := t.GetQueryCount_30D(); n > 0 || t.GetUsage() != nil {
		parts = append(parts, fmt.Sprintf("%d queries in 30 days", n))
	}
	if n := t.GetUsage().GetPeople(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d people", n))
	}
	if day := t.GetUsage().GetLastDay(); day != "" {
		parts = append(parts, "last on "+day)
	}
	return strings.Join(parts, ", ")
}

// columnsOf are the columns of a table as a table, a line each.
func columnsOf(t *commonv1.TableDetail) (titles []term.Column, rows [][]string) {
	queries := make(map[string]int64)
	for _, c := range t.GetUsage().GetColumns() {
		queries[strings.ToLower(c.GetColumn())] = c.GetQueries()
	}
	titles = []term.Column{{Title: "column"}, {Title: "type"}, {Title: "role"}, {Title: "meaning"}, {Title: "values"}}
	if len(queries) > 0 {
		titles = append(titles, term.Column{Title: "queries", Right: true})
	}
	rows = make([][]string, 0, len(t.GetColumns()))
	for _, c := range t.GetColumns() {
		role := ""
		switch {
		case c.GetPrimaryKey():
			role = "key"
		case c.GetPartition():
			role = "partition"
		}
		if p := c.GetPersonal(); p != nil {
			role = strings.TrimPrefix(role+", personal: "+p.GetKind(), ", ")
		}
		row := []string{c.GetName(), typeOf(c), role, meaningOf(c), valuesOf(c)}
		if n := queries[strings.ToLower(c.GetName())]; len(queries) > 0 && n > 0 {
			row = append(row, fmt.Sprint(n))
		} else if len(queries) > 0 {
			row = append(row, "")
		}
		rows = append(rows, row)
	}
	return titles, rows
}

// valuesOf are the first stored values of a column, or of days and numbers the range.
func valuesOf(c *commonv1.Column) string {
	samples := c.GetSampleValues()
	switch {
	case len(samples) > 0:
		return strings.Join(samples[:min(len(samples), maxSamplesShown)], ", ")
	case c.GetLow() != c.GetHigh():
		return c.GetLow() + " to " + c.GetHigh()
	}
	return c.GetLow()
}

// typeOf is a column's type, with the unit of its numbers.
func typeOf(c *commonv1.Column) string {
	if c.GetUnit() == "" {
		return c.GetType()
	}
	return c.GetType() + " (" + c.GetUnit() + ")"
}

// meaningOf is what the owner says of a column, and what the reading of its file
// found that figures depend on.
func meaningOf(c *commonv1.Column) string {
	var parts []string
	if c.GetComment() != "" {
		parts = append(parts, c.GetComment())
	}
	if c.GetResembles() != "" {
		parts = append(parts, "text that looks like "+c.GetResembles()+"s: ordered by its letters")
	}
	if c.GetWritten() != "" {
		parts = append(parts, "in the file: "+c.GetWritten())
	}
	if n := c.GetAbsent(); n > 0 && c.GetWritten() == "" { // else it names the words, each with its number
		parts = append(parts, fmt.Sprintf("words for no value: %d", n))
	}
	if n := c.GetUnread(); n > 0 {
		parts = append(parts, fmt.Sprintf("values that could not be read: %d", n))
	}
	return strings.Join(parts, "; ")
}

// printPersonal says why columns are taken to hold data of persons.
func printPersonal(out io.Writer, t *commonv1.TableDetail) {
	for _, c := range t.GetColumns() {
		if p := c.GetPersonal(); p != nil {
			fmt.Fprintf(out, "%s holds data of persons (%s): %s\n", term.Clean(c.GetName()), p.GetKind(), term.Clean(p.GetReason()))
		}
	}
}

// printJoins prints foreign keys, and what people joined the table with.
func printJoins(out io.Writer, t *commonv1.TableDetail) {
	for _, key := range t.GetForeignKeys() {
		fmt.Fprintf(out, "%s → %s (%s)\n", term.Clean(strings.Join(key.GetColumns(), ", ")), term.Clean(answer.TableName(key.GetRefTable())), term.Clean(strings.Join(key.GetRefColumns(), ", ")))
	}
	joins := t.GetUsage().GetJoins()
	if len(joins) > 0 {
		fmt.Fprintln(out, "\njoined with")
	}
	for _, j := range joins[:min(len(joins), maxJoinsShown)] {
		on := "read together"
		if len(j.GetColumns()) > 0 {
			on = strings.Join(j.GetColumns(), ", ") + " = " + strings.Join(j.GetRefColumns(), ", ")
		}
		fmt.Fprintf(out, "  %s: %s (%d queries, last on %s)\n", term.Clean(answer.TableName(j.GetTable())), term.Clean(on), j.GetQueries(), j.GetLastDay())
	}
}
