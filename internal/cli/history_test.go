package cli

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const shopEvents = `{"metadata":{"queryId":"q1","query":"SELECT city, count(*) AS footfall FROM visit WHERE city = 'Rome' GROUP BY city","queryState":"FINISHED"},"context":{"user":"ann","catalog":"shop","schema":"main"},"endTime":"2025-12-30T10:00:00Z"}
{"metadata":{"queryId":"q2","query":"SELECT city, count(*) AS footfall FROM visit WHERE city = 'Oslo' GROUP BY city","queryState":"FINISHED"},"context":{"user":"bob","catalog":"shop","schema":"main"},"endTime":"2025-12-31T10:00:00Z"}
`

func TestHistory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "shop"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shop", "visit.csv"), []byte("id,city\n1,Rome\n2,Oslo\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(shopEvents), 0o600))
	do := func(args ...string) result {
		return execute(t, nil, append(args, "--data-dir", data)...)
	}
	require.Equal(t, exitOK, do("ingest", "csv", filepath.Join(dir, "shop"), "--name", "shop").code)
	r := do("history", "status", "shop")
	require.Equal(t, exitOK, r.code, r.err)
	require.Contains(t, r.out, "no query history")
	require.Contains(t, do("history", "shapes", "shop").out, "no shapes")

	r = do("ingest", "shop", "--history", filepath.Join(dir, "events.jsonl"))
	require.Equal(t, exitOK, r.code, r.err)
	r = do("history", "status", "shop")
	require.Regexp(t, regexp.MustCompile(`persons +2\n`), r.out)
	require.Regexp(t, regexp.MustCompile(`shapes of queries +1\n`), r.out)
	require.Regexp(t, regexp.MustCompile(`words +1\n`), r.out)
	r = do("history", "shapes", "shop")
	require.Equal(t, "     2  2025-12-31  SELECT city, count(*) AS footfall FROM visit WHERE city = ? GROUP BY city\n", r.out)

	require.Equal(t, exitInput, do("history", "shapes", "shop", "--limit", "0").code)
	r = do("history", "status", "shob")
	require.NotEqual(t, exitOK, r.code)
	require.Contains(t, r.err, "shop")
}

func TestHistoryReceiveIsClosedToOthers(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"give --token-file":          {"--listen", "0.0.0.0:7075"},
		"--cert-file and --key-file": {"--listen", "0.0.0.0:7075", "--token-file", "x"},
		"give both or none":          {"--cert-file", "x"},
	} {
		r := execute(t, nil, append([]string{"history", "receive", "shop"}, args...)...)
		require.Equal(t, exitInput, r.code, r.err)
		require.Contains(t, r.err, says)
	}
}

// lines hands what is written to it on, line by line.
type lines struct{ to chan string }

func (l lines) Write(p []byte) (int, error) {
	l.to <- string(p)
	return len(p), nil
}

// TestHistoryReceive takes an event over HTTP; what waits is counted at the interrupt.
func TestHistoryReceive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "shop"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shop", "visit.csv"), []byte("id,city\n1,Rome\n2,Oslo\n"), 0o600))
	require.Equal(t, exitOK, execute(t, nil, "ingest", "csv", filepath.Join(dir, "shop"), "--name", "shop", "--data-dir", data).code)

	said := lines{make(chan string, 10)}
	f := &Factory{
		IO:      &IO{In: strings.NewReader(""), Out: io.Discard, Err: said, Width: func() int { return 80 }},
		Environ: []string{"XDG_CONFIG_HOME=" + dir, "DIBRAIN_DATA_DIR=" + data},
		Getenv:  func(string) string { return "" },
		Clock:   func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
	}
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- Main(ctx, f, []string{"history", "receive", "shop", "--listen", "127.0.0.1:0"}) }()
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(<-said.to)
	require.NotEmpty(t, address)
	for event := range strings.Lines(shopEvents) {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/", strings.NewReader(event))
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(q)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusNoContent, answer.StatusCode)
	}
	interrupt()
	require.Equal(t, exitOK, <-ended)
	r := execute(t, nil, "history", "shapes", "shop", "--data-dir", data)
	require.Contains(t, r.out, "     2  2025-12-31  SELECT city")
}
