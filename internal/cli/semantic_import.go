package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/semantic/foreign"
)

// foreignFormat is a format that definitions are imported from.
type foreignFormat struct {
	name, file, what string
	read             func([]byte) (*semantic.Layer, []foreign.Skipped, error)
}

func foreignFormats() []foreignFormat {
	return []foreignFormat{
		{"dbt", "FILE", "dbt's target/semantic_manifest.json", foreign.DBT},
		{"cube", "FILE", "a YAML model file of Cube", foreign.Cube},
		{"openmetadata", "FILE", "metrics of OpenMetadata, as its API gives them in JSON", foreign.OpenMetadata},
	}
}

func newSemanticImportCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "import", Short: "Make a layer from metric definitions of another product"}
	for _, format := range foreignFormats() {
		var out, mart string
		sub := &cobra.Command{
			Use:   format.name + " " + format.file,
			Short: "Import " + format.what,
			Long: "Import " + format.what + ` as a semantic layer. What has no equivalent
is left out, and said on the error stream. A FILE of - is standard input; the layer
goes to standard output, or to the file of --out.`,
			Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return runSemanticImport(f, format, args[0], out, mart) },
		}
		sub.Flags().StringVar(&out, "out", "", "file to write, which must not be there")
		sub.Flags().StringVar(&mart, "mart", "", "mart of all that is imported")
		cmd.AddCommand(sub)
	}
	return cmd
}

func runSemanticImport(f *Factory, format foreignFormat, name, out, mart string) error {
	text, err := readForeign(f, name)
	if err != nil {
		return err
	}
	layer, skipped, err := format.read(text)
	if err != nil {
		return fault.Invalid("file", "IMPORT_UNREADABLE", "%s: %v", name, err)
	}
	for _, s := range skipped {
		if _, err := fmt.Fprintf(f.IO.Err, "left out: %s: %s\n", s.What, s.Why); err != nil {
			return err
		}
	}
	var b strings.Builder
	if err := semantic.Write(&b, mart, layer); err != nil {
		return err
	}
	if out == "" {
		_, err = io.WriteString(f.IO.Out, b.String())
	} else {
		if _, err := os.Lstat(out); err == nil {
			return fault.Invalid("out", "FILE_EXISTS", "%s is there already: name another file, or remove it", out)
		}
		err = createFile(out, []byte(b.String()))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.IO.Err, "%s; %d left out\n", sizeOf(layer), len(skipped))
	return err
}

func readForeign(f *Factory, name string) ([]byte, error) {
	from := f.IO.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, unreadable(err)
		}
		defer func() { _ = file.Close() }() // read only
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, foreign.MaxBytes+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(text) > foreign.MaxBytes {
		return nil, fault.Invalid("file", "IMPORT_TOO_BIG", "%s has over %d bytes", name, foreign.MaxBytes)
	}
	return text, nil
}
