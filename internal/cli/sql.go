package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/parser"
)

func newSQLCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sql",
		Short: "Check, repair, format, transpile and explain Presto SQL",
		Long: `Work on Presto SQL from files, folders (all their .sql files), or standard
input with "-". A file may hold several statements with semicolons between them.
Exit codes, for scripts and commit hooks: 0 nothing to say, 1 problems found, 2
bad input.`,
	}
	cmd.AddCommand(
		newSQLCheckCommand(f), newSQLFormatCommand(f), newSQLTranspileCommand(f),
		newSQLLineageCommand(f), newSQLGuardCommand(f), newSQLExplainCommand(f), newSQLFixCommand(f), newSQLLintCommand(f), newSQLLSPCommand(f),
	)
	return cmd
}

// script is a text that was given, with the name to call it by.
type script struct {
	name string
	path string // of the file; empty for standard input
	text string
}

// part is one statement of a script.
type part struct {
	script *script
	text   string
	line   int // where it begins, from 1
	column int
}

// place turns a position in a part into one in its script.
func (p part) place(line, column int) (int, int) {
	switch {
	case line == 0:
		return p.line, p.column
	case line == 1:
		return p.line, p.column + column - 1
	}
	return p.line + line - 1, column
}

// parts cuts a script into statements. There is at least one: a text without any
// gives the parser's own error.
func (s *script) parts() []part {
	var parts []part
	for _, cut := range parser.Split(s.text) {
		p := part{script: s, text: s.text[cut.Start:cut.End]}
		p.line, p.column = parser.LineOf(s.text, cut.Start)
		parts = append(parts, p)
	}
	if parts == nil {
		parts = []part{{script: s, text: s.text, line: 1, column: 1}}
	}
	return parts
}

// readScripts reads the files, folders or standard input that were named.
func readScripts(in io.Reader, args []string) ([]*script, error) {
	if len(args) == 0 {
		args = []string{"-"}
	}
	var scripts []*script
	for _, arg := range args {
		found, err := readArgument(in, arg)
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, found...)
	}
	return scripts, nil
}

func readArgument(in io.Reader, arg string) ([]*script, error) {
	if arg == "-" {
		text, err := readText(in)
		if err != nil {
			return nil, err
		}
		return []*script{{name: "stdin", text: text}}, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, unreadable(err)
	}
	paths := []string{arg}
	if info.IsDir() {
		if paths, err = sqlFiles(arg); err != nil {
			return nil, err
		}
	}
	var scripts []*script
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, unreadable(err)
		}
		text, err := readText(file)
		_ = file.Close() // opened for reading
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, &script{name: path, path: path, text: text})
	}
	return scripts, nil
}

// sqlFiles returns the .sql files of a folder and the folders in it.
func sqlFiles(dir string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != dir && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.IsDir() && strings.EqualFold(filepath.Ext(path), ".sql"):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		return nil, unreadable(err)
	}
	if len(paths) == 0 {
		return nil, fault.Invalid("file", "NO_SQL_FILES", "there is no .sql file in %s", dir)
	}
	return paths, nil
}

// maxScript bounds a script; each of its statements has the parser's own bound.
const maxScript = 16 * parser.MaxBytes

func readText(in io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxScript+1))
	if err != nil {
		return "", unreadable(err)
	}
	if len(text) > maxScript {
		return "", fault.Invalid("file", "FILE_TOO_LARGE", "a file of more than %d MiB is not read", maxScript>>20)
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", fault.Invalid("file", "SQL_EMPTY", "there is no statement: name a file, or write one to standard input")
	}
	return string(text), nil
}

func unreadable(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fault.Invalid("file", "FILE_UNREADABLE", "%s cannot be read: %v", path.Path, path.Err)
	}
	return fault.Invalid("file", "FILE_UNREADABLE", "the statement cannot be read: %v", err)
}

// oneStatement reads the single statement that a command works on.
func oneStatement(in io.Reader, args []string) (part, error) {
	scripts, err := readScripts(in, args)
	if err != nil {
		return part{}, err
	}
	if len(scripts) > 1 {
		return part{}, fault.Invalid("file", "ONE_STATEMENT", "name one file with one statement")
	}
	s := scripts[0]
	if len(s.parts()) > 1 {
		return part{}, fault.Invalid("file", "ONE_STATEMENT", "%s holds %d statements: this command works on one", s.name, len(s.parts()))
	}
	return part{script: s, text: s.text, line: 1, column: 1}, nil
}
