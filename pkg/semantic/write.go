package semantic

import (
	"bytes"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Write writes a layer as one file, in the order of the format's sections. Items
// of the mart of the file do not repeat it. What Load filled in is left out, so
// that what was loaded is written as it was.
func Write(w io.Writer, mart string, layer *Layer) error {
	f := file{Mart: mart}
	f.add(layer)
	f.dropMart()
	for i := range f.Metrics {
		if m := &f.Metrics[i]; m.Kind() == DistinctCount {
			m.Expr = ""
		}
		if m := &f.Metrics[i]; m.Kind() != Simple && m.Additivity == NonAdditive {
			m.Additivity = ""
		}
	}
	var b bytes.Buffer
	out := yaml.NewEncoder(&b)
	out.SetIndent(2)
	if err := out.Encode(&f); err != nil {
		return fmt.Errorf("write a semantic layer: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write a semantic layer: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (f *file) dropMart() {
	f.eachMart(func(m *string) {
		if *m == f.Mart {
			*m = ""
		}
	})
}
