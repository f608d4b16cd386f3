package decide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router/tools"
)

func TestToGoal(t *testing.T) {
	t.Parallel()
	chain := []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}
	for name, c := range map[string]struct {
		in   Decision
		goal string
		want []string
		ends string
	}{
		"SQL instead of figures":         {Decision{Goal: tools.Execute, Plan: chain}, tools.GenerateSQL, chain[:2], tools.GenerateSQL},
		"figures instead of SQL":         {Decision{Goal: tools.GenerateSQL, Plan: chain[:2]}, tools.Execute, chain, tools.Execute},
		"tables only":                    {Decision{Goal: tools.Execute, Plan: chain}, tools.DataDiscovery, chain[:1], tools.DataDiscovery},
		"tables known":                   {Decision{Goal: tools.Execute, Plan: chain[1:]}, tools.GenerateSQL, chain[1:2], tools.GenerateSQL},
		"no goal fixed":                  {Decision{Goal: tools.Execute, Plan: chain}, "", chain, tools.Execute},
		"a repair stays a repair":        {Decision{Goal: tools.FixSQL, Plan: []string{tools.FixSQL}}, tools.GenerateSQL, []string{tools.FixSQL}, tools.FixSQL},
		"a SQL of the person's own runs": {Decision{Goal: tools.Execute, Plan: chain[2:], SQL: "SELECT 1"}, tools.GenerateSQL, chain[2:], tools.Execute},
		"a greeting":                     {Decision{}, tools.Execute, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := toGoal(c.in, c.goal)
			require.Equal(t, c.want, got.Plan)
			require.Equal(t, c.ends, got.Goal)
		})
	}
}
