package trino_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/clocktest"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
)

// tokenIssuer exchanges tokens as a test says.
type tokenIssuer struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []url.Values
	signed []string // client id and secret of each
	answer func(w http.ResponseWriter, form url.Values)
}

func newTokenIssuer(t *testing.T, answer func(w http.ResponseWriter, form url.Values)) *tokenIssuer {
	t.Helper()
	i := &tokenIssuer{answer: answer}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		id, secret, _ := r.BasicAuth()
		i.mu.Lock()
		i.asked, i.signed = append(i.asked, r.PostForm), append(i.signed, id+" "+secret)
		answer := i.answer
		i.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		answer(w, r.PostForm)
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *tokenIssuer) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.asked)
}

func (i *tokenIssuer) answers(answer func(w http.ResponseWriter, form url.Values)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answer = answer
}

// given is the answer of an issuer that makes a token.
func given(w http.ResponseWriter, token string, seconds int) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"access_token": token, "issued_token_type": "urn:ietf:params:oauth:token-type:access_token", "token_type": "Bearer", "expires_in": seconds,
	})
}

// exchanging is a fake Trino over TLS with an issuer, and the connection of a source that
// exchanges sign-ins.
func exchanging(t *testing.T, i *tokenIssuer) (*fake, trino.Config) {
	t.Helper()
	f := &fake{answer: func(f *fake, w http.ResponseWriter, n int) { write(w, f.page("[[1]]", n == 0)) }}
	f.Server = httptest.NewTLSServer(f)
	t.Cleanup(f.Close)
	config := f.config()
	c := &config.Connection
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	c.CAFile = file("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw})))
	c.TokenFile, c.Impersonate = file("token", "service-token\n"), true
	c.TokenExchange = &source.TokenExchange{URL: i.URL + "/token", ClientID: "dibrain", ClientSecretFile: file("secret", "client-secret\n"), Audience: "trino", Scopes: []string{"query"}}
	return f, config
}

// askAs runs a statement of somebody who signed in with a token; "" for none.
func askAs(t *testing.T, e *trino.Engine, who, signIn string) error {
	t.Helper()
	rows, err := e.Query(auth.WithSignIn(t.Context(), signIn), run.Principal{ID: who}, approve(t, who, "select 1 as n", resolve.Scope{}), warehouse.Options{})
	if err == nil {
		all(t, rows)
	}
	return err
}

// sent are the credentials of all requests that a fake got, in order.
func (f *fake) sent() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, h := range f.credentials {
		if n := len(all); n == 0 || all[n-1] != h {
			all = append(all, h)
		}
	}
	return all
}

// TestSignInsAreExchanged: each person's requests, those for pages and for the end too, have
// the person's own token; what the product asks itself has the service's.
func TestSignInsAreExchanged(t *testing.T) {
	t.Parallel()
	i := newTokenIssuer(t, func(w http.ResponseWriter, form url.Values) { given(w, "trino-for-"+form.Get("subject_token"), 300) })
	f, config := exchanging(t, i)
	clock := clocktest.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	config.Clock = clock.Now
	e := open(t, config)

	require.NoError(t, askAs(t, e, "alice", "sign-in-a"))
	require.Equal(t, url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "audience": {"trino"}, "scope": {"query"},
		"subject_token": {"sign-in-a"}, "subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"},
		"requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
	}, i.asked[0])
	require.Equal(t, "dibrain client-secret", i.signed[0])
	require.NoError(t, askAs(t, e, "bob", "sign-in-b"))
	require.NoError(t, askAs(t, e, "alice", "sign-in-a"))
	require.Equal(t, 2, i.count(), "a token is kept")
	rows, err := e.Metadata(t.Context(), run.Principal{}, meta.Tables("sg"), warehouse.Options{})
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	require.Equal(t, []string{"Bearer trino-for-sign-in-a", "Bearer trino-for-sign-in-b", "Bearer trino-for-sign-in-a", "Bearer service-token"}, f.sent())
	require.Equal(t, "alice", f.post(0).Header.Get("X-Trino-User"))

	clock.Move(284 * time.Second)
	require.NoError(t, askAs(t, e, "alice", "sign-in-a"))
	require.Equal(t, 2, i.count())
	clock.Move(time.Second)
	require.NoError(t, askAs(t, e, "alice", "sign-in-a"))
	require.Equal(t, 3, i.count(), "it is exchanged again before it ends")
	require.NoError(t, askAs(t, e, "alice", "sign-in-new"))
	require.Equal(t, 4, i.count(), "a new sign-in has a token of its own")

	f.answer = func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", true)) }
	rows, err = e.Query(auth.WithSignIn(t.Context(), "sign-in-b"), run.Principal{ID: "bob"}, approve(t, "bob", "select 1 as n", resolve.Scope{}), warehouse.Options{})
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	_, _, deleted := f.counts()
	require.Equal(t, 1, deleted)
	sent := f.sent()
	require.Equal(t, "Bearer trino-for-sign-in-b", sent[len(sent)-1], "its end is asked for with the same token")
}

