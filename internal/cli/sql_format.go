package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

type sqlFormatOptions struct {
	check bool
	write bool
}

func newSQLFormatCommand(f *Factory) *cobra.Command {
	o := &sqlFormatOptions{}
	cmd := &cobra.Command{
		Use:   "format [FILE|FOLDER|-]...",
		Short: "Lay statements out in the product's way, comments kept",
		Long: `Print the statements laid out: key words in upper case, clauses and conditions on
lines of their own, what is short in one line, comments kept. Statements that are
no queries stay as they are.`,
		RunE: func(_ *cobra.Command, args []string) error { return runSQLFormat(f, o, args) },
	}
	cmd.Flags().BoolVar(&o.check, "check", false, "print what would change as a diff, and give exit code 1 if anything would")
	cmd.Flags().BoolVarP(&o.write, "write", "w", false, "write the result back to the files")
	return cmd
}

func runSQLFormat(f *Factory, o *sqlFormatOptions, args []string) error {
	if o.check && o.write {
		return badUsage("--check and --write cannot go together")
	}
	scripts, err := readScripts(f.IO.In, args)
	if err != nil {
		return err
	}
	var problems []problem
	changed := false
	for _, s := range scripts {
		laid, problem := layOut(s)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		if err := o.deliver(f, s, laid); err != nil {
			return err
		}
		changed = changed || laid != s.text
	}
	if err := report(f, "text", problems); err != nil {
		return err
	}
	if o.check && changed {
		return exitWith(exitFailure)
	}
	return nil
}

// layOut returns the text of a script laid out, or its first problem.
func layOut(s *script) (string, *problem) {
	parts := s.parts()
	var b strings.Builder
	for i, p := range parts {
		statement, err := parser.Parse(p.text)
		if err != nil {
			if found, ok := problemOf(p, err); ok {
				return "", &found
			}
			found := problemAt(p, 1, 1, "UNREADABLE", err.Error())
			return "", &found
		}
		if i > 0 {
			b.WriteString("\n\n")
		}
		if statement.Query != nil || statement.Show != nil || statement.Explain != nil {
			b.WriteString(printer.Layout(statement))
		} else {
			b.WriteString(strings.TrimSpace(p.text))
		}
		if len(parts) > 1 || strings.HasSuffix(strings.TrimSpace(s.text), ";") {
			writeSemicolon(&b)
		}
	}
	rest := s.text[parser.Split(s.text)[len(parts)-1].End:]
	if tail := strings.TrimSpace(strings.TrimLeft(rest, "; \t\r\n")); tail != "" {
		b.WriteString("\n" + tail)
	}
	b.WriteString("\n")
	return b.String(), nil
}

// writeSemicolon ends a statement; after a comment to the end of the line it
// needs a line of its own.
func writeSemicolon(b *strings.Builder) {
	text := b.String()
	if strings.Contains(text[strings.LastIndexByte(text, '\n')+1:], "--") {
		b.WriteString("\n")
	}
	b.WriteString(";")
}

// deliver prints, writes or compares one result.
func (o *sqlFormatOptions) deliver(f *Factory, s *script, laid string) error {
	switch {
	case o.check:
		if laid == s.text {
			return nil
		}
		_, err := fmt.Fprint(f.IO.Out, lineDiff(s.name, s.text, laid))
		return err
	case o.write && s.path != "":
		if laid == s.text {
			return nil
		}
		info, err := os.Stat(s.path)
		if err != nil {
			return unreadable(err)
		}
		if err := os.WriteFile(s.path, []byte(laid), info.Mode().Perm()); err != nil {
			return fault.Invalid("file", "FILE_UNWRITABLE", "%s cannot be written: %v", s.path, err)
		}
		_, err = fmt.Fprintln(f.IO.Err, "laid out", s.path)
		return err
	}
	_, err := fmt.Fprint(f.IO.Out, laid)
	return err
}
