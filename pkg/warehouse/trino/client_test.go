package trino_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// TestHTTPS checks trust, and where the password goes.
func TestHTTPS(t *testing.T) {
	t.Parallel()
	f := &fake{answer: func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", false)) }}
	f.Server = httptest.NewTLSServer(f)
	t.Cleanup(f.Close)
	dir := t.TempDir()
	ca, password := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "password")
	pem := "-----BEGIN CERTIFICATE-----\n" + base64.StdEncoding.EncodeToString(f.Certificate().Raw) + "\n-----END CERTIFICATE-----\n"
	require.NoError(t, os.WriteFile(ca, []byte(pem), 0o600))
	require.NoError(t, os.WriteFile(password, []byte("geheim\n"), 0o600))

	config := f.config()
	config.Connection.PasswordFile, config.Connection.Impersonate = password, true
	_, _, err := ask(t, open(t, config), warehouse.Options{})
	require.Equal(t, trino.ReasonCertificate, fault.ReasonOf(err), "an unknown authority")
	require.Empty(t, f.posts)

	config.Connection.CAFile = ca
	e := open(t, config)
	_, _, err = ask(t, e, warehouse.Options{})
	require.NoError(t, err)
	user, secret, _ := f.post(0).BasicAuth()
	require.Equal(t, []string{"svc", "geheim", "someone"}, []string{user, secret, f.post(0).Header.Get("X-Trino-User")})

	require.NoError(t, os.WriteFile(password, []byte("renewed"), 0o600))
	require.NoError(t, os.Chtimes(password, time.Time{}, time.Now().Add(time.Minute)))
	rows, err := e.Metadata(t.Context(), run.Principal{}, meta.Tables("sg"), warehouse.Options{})
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	_, secret, _ = f.post(1).BasicAuth()
	require.Equal(t, "renewed", secret)
	require.Equal(t, "svc", f.post(1).Header.Get("X-Trino-User"), "the product's own statements run as the service")

	config.Connection.URL = strings.Replace(f.URL, "127.0.0.1", "localhost", 1)
	_, _, err = ask(t, open(t, config), warehouse.Options{})
	require.Equal(t, trino.ReasonCertificate, fault.ReasonOf(err), "a certificate for another name")

	require.NoError(t, os.Remove(password))
	_, _, err = ask(t, e, warehouse.Options{})
	require.Equal(t, "ENGINE_FILE", fault.ReasonOf(err))
	require.NotContains(t, fmt.Sprint(err, status.Convert(err).Proto()), password, "clients get no path of the server")
}

func TestOpenFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.WriteFile(empty, []byte("\n"), 0o600))
	for name, tc := range map[string]struct {
		change func(*source.TrinoConnection)
		reason string
	}{
		"nothing said":     {func(c *source.TrinoConnection) { *c = source.TrinoConnection{} }, source.ReasonTrinoConnection},
		"no CA file":       {func(c *source.TrinoConnection) { c.CAFile = filepath.Join(dir, "none") }, "ENGINE_FILE"},
		"no CA in it":      {func(c *source.TrinoConnection) { c.CAFile = empty }, trino.ReasonCertificate},
		"no password file": {func(c *source.TrinoConnection) { c.PasswordFile = filepath.Join(dir, "none") }, "ENGINE_FILE"},
		"no password":      {func(c *source.TrinoConnection) { c.PasswordFile = empty }, "ENGINE_FILE"},
		"a folder":         {func(c *source.TrinoConnection) { c.PasswordFile = dir }, "ENGINE_FILE"},
	} {
		c := source.TrinoConnection{URL: "https://127.0.0.1:1", User: "svc", Regions: map[string]source.TrinoPlace{"sg": {Catalog: "sg"}}}
		tc.change(&c)
		_, err := trino.Open(t.Context(), trino.Config{Connection: c})
		require.Equal(t, tc.reason, fault.ReasonOf(err), name)
		require.NotContains(t, err.Error(), dir, name)
	}
}

func TestNamesThatTrinoCannotBeTold(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", false)) })
	config := f.config()
	config.Connection.Impersonate = true
	e := open(t, config)
	for _, id := range []string{"", "用户", "two words", "line\nbreak", "admin\x00"} {
		_, err := e.Query(t.Context(), run.Principal{ID: id}, approve(t, id, "select 1", resolve.Scope{}), warehouse.Options{})
		require.Equal(t, trino.ReasonImpersonation, fault.ReasonOf(err), id)
	}
	require.Empty(t, f.posts)
}

// TestTheTraceGoesOn: a server that traces continues the caller's trace, in the statement
// and in the requests for its rows.
func TestTheTraceGoesOn(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) { write(w, f.page("[[1]]", n == 0)) })
	e := open(t, f.config())
	ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled}))
	rows, err := e.Metadata(ctx, run.Principal{}, meta.Tables("sg"), warehouse.Options{})
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	require.Equal(t, "00-01000000000000000000000000000000-0200000000000000-01", f.post(0).Header.Get("Traceparent"))
	_, _, err = ask(t, e, warehouse.Options{})
	require.NoError(t, err)
	require.Empty(t, f.post(1).Header.Get("Traceparent"), "there is no trace to go on with")
}
