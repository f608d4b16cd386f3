package text2sql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func TestEverywhere(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"s.a", "sg.s.a", "useast.s.a", "sg.s.b"}, everywhere([]string{"s.a", "sg.s.b"}, []string{"sg", "useast"}))
	require.Equal(t, []string{"s.a"}, everywhere([]string{"s.a"}, nil))
}

func TestLacking(t *testing.T) {
	t.Parallel()
	table := func(region string) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: region, Schema: "s", Table: "a"}}
	}
	more := lacking([]catalog.Table{table("sg")}, []catalog.Table{table("sg"), table("useast"), table("useast")})
	require.Equal(t, []catalog.Table{table("useast")}, more)
}
