package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/build"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// result is what a command line gave.
type result struct {
	code     int
	out, err string
}

// execute runs a command line with an environment of its own.
func execute(t *testing.T, env []string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	dir := t.TempDir()
	f := &Factory{
		IO:      &IO{In: strings.NewReader(""), Out: &out, Err: &errs, Width: func() int { return 80 }},
		Environ: append([]string{"XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir, "DIBRAIN_ADMIN_LISTEN=127.0.0.1:0"}, env...),
		Getenv:  func(string) string { return "" },
		Clock:   func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
		Build:   build.Info{Version: "v1.2.3", Commit: "abc", Modified: true, Go: "go1", Platform: "p/q"},
	}
	code := Main(t.Context(), f, args)
	return result{code: code, out: out.String(), err: errs.String()}
}

func TestCommandLines(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("no such key: 1"), 0o600))

	for name, tc := range map[string]struct {
		args []string
		env  []string
		code int
		out  []string
		err  []string
	}{
		"help":               {args: nil, out: []string{"Available Commands", "serve", "version"}},
		"version":            {args: []string{"version"}, out: []string{"v1.2.3", "abc (modified)", "go1"}},
		"list targets":       {args: []string{"serve", "--list-targets"}, out: []string{"all", "router", "findata", "text2sql", "fixsql", "chatbi"}},
		"verify":             {args: []string{"serve", "--verify-config"}, out: []string{"valid for target all"}},
		"verify router":      {args: []string{"serve", "--target=router", "--verify-config"}, code: 2, err: []string{"chatbi.address is missing"}},
		"verify replicas":    {args: []string{"serve", "--verify-config"}, env: []string{"DIBRAIN_REPLICAS=2"}, code: 2, err: []string{"replicas is 2"}},
		"unknown target":     {args: []string{"serve", "--target=routr"}, code: 2, err: []string{`"routr"`, "router"}},
		"unknown command":    {args: []string{"srve"}, code: 2, err: []string{"srve", "dibrain --help"}},
		"time zone":          {args: []string{"ask", "--time-zone", "Bad/Zone", "how many orders?"}, code: 2, err: []string{"--time-zone", "Bad/Zone"}},
		"rows below 0":       {args: []string{"ask", "--limit", "-4", "how many orders?"}, code: 2, err: []string{"--limit", "-4"}},
		"tables below 0":     {args: []string{"find", "--limit", "-4", "orders"}, code: 2, err: []string{"--limit", "-4"}},
		"too many seconds":   {args: []string{"ask", "--timeout=4500", "how many orders?"}, code: 2, err: []string{"--timeout 4500", "3600"}},
		"seconds below 0":    {args: []string{"ask", "--timeout=-1", "how many orders?"}, code: 2, err: []string{"--timeout", "-1"}},
		"server by URL":      {args: []string{"ask", "--server", "http://127.0.0.1:7070", "how many orders?"}, code: 2, err: []string{"--server", "HOST:PORT"}},
		"token of no server": {args: []string{"ask", "--token-file", "/nope", "how many orders?"}, code: 2, err: []string{"--token-file", "--server"}},
		"time zone of chat":  {args: []string{"chat", "--time-zone", "Bad/Zone"}, code: 2, err: []string{"--time-zone", "Bad/Zone"}},
		"unknown flag":       {args: []string{"serve", "--port=1"}, code: 2, err: []string{"--port", "dibrain serve --help"}},
		"too many arguments": {args: []string{"version", "x"}, code: 2, err: []string{"x"}},
		"port in use":        {args: []string{"serve", "--listen", taken.Addr().String()}, code: 2, err: []string{taken.Addr().String(), "--listen"}},
		"beyond loopback":    {args: []string{"serve", "--listen", "0.0.0.0:0"}, code: 2, err: []string{"auth.mode"}},
		"not writable":       {args: []string{"serve", "--data-dir", filepath.Join(file, "x")}, code: 2, err: []string{"--data-dir"}},
		"unknown key":        {args: []string{"config", "print", "--config", file}, code: 2, err: []string{"Unknown configuration key"}},
		"no such file":       {args: []string{"config", "print", "--config", file + "x"}, code: 2, err: []string{"cannot be read"}},
		"print":              {args: []string{"config", "print", "--log-level=debug"}, out: []string{"level: debug # flag --log-level"}},
		"token for nobody":   {args: []string{"config", "new-token"}, code: 2, err: []string{"--principal"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := execute(t, tc.env, tc.args...)
			require.Equal(t, tc.code, got.code, "%s%s", got.out, got.err)
			for _, text := range tc.out {
				require.Contains(t, got.out, text)
			}
			for _, text := range tc.err {
				require.Contains(t, got.err, text)
			}
			if tc.code == 0 {
				require.Empty(t, got.err)
			} else {
				require.True(t, strings.HasPrefix(got.err, "dibrain: "), got.err)
			}
		})
	}
}

func TestLicenses(t *testing.T) {
	t.Parallel()
	require.Contains(t, execute(t, nil, "licenses").out, "inside of DuckDB")
	require.Contains(t, execute(t, nil, "licenses", "--sbom").out, `"bomFormat": "CycloneDX"`)
}

