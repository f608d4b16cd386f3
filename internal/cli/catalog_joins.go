package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/semantic"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// Bounds of `catalog joins`.
const (
	joinsPage      = 500    // tables of one call
	maxJoinsTables = 10_000 // tables that are looked at
)

// joinShown is a join as it is printed, and its JSON form.
type joinShown struct {
	From        string               `json:"from"`
	Columns     []string             `json:"columns"`
	To          string               `json:"to"`
	ToColumns   []string             `json:"to_columns"`
	Cardinality semantic.Cardinality `json:"cardinality"`
	Known       string               `json:"known"` // declared, found, person, history or names
	Evidence    string               `json:"evidence,omitempty"`
	Values      int64                `json:"values_compared,omitempty"`
	Bridge      bool                 `json:"bridge,omitempty"` // the key of the table is made of such columns
}

func newCatalogJoinsCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	var source, write string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "joins [TABLE]",
		Short: "Show how tables are joined, and what speaks for each join",
		Long: `Show how the tables of a source, or one of them, are joined, and what speaks for
each join: that it is declared, that its values were compared with the key they
point to, that the query history joins so, or a name alone. Then what tells the rows
of a table apart where that is several columns, and by what rows are called.

What is wrong or missing is corrected in DATA_DIR/corrections/SOURCE.yaml;
docs/own-data.md tells how, and --write begins such a file.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, source)
			if err != nil {
				return err
			}
			defer services.Close()
			tellDefault(f, services, source)
			tables, err := allTables(cmd.Context(), f, services.Catalog, source)
			if err != nil {
				return err
			}
			only := ""
			if len(args) > 0 {
				i := slices.IndexFunc(tables, func(t catalog.Table) bool { return semantic.Matches(args[0], &t) })
				if i < 0 {
					return fault.NotFound("TABLE_UNKNOWN", "there is no table %s; %s shows all", args[0], f.command("catalog list", source))
				}
				only = tables[i].Name.String()
			}
			layer := semantic.Derive(tables)
			joins := joinsShown(tables, layer, only)
			if write != "" {
				cfg, err := f.Config()
				if err != nil {
					return err
				}
				return writeJoins(f, write, cmp.Or(source, cfg.Source), joins)
			}
			if asJSON {
				return writeOwnJSON(f.IO.Out, struct {
					Joins []joinShown `json:"joins"`
				}{joins})
			}
			return printJoinsShown(f, joins, layer, only)
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&source, "source", "", "source of the tables (default: config key source)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the joins as JSON")
	cmd.Flags().StringVar(&write, "write", "", "write the joins into this new file of corrections, to take them out or add others")
	cmd.MarkFlagsMutuallyExclusive("json", "write")
	completeTables(f, cmd, &remote, &source)
	return cmd
}

// allTables reads the tables of a source with their columns, a page at a time.
func allTables(ctx context.Context, f *Factory, client findatav1.CatalogServiceClient, source string) ([]catalog.Table, error) {
	var out []catalog.Table
	request := &findatav1.ListTablesRequest{Source: source, PageSize: joinsPage, WithColumns: true}
	for {
		page, err := client.ListTables(ctx, request)
		if err != nil {
			return nil, err
		}
		out = append(out, catalogpb.ToTables(page.GetTables())...)
		if request.PageToken = page.GetNextPageToken(); request.GetPageToken() == "" {
			return out, nil
		}
		if len(out) >= maxJoinsTables {
			return nil, fault.Invalid("source", "TOO_MANY_TABLES", "the source has more than %d tables: \"%s\" shows the joins of one", maxJoinsTables, f.command("catalog show", source, "TABLE"))
		}
	}
}

// joinsShown are the joins that are in force where no semantic layer says otherwise.
func joinsShown(tables []catalog.Table, layer *semantic.Layer, only string) []joinShown {
	byName := make(map[string]*catalog.Table, len(tables))
	for i := range tables {
		byName[tables[i].Name.String()] = &tables[i]
	}
	out := []joinShown{}
	for _, j := range layer.Joins {
		if only != "" && j.From != only && j.To != only {
			continue
		}
		shown := joinShown{From: j.From, Columns: j.Columns, To: j.To, ToColumns: j.ToColumns, Cardinality: j.Cardinality, Known: "names", Evidence: "the names agree; values were not compared"}
		from := byName[j.From]
		for _, k := range from.ForeignKeys {
			if k.RefTable.String() != j.To || !slices.Equal(k.Columns, j.Columns) {
				continue
			}
			switch {
			case k.Found == nil:
				shown.Known, shown.Evidence = "declared", ""
			case k.Found.Person:
				shown.Known, shown.Evidence = "person", k.Found.Reason
			default:
				shown.Known, shown.Evidence, shown.Values = "found", overlapOf(k.Found, byName[j.To]), k.Found.Values
			}
		}
		if shown.Known == "names" && j.Uses > 0 {
			shown.Known, shown.Evidence = "history", fmt.Sprintf("%d queries join so", j.Uses)
		}
		key := from.PrimaryKey()
		shown.Bridge = len(key) > 1 && len(key) > len(j.Columns) && !slices.ContainsFunc(j.Columns, func(c string) bool { return !slices.Contains(key, c) })
		out = append(out, shown)
	}
	return out
}

// overlapOf says how the values of a key that was found lie in those it points to.
func overlapOf(e *catalog.Evidence, to *catalog.Table) string {
	text := e.Reason
	if e.Values > 0 {
		of := ""
		if to != nil && to.RowCount > 0 {
			of = fmt.Sprintf(" among %d different keys", to.RowCount)
		}
		text = fmt.Sprintf("all %d values are there%s; %s", e.Values, of, e.Reason)
	}
	if e.Sampled {
		text += "; a sample of the rows was compared"
	}
	return text
}

func printJoinsShown(f *Factory, joins []joinShown, layer *semantic.Layer, only string) error {
	if len(joins) == 0 {
		fmt.Fprintln(f.IO.Out, "no table is joined with another: say how in the corrections of the source")
	}
	for _, j := range joins { // lines and no table: names are never cut
		fmt.Fprintf(f.IO.Out, "%s (%s) → %s (%s)\n  %s, %s%s\n",
			term.Clean(j.From), term.Clean(strings.Join(j.Columns, ", ")), term.Clean(j.To), term.Clean(strings.Join(j.ToColumns, ", ")),
			strings.ReplaceAll(string(j.Cardinality), "_", " "), knownBy(j.Known), term.Clean(j.Evidence))
	}
	bridges := map[string][]string{}
	var order []string
	for _, j := range joins {
		if j.Bridge && j.From != j.To {
			if bridges[j.From] == nil {
				order = append(order, j.From)
			}
			bridges[j.From] = append(bridges[j.From], j.To)
		}
	}
	for _, bridge := range order {
		if to := bridges[bridge]; len(to) > 1 {
			fmt.Fprintf(f.IO.Out, "%s is a bridge: it joins %s many to many\n", term.Clean(bridge), term.Clean(strings.Join(to, " and ")))
		}
	}
	for i := range layer.Entities {
		if e := &layer.Entities[i]; len(e.Label) > 0 && (only == "" || e.Table == only) {
			fmt.Fprintf(f.IO.Out, "rows of %s are called by %s\n", term.Clean(e.Table), term.Clean(strings.Join(e.Label, " and ")))
		}
	}
	return nil
}

// knownBy says how a join is known, before the evidence.
func knownBy(known string) string {
	switch known {
	case "declared":
		return "declared"
	case "found":
		return "found in the data: "
	case "person":
		return "corrected: "
	case "history":
		return "from the query history: "
	}
	return "guessed: "
}
