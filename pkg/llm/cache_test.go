package llm_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

func TestCacheRemembersForAWhile(t *testing.T) {
	t.Parallel()
	n := 0
	s := llmtest.New(t, func(llmtest.Request) llmtest.Answer {
		n++
		return llmtest.Answer{Text: fmt.Sprint("answer ", n), Status: map[bool]int{true: 500}[n == 5]}
	})
	m, c := client(t, s, func(c *llm.Config, _ *llm.Deps) { c.Attempts = 1 })
	measures, read := metertest.New(t)
	cache := llm.NewCache(m, 2, time.Minute, func() time.Time { return c.now }).Measured(measures, meter.CacheText2SQLModel)
	ask := func(text string) string {
		told := ""
		got, err := cache.Chat(t.Context(), llm.Request{Messages: []llm.Message{{Speaker: llm.User, Text: text}}, OnText: func(p string) { told += p }})
		require.Equal(t, got.Text, told)
		if err != nil {
			return "fault"
		}
		return got.Text
	}
	require.Equal(t, "answer 1", ask("a"))
	require.Equal(t, "answer 1", ask("a"))
	require.Equal(t, "answer 2", ask("b"))
	require.Equal(t, "answer 1", ask("a"))
	require.Equal(t, "answer 3", ask("c"), "b makes room: a was used since")
	require.Equal(t, "answer 1", ask("a"))
	require.Equal(t, "answer 4", ask("b"))
	require.Equal(t, map[string]float64{
		`dibrain_cache_requests_total{cache="text2sql_model",found="hit"}`: 3, `dibrain_cache_requests_total{cache="text2sql_model",found="miss"}`: 4,
	}, read())
	c.now = c.now.Add(time.Minute)
	require.Equal(t, "fault", ask("a"), "what failed is not remembered")
	require.Equal(t, "answer 6", ask("a"))
}
