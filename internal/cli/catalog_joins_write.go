package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/catalog/correct"
	"github.com/dibrain/dibrain/pkg/fault"
)

// joinsFileHead explains a file of corrections to whoever edits it.
const joinsFileHead = `# Corrections of the source %[1]s. They are in force, without another ingest, in the file
#   %[2]s
# docs/own-data.md tells what else may be said here.

# A join that means nothing is taken out by taking off the # before it:
not_joins:
`

// joinsFileEnd is the form of what is missing.
const joinsFileEnd = `
# A join that is missing is said like this; without to_columns the key is meant:
joins:
#  - {from: TABLE, columns: [COLUMN], to: OTHER_TABLE, to_columns: [COLUMN]}
`

// correctionsOf writes joins as a file of corrections that corrects nothing yet.
func correctionsOf(source, path string, joins []joinShown) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, joinsFileHead, source, path)
	for _, j := range joins {
		var line yaml.Node
		if err := line.Encode(correct.Join{From: j.From, Columns: j.Columns, To: j.To, ToColumns: j.ToColumns}); err != nil {
			return "", fmt.Errorf("write the join of %s: %w", j.From, err)
		}
		line.Style = yaml.FlowStyle
		text, err := yaml.Marshal(&line)
		if err != nil {
			return "", fmt.Errorf("write the join of %s: %w", j.From, err)
		}
		fmt.Fprintf(&b, "#  - %s # %s%s\n", strings.Join(strings.Fields(string(text)), " "), knownBy(j.Known), strings.Join(strings.Fields(term.Clean(j.Evidence)), " "))
	}
	b.WriteString(joinsFileEnd)
	return b.String(), nil
}

// writeJoins writes the joins of a source into a file that is not there yet, to be corrected.
func writeJoins(f *Factory, file, source string, joins []joinShown) error {
	path := correct.Path(f.dataDir(), source)
	text, err := correctionsOf(source, path, joins)
	if err != nil {
		return err
	}
	if same, err := filepath.Abs(file); err == nil && same == path {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("make the folder of %s: %w", path, err)
		}
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fault.Invalid("write", "FILE_EXISTS", "%s is there already and may hold corrections: name another file", file)
	}
	if err != nil {
		return fault.Invalid("write", "FILE_NOT_WRITABLE", "%s cannot be written: %v", file, err)
	}
	_, err = out.WriteString(text)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	fmt.Fprintf(f.IO.Out, "%s in %s, to be taken out or added to; corrections are in force in %s\n", plural(len(joins), "join is", "joins are"), file, path)
	return nil
}
