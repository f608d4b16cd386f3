package chatbi

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/guard"
)

// serving gives a service its configuration.
func serving(c Config, s *Service) *Service {
	s.use(c)
	return s
}

// TestReconfigure: those settings change while the service serves that are said to, and no
// others; a configuration that is refused changes none.
func TestReconfigure(t *testing.T) {
	t.Parallel()
	was, err := Config{}.Complete()
	require.NoError(t, err)
	s := serving(was, &Service{})
	next := was
	next.LateAfter = time.Minute
	next.DefaultSource, next.Strategy = "sales", StrategyLLM
	next.Cost = CostConfig{AboveAsk: CostRefuse, AskRows: 1, AskBytes: 2, RefuseRows: 3, RefuseBytes: 4, Unknown: CostAllow, PartitionDays: 5}
	next.Guard = guard.Bounds{MaxLambdas: 1, MaxNesting: 2, MaxJoins: 3, MaxConditions: 4, MaxList: 5, MaxWindows: 7}
	next.Store.NoReuse = true
	each(reflect.ValueOf(&next).Elem(), "", func(key string, v reflect.Value) {
		switch {
		case strings.HasPrefix(key, "cost."), strings.HasPrefix(key, "guard."):
		case v.CanInt():
			v.SetInt(v.Int() + 1)
		}
	})
	require.NoError(t, s.Reconfigure(next))
	keys, but := LiveSettings()
	var before []any
	each(reflect.ValueOf(&was).Elem(), "", func(_ string, v reflect.Value) { before = append(before, v.Interface()) })
	wanted := make(map[string]any)
	each(reflect.ValueOf(&next).Elem(), "", func(key string, v reflect.Value) { wanted[key] = v.Interface() })
	at := 0
	now := *s.config()
	each(reflect.ValueOf(&now).Elem(), "", func(key string, v reflect.Value) {
		lives := false
		for _, k := range keys {
			lives = lives || k == key || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k)
		}
		for _, k := range but {
			lives = lives && k != key
		}
		if want := before[at]; lives {
			require.NotEqual(t, want, v.Interface(), key)
			require.Equal(t, wanted[key], v.Interface(), key)
		} else {
			require.Equal(t, want, v.Interface(), key)
		}
		at++
	})
	require.Greater(t, at, 50)

	next.Limits.MaxRows = -1
	require.ErrorContains(t, s.Reconfigure(next), "chatbi.limits.max_rows")
	require.Equal(t, was.Limits.MaxRows, s.config().Limits.MaxRows)
}

// each visits the settings of a configuration with their keys.
func each(c reflect.Value, prefix string, visit func(key string, v reflect.Value)) {
	for i := range c.NumField() {
		key, _, _ := strings.Cut(c.Type().Field(i).Tag.Get("koanf"), ",")
		if f := c.Field(i); f.Kind() == reflect.Struct {
			if key != "" {
				key += "."
			}
			each(f, prefix+key, visit)
		} else {
			visit(prefix+key, f)
		}
	}
}
