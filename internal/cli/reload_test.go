package cli

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/telemetry"
)

func TestReload(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	level := new(slog.LevelVar)
	log, err := telemetry.NewLogger(&out, telemetry.LogConfig{Level: "info", Format: "json", Live: level})
	require.NoError(t, err)
	next := config.Default()
	var loading, invalid error
	r := &reloader{
		running: config.Default(), level: level, log: log,
		load:   func() (*config.Config, error) { c := next; return &c, loading },
		verify: func(context.Context, config.Config) error { return invalid },
	}
	said := func() string {
		defer out.Reset()
		r.reload(t.Context())
		return out.String()
	}
	require.Contains(t, said(), `"changed":null,"wait_for_a_restart":null`)

	next.Log.Level, next.Auth.AuditFile, next.Store.DSN = "debug", "/some/where", config.Secret("postgres://hidden")
	text := said()
	require.Contains(t, text, `"level":"WARN"`)
	require.Contains(t, text, `"changed":["log.level"],"wait_for_a_restart":["auth.audit_file","store.dsn"]`)
	require.NotContains(t, text, "hidden")
	require.Equal(t, slog.LevelDebug, level.Level())
	require.Contains(t, said(), `"changed":null,"wait_for_a_restart":["auth.audit_file","store.dsn"]`, "they wait still")

	next.Log.Level = "error"
	for _, broken := range []*error{&loading, &invalid} {
		*broken = errors.New("listen is no address")
		require.Contains(t, said(), "what was in use stays")
		*broken = nil
		require.Equal(t, slog.LevelDebug, level.Level())
	}
}
