package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// maxGuessed is how many entries of a folder are looked at to say what it seems to be.
const maxGuessed = 1000

// kindOfEnding is the command of `dibrain ingest` that reads a file of an ending; packed
// files have the kind of what is in them.
func kindOfEnding(name string) string {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst", ".bz2"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch filepath.Ext(name) {
	case ".csv", ".tsv", ".txt":
		return "csv"
	case ".json", ".jsonl", ".ndjson", ".xlsx":
		return "files"
	case ".parquet":
		return "parquet"
	case ".duckdb", ".ddb":
		return "duckdb"
	case ".sqlite", ".sqlite3", ".db":
		return "sqlite"
	case ".sql", ".dump":
		return "sql-dump"
	}
	return ""
}

// kindOf is the command of `dibrain ingest` that a path seems to be for; "" where nothing
// tells it.
func kindOf(path string) string {
	if strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") {
		return "trino"
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		kind := kindOfEnding(path) // a pattern has an ending too
		if kind == "sqlite" && err == nil && info.Mode().IsRegular() && isDuckDB(path) {
			return "duckdb" // programs give such files the ending of any database
		}
		return kind
	}
	dir, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(maxGuessed)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	if slices.Contains(names, "dbt_project.yml") || slices.Contains(names, "manifest.json") {
		return "dbt"
	}
	var kinds []string
	for _, name := range names {
		kind := kindOfEnding(name)
		if kind == "sqlite" {
			kind = "files" // it reads them in folders
		}
		if readsFolders := kind == "csv" || kind == "files" || kind == "parquet"; readsFolders && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	switch len(kinds) {
	case 0:
		return ""
	case 1:
		return kinds[0]
	}
	return "files" // it reads several kinds together
}

// isDuckDB reports a file with the sign that DuckDB writes behind the first eight bytes.
func isDuckDB(path string) bool {
	const behind, sign = 8, "DUCK"
	file, err := os.Open(path) //nolint:gosec // the file that the person named
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, len(sign))
	_, err = file.ReadAt(head, behind)
	return err == nil && string(head) == sign
}

// kindMissing is the error of `dibrain ingest PATH --name NAME` without the kind of the data.
func kindMissing(f *Factory, cmd *cobra.Command, path, name string) error {
	var kinds []string
	for _, sub := range cmd.Commands() {
		kinds = append(kinds, sub.Name())
	}
	all := strings.Join(kinds, ", ")
	if path == "" {
		return badUsage("say what kind of data it is, before its path: %s. `%s --help` tells them apart.", all, cmd.CommandPath())
	}
	if name == "" {
		name = "NAME"
	}
	if kind := kindOf(path); kind != "" {
		return badUsage("say what kind of data %s is: it seems to be for `%s`. The kinds are %s; `%s --help` tells them apart.",
			path, f.command("ingest "+kind, "", shellWord(path), "--name "+shellWord(name)), all, cmd.CommandPath())
	}
	return badUsage("say what kind of data %s is: %s, as in `%s`. `%s --help` tells them apart.",
		path, all, f.command("ingest csv", "", shellWord(path), "--name "+shellWord(name)), cmd.CommandPath())
}

// kindFlagError tells of a flag that the kinds of data have and the group has not, that the
// kind is missing.
func kindFlagError(f *Factory) func(*cobra.Command, error) error {
	return func(cmd *cobra.Command, err error) error {
		unknown := (*pflag.NotExistError)(nil)
		if errors.As(err, &unknown) && slices.ContainsFunc(cmd.Commands(), func(sub *cobra.Command) bool {
			return sub.LocalFlags().Lookup(unknown.GetSpecifiedName()) != nil
		}) {
			name, _ := cmd.Flags().GetString("name")
			return kindMissing(f, cmd, cmd.Flags().Arg(0), name)
		}
		return flagError(cmd, err)
	}
}
