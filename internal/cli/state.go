package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/internal/state"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/store/postgres"
)

// stateOptions are the configuration, and what backups and restores of it go by.
func stateOptions(f *Factory) (*config.Config, state.Options, error) {
	cfg, err := f.Config()
	if err != nil {
		return nil, state.Options{}, err
	}
	o := state.Options{DataDir: cfg.DataDir, AuditFile: cfg.Auth.AuditFile, Program: f.Build.Version, Clock: f.Clock}
	if cfg.Store.Kind != config.StorePostgres {
		return cfg, o, nil
	}
	db, err := databaseConfig(f, cfg)
	if err != nil {
		return nil, o, err
	}
	o.Database = &db
	o.Schemas, err = state.Schemas()
	return cfg, o, err
}

// audited is what came of a command that changes what is kept, once the audit log has its line.
func audited(ctx context.Context, cfg *config.Config, command, object string, done error) error {
	return errors.Join(done, app.AuditCommand(ctx, *cfg, command, object, done))
}

func databaseConfig(f *Factory, cfg *config.Config) (postgres.Config, error) {
	options, err := f.appOptions(cfg)
	if err != nil {
		return postgres.Config{}, err
	}
	db := app.Postgres(cfg.Store)
	db.Clock, db.Log = f.Clock, options.Logger
	return db, nil
}

func newBackupCommand(f *Factory) *cobra.Command {
	var without bool
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Take a backup of all that is kept, while processes serve",
		Long: "Write sessions, runs, results, preferences, verified queries, analyses, API tokens, layers and\n" +
			"sources to FILE, a compressed tar that must not be there yet, readable by its owner alone. Each\n" +
			"store is as it was at one moment. With store.kind postgres its tables are in it too. Keys and the\n" +
			"audit log are not.",
		Example: "  dibrain backup /backups/dibrain-monday.tar.gz",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, o, err := stateOptions(f)
			if err != nil {
				return err
			}
			o.WithoutSources = without
			m, err := writeBackup(cmd.Context(), o, args[0])
			if err := audited(cmd.Context(), cfg, "backup", args[0], err); err != nil {
				return err
			}
			bytes := int64(0)
			for _, p := range m.Parts {
				bytes += p.Bytes
			}
			_, err = fmt.Fprintf(f.IO.Out, "%s: %d files, %.1f MB before compression\n", args[0], len(m.Parts), float64(bytes)/1e6)
			return err
		},
	}
	cmd.Flags().BoolVar(&without, "without-sources", false, "leave out the data of sources, which can be ingested again")
	return cmd
}

// writeBackup writes a backup to a file that takes its name when it is whole.
func writeBackup(ctx context.Context, o state.Options, name string) (m state.Manifest, err error) {
	if inside, err := within(o.DataDir, name); err != nil || inside {
		return m, errors.Join(err, badUsage("%s is in the data directory, which the backup is of: choose another place", name))
	}
	err = writeNew(name, "the backup", func(out io.Writer) (err error) {
		m, err = state.Backup(ctx, o, out)
		return err
	})
	return m, err
}

// writeNew writes a file that takes its name when it is whole, for its owner alone; what is
// it in an error.
func writeNew(name, what string, write func(io.Writer) error) error {
	if _, err := os.Lstat(name); err == nil {
		return badUsage("%s is there already: choose another name", name)
	}
	out, err := os.CreateTemp(filepath.Dir(name), ".dibrain-new-*") // mode 0600
	if err != nil {
		return badUsage("%s cannot be written: %w", what, err)
	}
	defer func() { _ = os.Remove(out.Name()) }()
	if err := errors.Join(write(out), out.Sync(), out.Close()); err != nil {
		return err
	}
	return os.Link(out.Name(), name) // not over one that came meanwhile
}

// within reports whether a file would be in a folder.
func within(dir, file string) (bool, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(dir, abs)
	return err == nil && filepath.IsLocal(rel), nil
}

func newRestoreCommand(f *Factory) *cobra.Command {
	var replace bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Bring a backup back, while no process serves",
		Long: "Check the whole of FILE, then bring what is in it back to the data directory, and to the database of\n" +
			"store.kind postgres. Both must be empty, or --replace removes what is there. Backups of earlier\n" +
			"versions are taken; stores are brought up to date by the next start, or by dibrain migrate.",
		Example: "  dibrain restore /backups/dibrain-monday.tar.gz",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, o, err := stateOptions(f)
			if err != nil {
				return err
			}
			in, err := os.Open(args[0])
			if err != nil {
				return badUsage("the backup cannot be read: %w", err)
			}
			defer in.Close() //nolint:errcheck // it was read
			m, err := state.Restore(cmd.Context(), o, in, replace)
			if err := audited(cmd.Context(), cfg, "restore", args[0], err); err != nil {
				return err
			}
			_, err = fmt.Fprintf(f.IO.Out, "restored %d files, as of %s UTC, made by dibrain %s\n", len(m.Parts), m.Made.Format("2006-01-02 15:04:05"), m.Program)
			return err
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "remove what is there first")
	return cmd
}

func newMigrateCommand(f *Factory) *cobra.Command {
	var dry bool
	var table tableFlags
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the stores up to date, or say what would be done",
		Long: "Bring what a data directory and the database keep to this version's form, so that the first process\n" +
			"that starts need not. Where a store is in the database and its file of before is there still, the file\n" +
			"is brought into the empty tables and put aside. Migrations go forward only, each all of it or nothing; a process of the version\n" +
			"before goes on meanwhile where the migrations say so, and refuses to start where they do not.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := f.Config()
			if err != nil {
				return err
			}
			db, err := databaseConfig(f, cfg)
			if err != nil {
				return err
			}
			if dry {
				list, err := state.Versions(cmd.Context(), *cfg, db)
				if err != nil {
					return err
				}
				return printVersions(f, table, list, "would be done")
			}
			list, err := state.Migrate(cmd.Context(), *cfg, db)
			if err := audited(cmd.Context(), cfg, "migrate", "", err); err != nil {
				return err
			}
			return printVersions(f, table, list, "done")
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be done, and do nothing")
	table.add(cmd, "print the stores as JSON")
	return cmd
}

func printVersions(f *Factory, table tableFlags, list []state.Kept, word string) error {
	if table.asJSON() {
		type line struct {
			Store   string   `json:"store"`
			Place   string   `json:"place"`
			Have    int64    `json:"have"` // 0: there is none yet
			Known   int64    `json:"known"`
			Pending []string `json:"pending"`
			Takes   string   `json:"takes,omitempty"` // a file of before
		}
		lines := make([]line, len(list))
		for i, k := range list {
			lines[i] = line{k.Name, k.Place, k.Have, k.Known, append([]string{}, k.Pending...), k.Takes}
		}
		return writeOwnJSON(f.IO.Out, lines)
	}
	rows := make([][]string, len(list))
	for i, k := range list {
		what := strings.Join(k.Pending, " ")
		switch {
		case k.Have == 0 && k.Place != "PostgreSQL":
			what = "nothing: not there yet"
		case len(k.Pending) == 0:
			what = "nothing: up to date"
		}
		if k.Takes != "" {
			what = "brings " + k.Takes + " into the database"
		}
		rows[i] = []string{k.Name, k.Place, strconv.FormatInt(k.Have, 10), strconv.FormatInt(k.Known, 10), what}
	}
	return table.print(f, []term.Column{
		{Title: "store", Whole: true}, {Title: "place", Whole: true}, {Title: "has", Right: true}, {Title: "version", Right: true}, {Title: word},
	}, rows)
}
