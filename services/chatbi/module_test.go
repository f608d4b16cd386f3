package chatbi

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/chatbi/llm"
)

// TestDefaults: what docs/configuration.md promises where nothing is set.
func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := Config{}.Complete()
	require.NoError(t, err)
	require.Equal(t, Config{
		DefaultSource: "demo", LateAfter: 36 * time.Hour, Strategy: StrategyRules,
		Model:  llm.Config{MaxTokens: 6000, Timeout: 10 * time.Second, Personal: llm.Off},
		Engine: EngineConfig{MaxOpen: 16, MemoryLimit: "2GB", Threads: runtime.NumCPU(), MaxConcurrent: 4, KeepIdle: 30 * time.Second},
		Trino: TrinoConfig{MaxConcurrent: 16, QueueWait: 10 * time.Second, RetryTimeout: 10 * time.Second, AnswerTimeout: 30 * time.Second, ExchangeTimeout: 10 * time.Second, MaxTokens: 1000, Failures: 3, ProbeAfter: 5 * time.Second, KnownFor: 10 * time.Minute,
			MaxJournal: 10_000, EndAttempts: 5, EndTimeout: 2 * time.Minute, EndWait: time.Second},
		Limits: LimitConfig{Timeout: 2 * time.Minute, MaxRows: 100_000, MaxBytes: 64 << 20, AnalysedRows: 100_000, AnalysedBytes: 64 << 20, ResultsMemory: 512 << 20, ResultsWait: 5 * time.Second,
			DefaultLimit: 10_000, PageSize: 100, MaxPageBytes: 1 << 20, MaxPlanBytes: 16 << 10, MaxChartPoints: 1000, MaxChangeStatements: 6},
		Guard: guard.Bounds{}.WithDefaults(),
		Cost: CostConfig{AboveAsk: CostAsk, AskRows: 1_000_000_000, AskBytes: 100 << 30, RefuseRows: 100_000_000_000, RefuseBytes: 10 << 40,
			PartitionDays: guard.DefaultPartitionDays},
		Store: StoreConfig{MaxAge: 24 * time.Hour, SweepEvery: time.Hour, MaxBytes: 1 << 30, MaxResults: 10_000, MaxOwnBytes: 1 << 27, MaxOwnResults: 1_250},
	}, c)
	again, err := c.Complete()
	require.NoError(t, err)
	require.Equal(t, c, again, "what is set stays")
	small, err := Config{Store: StoreConfig{MaxBytes: 7, MaxResults: 7}}.Complete()
	require.NoError(t, err)
	require.EqualValues(t, 1, small.Store.MaxOwnBytes)
	require.Equal(t, 1, small.Store.MaxOwnResults)
}

// TestEveryLimitIsChecked: a number below what it may be is refused by its key,
// whichever it is; thresholds of the cost gate may be -1, which is never reached.
func TestEveryLimitIsChecked(t *testing.T) {
	t.Parallel()
	free := map[string]bool{"cost.ask_rows": true, "cost.ask_bytes": true, "cost.refuse_rows": true, "cost.refuse_bytes": true}
	checked := 0
	var walk func(path string, index []int, typ reflect.Type)
	walk = func(path string, index []int, typ reflect.Type) {
		for i := range typ.NumField() {
			field, at := typ.Field(i), append(append([]int{}, index...), i)
			key := strings.Trim(path+"."+strings.TrimSuffix(field.Tag.Get("koanf"), ",squash"), ".")
			switch {
			case key == "guard":
			case field.Type.Kind() == reflect.Struct:
				walk(key, at, field.Type)
			case field.Type.Kind() == reflect.Int || field.Type.Kind() == reflect.Int64:
				var c Config
				reflect.ValueOf(&c).Elem().FieldByIndex(at).SetInt(-1)
				_, err := c.Complete()
				if free[key] {
					require.NoError(t, err, key)
					continue
				}
				require.ErrorContains(t, err, "chatbi."+key+" is -1: it ", key)
				checked++
				reflect.ValueOf(&c).Elem().FieldByIndex(at).SetInt(1)
				if key != "engine.process_memory" {
					_, err = c.Complete()
					require.NoError(t, err, key)
				}
			}
		}
	}
	walk("", nil, reflect.TypeFor[Config]())
	require.Greater(t, checked, 25)
	for _, action := range []CostAction{CostAllow, CostAsk, CostRefuse, "", "maybe"} {
		_, above := Config{Cost: CostConfig{AboveAsk: action}}.Complete()
		_, unknown := Config{Cost: CostConfig{Unknown: action}}.Complete()
		if action != "maybe" {
			require.NoError(t, above, action)
			require.NoError(t, unknown, action)
			continue
		}
		require.ErrorContains(t, above, "chatbi.cost.above_ask")
		require.ErrorContains(t, unknown, "chatbi.cost.unknown")
	}
	_, err := Config{Strategy: "guess"}.Complete()
	require.ErrorContains(t, err, "chatbi.strategy")
	_, err = Config{Engine: EngineConfig{MemoryLimit: "much"}}.Complete()
	require.ErrorContains(t, err, "chatbi.engine.memory_limit")
}
