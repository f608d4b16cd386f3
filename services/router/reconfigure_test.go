package router

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReconfigure: all settings change while the router serves, but those that wait for a
// restart; a configuration that is refused changes none.
func TestReconfigure(t *testing.T) {
	t.Parallel()
	was := Config{Secret: []byte(strings.Repeat("k", minSecret))}.Complete()
	s := &Service{}
	s.settings.Store(&was)
	next := Config{
		Strategy: StrategyLLM, DefaultSource: "sales", TimeZone: "Asia/Singapore", MaxExecute: time.Second, MaxToolCalls: 3, MaxSteps: 4, RepairBudget: 5,
		MaxValidationRetries: 6, ValidationRetryWait: 7, HistoryMessages: 8, MaxRunBytes: 9, OnBusy: BusyWait, MaxBusyWait: 10, Lease: 11, MaxTurns: 12,
		MaxOwnTurns: 13, TurnWait: 14, PersistTimeout: 15, Auditors: []string{"audit"}, AgentsFile: "agents.yaml", Secret: []byte(strings.Repeat("x", minSecret)),
		Retention: RetentionConfig{SessionsFor: 1, RunsFor: 2, MaxSessions: 3, MaxRuns: 4, MaxTurns: 5, MaxSessionBytes: 6, MaxRemoved: 7, SweepEvery: 8, SweepBatch: 9},
	}
	require.NoError(t, s.Reconfigure(next))
	var stay []string
	eachSetting(reflect.ValueOf(was), reflect.ValueOf(*s.config()), "", func(key string, before, now any) {
		if reflect.DeepEqual(before, now) {
			stay = append(stay, key)
		}
	})
	require.ElementsMatch(t, RestartSettings(), stay)
	require.Equal(t, was.Secret, s.config().Secret, "what was signed is good still")

	next.TimeZone, next.MaxToolCalls = "Asia/Atlantis", 99
	require.ErrorContains(t, s.Reconfigure(next), "time_zone")
	require.Equal(t, 3, s.config().MaxToolCalls)
}

// eachSetting visits the keys of two configurations.
func eachSetting(a, b reflect.Value, prefix string, visit func(key string, a, b any)) {
	for i := range a.NumField() {
		switch key := a.Type().Field(i).Tag.Get("koanf"); {
		case key == "-":
		case a.Field(i).Kind() == reflect.Struct:
			eachSetting(a.Field(i), b.Field(i), prefix+key+".", visit)
		default:
			visit(prefix+key, a.Field(i).Interface(), b.Field(i).Interface())
		}
	}
}
