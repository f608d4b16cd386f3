package config_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/config"
)

// verified loads a configuration with one key set and verifies it.
func verified(t *testing.T, key string, value any) error {
	t.Helper()
	c, err := config.Load(config.Options{Environ: home(t), Flags: map[string]any{key: value}})
	if err != nil {
		return err
	}
	return c.Verify(t.Context(), nil)
}

// TestEveryKeyRefusesNonsense: whatever keys there are, none takes what no value of its
// kind can be, and the error names the key.
func TestEveryKeyRefusesNonsense(t *testing.T) {
	t.Parallel()
	offs := 0
	for _, f := range config.Default().Fields() {
		var nonsense []any
		switch f.Value.(type) {
		case time.Duration:
			nonsense = []any{"-1s", "9999999h"}
			if !reflect.ValueOf(f.Value).IsZero() && f.Key != "reload_every" { // 0 is never
				nonsense = append(nonsense, "1ns", 0)
			}
		case int, int64:
			nonsense = []any{-1, int64(1) << 60}
		case float64:
			nonsense = []any{-0.5, "NaN", "+Inf"}
		case uint32:
			nonsense = []any{-1}
		case []string:
			nonsense = []any{[]string{"a\x1b[2J"}, []string{" "}}
		case bool, uint64: // any is good
		default:
			require.Equal(t, reflect.String, reflect.ValueOf(f.Value).Kind(), "%s is of a kind that this test does not know", f.Key)
			nonsense = []any{"a\nb", "\x1b[2J", "caf\xe9"}
		}
		if none := regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(f.Key) + "` .*[.;] -1: none"); none.MatchString(documented(t)) {
			require.NoError(t, verified(t, f.Key, -1), "%s is documented to take -1", f.Key)
			nonsense, offs = []any{-2, int64(1) << 60}, offs+1
		}
		if f.Key == "data_dir" {
			nonsense = nil // a folder may have any name
		}
		for _, v := range nonsense {
			require.ErrorContains(t, verified(t, f.Key, v), f.Key, "%s: %v", f.Key, v)
		}
	}
	require.Equal(t, 10, offs, "keys that are documented to take -1")
}

// documented is the reference of all keys, which is made of their comments.
func documented(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	return string(text)
}

func TestRulesOfSingleKeys(t *testing.T) {
	t.Parallel()
	for key, values := range map[string][]any{
		"listen": {"127.0.0.1:0x50", "127.0.0.1:99999", "127.0.0.1:http"}, "admin.listen": {"127.0.0.1:-1"},
		"auth.hop_key":    {strings.Repeat("k", 40) + " ", "short"},
		"auth.mode":       {"open"},
		"router.strategy": {"magic"}, "router.on_busy": {"panic"}, "router.default_source": {"../x"}, "router.address": {"nowhere", "host:", ":7070", "dns:///a:b"},
		"findata.address": {"http://a"}, "text2sql.strategy": {"both"}, "chatbi.cost.above_ask": {"maybe"},
		"chatbi.engine.memory_limit": {"lots", "0GB", "-1GB", "2"}, "chatbi.limits.default_limit": {200_000}, "chatbi.cost.ask_rows": {int64(200_000_000_000)},
		"chatbi.limits.timeout": {"0s", 0}, "llm.max_calls": {0}, "llm.retry_wait": {"5m"}, "client.call_timeout": {0},
		"findata.search.elasticsearch.addresses": {[]string{"es:9200"}}, "findata.check_every": {0}, "reload_every": {"10ms", "2h", "-1s"},
	} {
		for _, v := range values {
			require.ErrorContains(t, verified(t, key, v), key, "%s: %v", key, v)
		}
	}
	for key, v := range map[string]any{
		"listen": "127.0.0.1:0", "admin.listen": "", "router.address": "dns:///router.ns.svc:7070", "findata.address": "unix:///run/x", "limits.drain_delay": 0,
		"limits.requests_per_second": 0, "reload_every": 0, "chatbi.engine.memory_limit": "512 MiB", "text2sql.threshold": 0, "llm.temperature": -1,
		"chatbi.cost.above_ask": "refuse", "findata.search.elasticsearch.addresses": "https://a.example:9200,https://b.example:9200",
	} {
		require.NoError(t, verified(t, key, v), fmt.Sprint(key, ": ", v))
	}
}