// TestTokensAreBounded: those of the most people are kept, and the one that ends first goes.
func TestTokensAreBounded(t *testing.T) {
	t.Parallel()
	i := newTokenIssuer(t, nil)
	_, config := exchanging(t, i)
	config.MaxTokens = 2
	e := open(t, config)
	for _, p := range []struct {
		who     string
		seconds int
	}{{"long", 300}, {"short", 100}, {"third", 200}} {
		i.answers(func(w http.ResponseWriter, _ url.Values) { given(w, "t", p.seconds) })
		require.NoError(t, askAs(t, e, p.who, "s"))
	}
	require.Equal(t, 3, i.count())
	require.NoError(t, askAs(t, e, "long", "s"))
	require.Equal(t, 3, i.count(), "the one that ends last is kept")
	require.NoError(t, askAs(t, e, "short", "s"))
	require.Equal(t, 4, i.count(), "the one that ends first made room")
}

// TestNoTokenNoStatement: where there is no token of the person, nothing is sent to Trino, not
// as the service either, and no secret is in what is said or logged.
func TestNoTokenNoStatement(t *testing.T) {
	t.Parallel()
	refuse := func(code string, httpStatus int) func(http.ResponseWriter, url.Values) {
		return func(w http.ResponseWriter, form url.Values) {
			w.WriteHeader(httpStatus)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": code, "error_description": "no", "echo": form.Get("subject_token")})
		}
	}
	for name, tc := range map[string]struct {
		answer func(http.ResponseWriter, url.Values)
		signIn string
		who    string
		code   codes.Code
		says   string
	}{
		"no sign-in":        {code: codes.PermissionDenied, says: "came without one"},
		"as the service":    {who: "svc", code: codes.PermissionDenied, says: "came without one"},
		"refused":           {signIn: "geheim-sign-in", answer: refuse("invalid_grant", 400), code: codes.PermissionDenied, says: "gives no token of Trino for your sign-in (invalid_grant)"},
		"not for Trino":     {signIn: "geheim-sign-in", answer: refuse("invalid_target", 400), code: codes.PermissionDenied, says: "(invalid_target)"},
		"unknown client":    {signIn: "geheim-sign-in", answer: refuse("invalid_client", 401), code: codes.FailedPrecondition, says: "does not let this service exchange"},
		"busy":              {signIn: "geheim-sign-in", answer: refuse("temporarily_unavailable", 503), code: codes.Unavailable, says: "try again"},
		"an error in prose": {signIn: "geheim-sign-in", answer: refuse("Your token geheim-sign-in is bad", 400), code: codes.Unavailable, says: "try again"},
		"no JSON":           {signIn: "geheim-sign-in", answer: func(w http.ResponseWriter, f url.Values) { write(w, f.Get("subject_token")) }, code: codes.Unavailable, says: "try again"},
		"no token":          {signIn: "geheim-sign-in", answer: func(w http.ResponseWriter, _ url.Values) { write(w, `{"token_type": "Bearer"}`) }, code: codes.Unavailable, says: "try again"},
		"two headers":       {signIn: "geheim-sign-in", answer: func(w http.ResponseWriter, _ url.Values) { given(w, "geheim\r\nX-Trino-User: admin", 300) }, code: codes.Unavailable, says: "try again"},
		"elsewhere": {signIn: "geheim-sign-in", answer: func(w http.ResponseWriter, _ url.Values) {
			w.Header().Set("Location", "https://elsewhere.example.com/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, code: codes.Unavailable, says: "try again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newTokenIssuer(t, tc.answer)
			f, config := exchanging(t, i)
			var log bytes.Buffer
			config.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			err := askAs(t, open(t, config), cmp.Or(tc.who, "alice"), tc.signIn)
			require.Equal(t, tc.code, status.Code(err), "%v", err)
			require.Equal(t, trino.ReasonToken, fault.ReasonOf(err))
			require.Contains(t, fault.FromStatus(err).Message, tc.says)
			posts, _, _ := f.counts()
			require.Zero(t, posts)
			everything := fmt.Sprintf("%v %+v %s %s %v", err, err, fault.OperatorText(err), log.String(), status.Convert(err).Proto())
			for _, secret := range []string{"geheim", "client-secret", "service-token"} {
				require.NotContains(t, everything, secret)
			}
		})
	}
}

// TestATokenThatTrinoRefuses is told as what it is, and not kept.
func TestATokenThatTrinoRefuses(t *testing.T) {
	t.Parallel()
	i := newTokenIssuer(t, func(w http.ResponseWriter, _ url.Values) { given(w, "t", 300) })
	f, config := exchanging(t, i)
	for code, says := range map[int]string{http.StatusUnauthorized: "does not accept the token that the issuer", http.StatusForbidden: "does not take your token for that of 'alice'"} {
		f.answer = func(_ *fake, w http.ResponseWriter, _ int) { w.WriteHeader(code) }
		e := open(t, config)
		before := i.count()
		for range 2 {
			err := askAs(t, e, "alice", "s")
			require.Equal(t, trino.ReasonToken, fault.ReasonOf(err))
			require.Contains(t, fault.FromStatus(err).Message, says)
		}
		want := 1
		if code == http.StatusUnauthorized {
			want = 2
		}
		require.Equal(t, before+want, i.count())
	}
}

// TestAWaiterThatGoesAwayEndsNobodysExchange: who asked first goes, and the other has the token.
func TestAWaiterThatGoesAwayEndsNobodysExchange(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	i := newTokenIssuer(t, func(w http.ResponseWriter, _ url.Values) {
		close(asked)
		<-release
		given(w, "t", 300)
	})
	_, config := exchanging(t, i)
	e := open(t, config)
	ctx, cancel := context.WithCancel(auth.WithSignIn(t.Context(), "s"))
	gone := make(chan error, 1)
	approved := approve(t, "alice", "select 1 as n", resolve.Scope{})
	go func() {
		_, err := e.Query(ctx, run.Principal{ID: "alice"}, approved, warehouse.Options{})
		gone <- err
	}()
	<-asked
	cancel()
	require.ErrorIs(t, <-gone, context.Canceled)
	close(release)
	require.NoError(t, askAs(t, e, "alice", "s"))
	require.Equal(t, 1, i.count())
}

// TestTheServicesTokenIsReadAgain when its file changes.
func TestTheServicesTokenIsReadAgain(t *testing.T) {
	t.Parallel()
	f, config := exchanging(t, newTokenIssuer(t, nil))
	config.Connection.TokenExchange = nil
	e := open(t, config)
	require.NoError(t, askAs(t, e, "alice", ""))
	require.Equal(t, "alice", f.post(0).Header.Get("X-Trino-User"), "the service acts as whoever asks")
	require.NoError(t, os.WriteFile(config.Connection.TokenFile, []byte("renewed"), 0o600))
	require.NoError(t, os.Chtimes(config.Connection.TokenFile, time.Time{}, time.Now().Add(time.Minute)))
	require.NoError(t, askAs(t, e, "alice", ""))
	require.Equal(t, []string{"Bearer service-token", "Bearer renewed"}, f.sent())
	f.answer = func(_ *fake, w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusUnauthorized) }
	err := askAs(t, e, "alice", "")
	require.Equal(t, trino.ReasonLogin, fault.ReasonOf(err))
	require.Contains(t, fault.OperatorText(err), config.Connection.TokenFile)
}

