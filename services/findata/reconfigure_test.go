package findata

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReconfigure: those settings change while the service serves that are said to, and no
// others; a configuration that is refused changes none.
func TestReconfigure(t *testing.T) {
	t.Parallel()
	was, err := Config{}.Complete()
	require.NoError(t, err)
	s := &Service{}
	s.settings.Store(&was)
	next := was
	next.Strategy, next.HiddenTables, next.DefaultSource, next.ApplyHint = StrategyLLM, HiddenLock, "sales", "ask"
	fields := reflect.ValueOf(&next).Elem()
	for i := range fields.NumField() {
		switch f := fields.Field(i); {
		case f.CanInt():
			f.SetInt(f.Int() + 1)
		case f.CanFloat():
			f.SetFloat(f.Float() + 1)
		}
	}
	require.NoError(t, s.Reconfigure(next))
	var changed []string
	for i := range fields.NumField() {
		now := reflect.ValueOf(s.config()).Elem().Field(i).Interface()
		if !reflect.DeepEqual(now, reflect.ValueOf(was).Field(i).Interface()) {
			require.Equal(t, fields.Field(i).Interface(), now)
			changed = append(changed, fields.Type().Field(i).Tag.Get("koanf"))
		}
	}
	want := LiveSettings()
	slices.Sort(want)
	slices.Sort(changed)
	require.Equal(t, want, changed)

	next.MaxTables = -1
	require.ErrorContains(t, s.Reconfigure(next), "findata.max_tables")
	require.Equal(t, was.MaxTables+1, s.config().MaxTables)
}
