package learn_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/parse/learn"
)

func TestWordings(t *testing.T) {
	t.Parallel()
	w, err := learn.LoadWordings()
	require.NoError(t, err)
	require.Len(t, w.Tables, 4)
	sales := w.Tables[3]
	require.Len(t, sales.ForeignKeys, 3)
	require.True(t, sales.Columns[0].PrimaryKey)
	require.Equal(t, []string{"online", "counter"}, sales.Columns[7].Samples)
	asked := map[string]bool{}
	for _, g := range w.Groups {
		require.NotEmpty(t, g.SQL)
		for _, q := range g.Questions {
			require.False(t, asked[q], q)
			asked[q] = true
		}
	}
	require.NotEmpty(t, asked)
}

func TestWeightsAreWrittenAsTheyAreRead(t *testing.T) {
	t.Parallel()
	prior, err := learn.Prior()
	require.NoError(t, err)
	require.Negative(t, prior["skip/value"])
	var b bytes.Buffer
	require.NoError(t, learn.Write(&b, "one line\nanother\n", prior))
	require.Contains(t, b.String(), "# one line\n# another\n\n")
	again := map[string]float64{}
	require.NoError(t, yaml.Unmarshal(b.Bytes(), &again))
	require.Equal(t, prior, again)
	_, err = parse.WithWeights(again)
	require.NoError(t, err)
}
