package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

func TestWindow(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		n    int
		unit string
	}{
		"logins_7d": {7, "day"}, "gmv usd 30 days": {30, "day"}, "complaints_12m": {12, "month"}, "visits_2w": {2, "week"}, "stops_24h": {24, "hour"}, "orders 1 year": {1, "year"},
		"logins_d": {}, "top_7": {}, "7d": {}, "size_12x": {}, "days_0d": {},
	} {
		c := &schema.Column{Dimension: &semantic.Dimension{Names: semantic.Text{EN: name}, Type: "integer"}}
		n, unit, ok := c.Window()
		require.Equal(t, want.n, n, name)
		require.Equal(t, want.unit, unit, name)
		require.Equal(t, want.n > 0, ok, name)
	}
	text := &schema.Column{Dimension: &semantic.Dimension{Names: semantic.Text{EN: "logins_7d"}, Type: "varchar"}}
	_, _, ok := text.Window()
	require.False(t, ok)
}
