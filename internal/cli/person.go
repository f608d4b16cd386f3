package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/internal/state"
	"github.com/dibrain/dibrain/internal/term"
)

func newPersonCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "person",
		Short: "Export or delete all that is kept of a person",
		Long: "Sessions, runs, results, feedback, preferences, analyses, watches, verified queries, API tokens and\n" +
			"the query history that names a person, over all stores of the data directory and of store.kind\n" +
			"postgres. The commands open the stores, so that they are for whoever operates the server; a line of\n" +
			"each goes to auth.audit_file, which itself stays as it is.",
	}
	cmd.AddCommand(newPersonExportCommand(f), newPersonDeleteCommand(f))
	return cmd
}

// people are what the commands ask.
func people(f *Factory) (*config.Config, state.People, error) {
	cfg, err := f.Config()
	if err != nil {
		return nil, state.People{}, err
	}
	files, err := app.ResultFiles(*cfg, f.Clock, nil)
	if err != nil {
		return nil, state.People{}, err
	}
	p := state.People{Config: *cfg, Files: files, Program: f.Build.Version, Clock: f.Clock}
	if cfg.Store.Kind == config.StorePostgres {
		p.Database, err = databaseConfig(f, cfg)
	}
	return cfg, p, err
}

func newPersonExportCommand(f *Factory) *cobra.Command {
	var table tableFlags
	cmd := &cobra.Command{
		Use:   "export PRINCIPAL FILE",
		Short: "Write all that is kept of a person to a file, while processes serve",
		Long: "Write all that is kept of a person to FILE, lines of JSON, which must not be there yet and which its\n" +
			"owner alone can read. The last line says how many there are; a file without it is not whole.",
		Example: "  dibrain person export alice alice.jsonl",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, p, err := people(f)
			if err != nil {
				return err
			}
			var counts []state.PersonCount
			err = writeNew(args[1], "the file", func(out io.Writer) (err error) {
				buffered := bufio.NewWriter(out)
				counts, err = p.Export(cmd.Context(), args[0], buffered)
				return errors.Join(err, buffered.Flush())
			})
			if err := audited(cmd.Context(), cfg, "person export", args[0], err); err != nil {
				return err
			}
			return printCounts(f, table, counts, "exported")
		},
	}
	table.add(cmd, "print what was exported as JSON")
	return cmd
}

func newPersonDeleteCommand(f *Factory) *cobra.Command {
	var table tableFlags
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete PRINCIPAL --yes",
		Short: "Delete all that is kept of a person, while processes serve",
		Long: "Delete all that is kept of a person. What others work with stays without the name: verified queries\n" +
			"that were approved, what a curator decided, tokens that were made for others, counts of queries. There\n" +
			"is no way back but a backup. What the person does afterwards is kept as ever: end their sign-in first.",
		Example: "  dibrain person export alice alice.jsonl\n  dibrain person delete alice --yes",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes {
				return badUsage("this deletes all that is kept of %s, for good: give --yes to do it, and see `dibrain person export` before", args[0])
			}
			cfg, p, err := people(f)
			if err != nil {
				return err
			}
			counts, err := p.Delete(cmd.Context(), args[0])
			if err := audited(cmd.Context(), cfg, "person delete", args[0], err); err != nil {
				return err
			}
			return printCounts(f, table, counts, "deleted")
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do it")
	table.add(cmd, "print what was deleted as JSON")
	return cmd
}

// printCounts prints where something was found.
func printCounts(f *Factory, table tableFlags, counts []state.PersonCount, done string) error {
	type line struct {
		Store string `json:"store"`
		Place string `json:"place"`
		Table string `json:"table"`
		Rows  int64  `json:"rows"`
		Names int64  `json:"names"`
	}
	lines := make([]line, 0, len(counts))
	var rows [][]string
	for _, c := range counts {
		if c.Rows+c.Names == 0 {
			continue
		}
		lines = append(lines, line(c))
		rows = append(rows, []string{c.Store, c.Place, c.Table, strconv.FormatInt(c.Rows, 10), strconv.FormatInt(c.Names, 10)})
	}
	if table.asJSON() {
		return writeOwnJSON(f.IO.Out, lines)
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(f.IO.Out, "nothing is kept of this principal")
		return err
	}
	return table.print(f, []term.Column{
		{Title: "store", Whole: true}, {Title: "place", Whole: true}, {Title: "table", Whole: true}, {Title: done, Right: true}, {Title: "names", Right: true},
	}, rows)
}
