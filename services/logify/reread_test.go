package logify_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/services/logify"
)

func TestRulesAreReadAgainWhenTheyChange(t *testing.T) {
	t.Parallel()
	_, url := startLoki(t, map[string]logql.Entries{"shop": shop("x1y2z3")})
	dir := t.TempDir()
	policy, masks := filepath.Join(dir, "streams.yaml"), filepath.Join(dir, "masks.yaml")
	var seconds atomic.Int64
	at := func() time.Time { return now().Add(time.Duration(seconds.Load()) * time.Second) }
	// write changes a file, as an editor does some time later.
	write := func(path, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		seconds.Add(10)
		require.NoError(t, os.Chtimes(path, at(), at()))
	}
	write(policy, "rules: [{principals: [ann], streams: '{service=\"checkout\"}'}]")
	write(masks, "masks: []")
	s, err := logify.New(logify.Config{LokiURL: url, Tenant: "shop", PolicyFile: policy, MasksFile: masks}, logify.Deps{Clock: at})
	require.NoError(t, err)
	run := func(who string) (*logifyv1.RunLogQLUnaryResponse, error) {
		return s.RunLogQLUnary(as(t, who), &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{Logql: `{service=~".+"}`}})
	}
	res, err := run("ann")
	require.NoError(t, err)
	require.Contains(t, res.GetLines()[0].GetLine(), "user=u0")
	answer, err := ask(t, s, "ann", "show declined payments of checkout")
	require.NoError(t, err)
	require.Contains(t, answer.GetLogql(), "declined for user=")

	write(masks, "masks: [{name: user, pattern: 'user=\\S+', replace: '***'}, {name: verdict, pattern: 'declined', replace: '***'}]")
	res, err = run("ann")
	require.NoError(t, err)
	require.NotContains(t, res.GetLines()[0].GetLine(), "user=u0")
	labels, err := s.ListLabels(as(t, "ann"), &logifyv1.ListLabelsRequest{})
	require.NoError(t, err)
	require.NotEmpty(t, labels.GetLabels())
	answer, err = ask(t, s, "ann", "show payments of checkout")
	require.NoError(t, err)
	require.NotContains(t, answer.GetLogql(), "user=", "what was learnt under other masks is forgotten")

	write(policy, "rules: [{principals: [bob]}]")
	_, err = run("ann")
	require.Error(t, err)
	_, err = run("bob")
	require.NoError(t, err)

	for _, broken := range []string{policy, masks} {
		whole, err := os.ReadFile(broken)
		require.NoError(t, err)
		write(broken, "rules: [")
		_, err = run("bob")
		require.Equal(t, "LOGS_RULES_UNREADABLE", fault.ReasonOf(err))
		require.NotContains(t, err.Error(), dir, "the path is for operators")
		write(broken, string(whole))
		_, err = run("bob")
		require.NoError(t, err)
	}
	require.NoError(t, os.Remove(policy))
	seconds.Add(10)
	_, err = run("bob")
	require.Equal(t, "LOGS_RULES_UNREADABLE", fault.ReasonOf(err), "a policy that is gone lets nobody in")
}
