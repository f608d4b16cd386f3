package facet_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog/mark"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
)

// wordingCase is a line of testdata/wordings.yaml: the facets expected, all others
// being none.
type wordingCase struct {
	Q        string   `yaml:"q"`
	Country  []string `yaml:"country"`
	Layer    string   `yaml:"layer"`
	Snapshot string   `yaml:"snapshot"`
	Copy     string   `yaml:"copy"`
	Not      struct {
		Country  []string `yaml:"country"`
		Snapshot []string `yaml:"snapshot"`
		Copy     []string `yaml:"copy"`
	} `yaml:"not"`
}

func (c wordingCase) wants() map[string][]string {
	wants := make(map[string][]string)
	put := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				wants[name] = append(wants[name], v)
			}
		}
		slices.Sort(wants[name])
	}
	put("country", c.Country...)
	put("layer", c.Layer)
	put("snapshot", c.Snapshot)
	put("copy", c.Copy)
	put("not country", c.Not.Country...)
	put("not snapshot", c.Not.Snapshot...)
	put("not copy", c.Not.Copy...)
	return wants
}

func found(a facet.Asked) map[string][]string {
	wants := make(map[string][]string)
	for f := range mark.Facets {
		for _, w := range a.Wants(f) {
			name := f.String()
			if w.Not {
				name = "not " + name
			}
			wants[name] = append(wants[name], w.Value)
			slices.Sort(wants[name])
		}
	}
	return wants
}

func TestWordings(t *testing.T) {
	t.Parallel()
	r, err := facet.NewReader()
	require.NoError(t, err)
	for _, file := range []string{"wordings.yaml", "wordings_more.yaml"} {
		raw, err := os.ReadFile("testdata/" + file)
		require.NoError(t, err)
		var cases map[string][]wordingCase
		require.NoError(t, yaml.Unmarshal(raw, &cases))
		checkWordings(t, r, cases)
	}
}

func checkWordings(t *testing.T, r *facet.Reader, cases map[string][]wordingCase) {
	t.Helper()
	require.NotEmpty(t, cases)
	for language, list := range cases {
		require.NotEmpty(t, list, language)
		wrong := 0
		for _, c := range list {
			if got := found(r.Read(c.Q, nil, nil)); !equal(c.wants(), got) {
				wrong++
				t.Logf("%s: %s: want %v, read %v", language, c.Q, c.wants(), got)
			}
		}
		t.Logf("%s: %d of %d wordings read", language, len(list)-wrong, len(list))
		require.Zero(t, wrong, "of %d wordings", len(list))
	}
}

func equal(a, b map[string][]string) bool {
	for _, m := range []map[string][]string{a, b} {
		for name := range m {
			if !slices.Equal(a[name], b[name]) {
				return false
			}
		}
	}
	return true
}
