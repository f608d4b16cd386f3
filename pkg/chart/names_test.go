package chart_test

import (
	"testing"

	"github.com/mattn/go-runewidth"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/chart"
)

func TestShortNamesStayDifferent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ names, want []string }{
		"short ones stay":       {[]string{"a", "shop 1"}, []string{"a", "shop 1"}},
		"cut at the end":        {[]string{"one long name", "two long names"}, []string{"one long…", "two long…"}},
		"cut in the middle":     {[]string{"long name no. 1", "long name no. 2", "x"}, []string{"long …. 1", "long …. 2", "x"}},
		"wide characters":       {[]string{"新加坡的商店一", "新加坡的商店二"}, []string{"新加坡…一", "新加坡…二"}},
		"the same name twice":   {[]string{"one long name", "one long name"}, []string{"one long…", "one long…"}},
		"one is as the cut one": {[]string{"one long…", "one long name"}, []string{"one long…", "one l…ame"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := chart.ShortNames(c.names, 9)
			for _, name := range got {
				require.LessOrEqual(t, runewidth.StringWidth(name), 9)
			}
			require.Equal(t, c.want, got)
		})
	}
}