// TestTokensOnTrino asks a real server, whose rules and rows are those of TestPrincipals: as the
// service by a token of its own that acts as others, and by tokens of the askers, for which the
// issuer exchanges their sign-ins.
func TestTokensOnTrino(t *testing.T) {
	t.Parallel()
	c := trinotest.Secure(t, "tpch")
	c.PasswordFile, c.TokenFile = "", filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(c.TokenFile, []byte(trinotest.Token(t, map[string]any{"sub": "svc_agent"})), 0o600))
	scope := tables("tpch", "tiny")
	const question = "select count(*), min(nationkey), max(nationkey), count_if(phone like '***%') from customer"
	ask := func(e *trino.Engine, who, signIn string) ([]any, error) {
		rows, err := e.Query(auth.WithSignIn(t.Context(), signIn), run.Principal{ID: who}, approve(t, who, question, scope), warehouse.Options{})
		if err != nil {
			return nil, err
		}
		return all(t, rows)[0], nil
	}
	config := trino.Config{Connection: c, DefaultRegion: "tpch", DefaultSchema: "tiny"}
	everything := []any{int64(1500), int64(0), int64(24), int64(0)}
	byService := open(t, config)
	got, err := ask(byService, "alice", "")
	require.NoError(t, err)
	require.Equal(t, everything, got)
	got, err = ask(byService, "bob", "")
	require.NoError(t, err)
	require.Equal(t, []any{int64(7), int64(7)}, got[1:3])
	_, err = ask(byService, "admin", "")
	require.Equal(t, trino.ReasonImpersonation, fault.ReasonOf(err), "the rules do not let svc_agent be admin")

	i := newTokenIssuer(t, func(w http.ResponseWriter, form url.Values) {
		who, change, _ := strings.Cut(form.Get("subject_token"), " ")
		claims := map[string]any{"sub": who}
		if change != "" {
			_ = json.Unmarshal([]byte(change), &claims)
		}
		given(w, trinotest.Token(t, claims), 300)
	})
	config.Connection.TokenExchange = &source.TokenExchange{URL: i.URL, ClientID: "dibrain", Audience: "trino"}
	exchanged := open(t, config)
	got, err = ask(exchanged, "alice", "alice")
	require.NoError(t, err)
	require.Equal(t, everything, got)
	got, err = ask(exchanged, "bob", "bob")
	require.NoError(t, err)
	require.Equal(t, []any{int64(7), int64(7)}, got[1:3], "bob's own rows")
	got, err = ask(exchanged, "admin", "admin")
	require.NoError(t, err)
	require.Equal(t, everything, got, "by a token of one's own nobody is acted as")
	for name, signIn := range map[string]string{
		"another's token":  "carol",
		"another audience": `alice {"aud": "another"}`,
		"another issuer":   `alice {"iss": "https://another.test"}`,
		"over":             fmt.Sprintf(`alice {"exp": %d}`, time.Now().Add(-time.Hour).Unix()),
		"unsigned":         `alice {"alg": "none"}`,
	} {
		_, err = ask(exchanged, "alice", signIn)
		require.Equal(t, trino.ReasonToken, fault.ReasonOf(err), "%s: %v", name, err)
	}
	rows, err := exchanged.Metadata(t.Context(), run.Principal{}, meta.Catalogs(), warehouse.Options{})
	require.NoError(t, err, "the product's own statements are the service's")
	require.NotEmpty(t, all(t, rows))
}
