package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
)

// tableFormats are the values of --format; the first is the default.
var tableFormats = [...]string{"table", "csv", "json", "md"}

// tableFormat is the value of --format.
type tableFormat string

// String implements pflag.Value.
func (t *tableFormat) String() string { return string(*t) }

// Type implements pflag.Value.
func (t *tableFormat) Type() string { return "format" }

// Set implements pflag.Value.
func (t *tableFormat) Set(text string) error {
	if !slices.Contains(tableFormats[:], text) {
		return fmt.Errorf("use %s", strings.Join(tableFormats[:], ", "))
	}
	*t = tableFormat(text)
	return nil
}

// tableFlags say how a command prints its table.
type tableFlags struct {
	format tableFormat
	wide   bool
	json   bool
}

// add adds the flags; whatJSON is the help of --json.
func (t *tableFlags) add(cmd *cobra.Command, whatJSON string) {
	t.format = tableFormat(tableFormats[0])
	flags := cmd.Flags()
	flags.Var(&t.format, "format", "table, csv, json (as --json) or md (Markdown)")
	flags.BoolVar(&t.wide, "wide", false, "cut no column at the width of the terminal")
	flags.BoolVar(&t.json, "json", false, whatJSON)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(tableFormats[:], cobra.ShellCompDirectiveNoFileComp)) // it fails for an unknown flag only
}

func (t *tableFlags) asJSON() bool { return t.json || t.format == "json" }

// asTable reports whether a person reads the table; everything else is for programs
// and files, and has nothing beside it.
func (t *tableFlags) asTable() bool { return !t.asJSON() && (t.format == "" || t.format == "table") }

// print writes a table in the format that was asked for. JSON is the command's own.
func (t *tableFlags) print(f *Factory, columns []term.Column, rows [][]string) error {
	switch t.format {
	case "csv":
		return term.WriteCSV(f.IO.Out, columns, rows)
	case "md":
		_, err := fmt.Fprint(f.IO.Out, term.Markdown(columns, rows))
		return err
	}
	_, err := fmt.Fprint(f.IO.Out, term.Table(columns, rows, f.tableWidth(t.wide), f.style()))
	return err
}

// remark says something beside a table: on the error stream where the table is for a
// program or a file.
func (t *tableFlags) remark(f *Factory, format string, args ...any) {
	to := f.IO.Out
	if !t.asTable() {
		to = f.IO.Err
	}
	fmt.Fprintf(to, format+"\n", args...)
}

// tableWidth is where the columns of a table are cut: at the terminal's width. What
// goes into a pipe or a file is whole, and so is what --wide asks for.
func (f *Factory) tableWidth(wide bool) int {
	if wide || !f.IO.IsTTY {
		return 0
	}
	return f.IO.Width()
}