func TestVersionJSON(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"version":"v1.2.3","commit":"abc","modified":true,"go":"go1","platform":"p/q","contract":"v1"}`, execute(t, nil, "version", "--json").out)
}

func TestNewTokenFitsTheTokenFile(t *testing.T) {
	t.Parallel()
	got := execute(t, nil, "config", "new-token", "--principal", "alice", "--group", "sales", "--days", "90")
	require.Zero(t, got.code, got.err)
	token := strings.TrimSpace(strings.TrimPrefix(got.err, "token: "))
	require.NotContains(t, got.out, token, "the file holds the hash only")
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(path, []byte("tokens:\n"+got.out), 0o600))
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	tokens, err := auth.OpenTokenFile(path, auth.TokenOptions{Clock: func() time.Time { return now }})
	require.NoError(t, err)
	md := map[string][]string{"authorization": {"Bearer " + token}}
	p, err := tokens.Authenticate(md)
	require.NoError(t, err)
	require.Equal(t, "alice", p.ID)
	require.Equal(t, []string{"sales"}, p.Groups)
	now = now.AddDate(0, 2, 0)
	_, err = tokens.Authenticate(md)
	require.Equal(t, "TOKEN_EXPIRED", fault.ReasonOf(err))
}

func TestHopKeysAreThoseThatATargetNeeds(t *testing.T) {
	t.Parallel()
	env := []string{"DIBRAIN_AUTH_HOP_KEY=" + strings.Repeat("k", 32)}
	got := execute(t, env, "config", "hop-keys", "--target", "chatbi")
	require.Zero(t, got.code, got.err)
	path := filepath.Join(t.TempDir(), "hop-keys.yaml")
	require.NoError(t, os.WriteFile(path, []byte(got.out), 0o600))
	keys, err := auth.ReadKeys(path)
	require.NoError(t, err)
	require.Len(t, keys, 2, "its own, and that of find data, which it calls")
	few, err := auth.NewHopKeyOf(keys, nil)
	require.NoError(t, err)
	token, err := few.Sign(run.Principal{ID: "alice"}, "findata")
	require.NoError(t, err)
	deployment, err := auth.NewHopKey([]byte(strings.Repeat("k", 32)), nil)
	require.NoError(t, err)
	_, err = deployment.Verify(token, "findata")
	require.NoError(t, err)
	got = execute(t, []string{"DIBRAIN_AUTH_HOP_KEYS_FILE=" + path}, "config", "hop-keys", "--target", "router")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.err, "no hop key for")
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{errors.New("x"), 1},
		{fmt.Errorf("ask: %w", context.Canceled), 130},
		{fmt.Errorf("ask: %w", status.Error(codes.Canceled, "context canceled")), 130},
		{badUsage("x"), 2},
		{exitWith(1), 1},
		{fmt.Errorf("ask: %w", fault.NotFound("SOURCE_UNKNOWN", "x")), 2},
		{fault.Invalid("question", "X", "x"), 2},
		{fault.New(codes.DataLoss, "X", "x"), 2},
		{fault.New(codes.Internal, "X", "x"), 1},
		{fault.New(codes.Unavailable, "X", "x"), 1},
		{fault.New(codes.DeadlineExceeded, "X", "x"), 1},
	} {
		require.Equal(t, tc.code, exitCode(tc.err), "%v", tc.err)
	}
	require.Equal(t, "No source. (in /a/b)", message(fault.NotFound("X", "No source.").ForOperator("in %s", "/a/b")))
	require.Equal(t, "Cancelled.", prefixed("dibrain", errors.Join(context.Canceled, errors.New("INTERRUPT"))))
	require.Equal(t, "No table.", message(fmt.Errorf("secret: %w", fault.NotFound("X", "No table."))))
}

// TestExitCodesOfAsk: each outcome has its code, which the help lists.
func TestExitCodesOfAsk(t *testing.T) {
	t.Parallel()
	help := execute(t, nil, "ask", "--help").out
	for value, name := range routerv1.Outcome_name {
		want, is := map[string]int{
			"OUTCOME_UNSPECIFIED": 0, "OUTCOME_ANSWERED": 0, "OUTCOME_ASKED": 3, "OUTCOME_ABSTAINED": 3, "OUTCOME_REFUSED": 3,
			"OUTCOME_DENIED": 5, "OUTCOME_CUT": 4, "OUTCOME_FAILED": 4, "OUTCOME_CANCELLED": 130,
		}[name]
		require.True(t, is, name)
		require.Equal(t, want, exitOf(outcomeOf(&routerv1.Answer{Outcome: routerv1.Outcome(value)})), name)
		require.Regexp(t, fmt.Sprintf(`(?m)^  %d +\S`, want), help)
	}
	require.Equal(t, 3, exitOf(outcomeOf(&routerv1.Answer{AskHuman: true})), "of a server that does not say")
	for code, want := range map[codes.Code]int{
		codes.PermissionDenied: 5, codes.Unauthenticated: 5, codes.Unavailable: 4, codes.DeadlineExceeded: 4, codes.Internal: 4,
		codes.ResourceExhausted: 4, codes.Aborted: 4, codes.InvalidArgument: 2, codes.NotFound: 2, codes.Canceled: 130,
	} {
		require.Equal(t, want, exitCode(&outcomeError{status.Error(code, "x")}), code)
	}
	require.Equal(t, 1, exitCode(&outcomeError{errors.New("x")}))
}
