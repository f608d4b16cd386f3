package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Check connects and says in a few words what is there. It changes nothing.
func Check(ctx context.Context, cfg Config) (string, error) {
	cfg = cfg.complete()
	connect, err := parse(cfg)
	if err != nil {
		return "", err
	}
	s := &database{cfg: cfg, schema: SessionSchema()}
	ctx, done := context.WithTimeout(ctx, cfg.ConnectTimeout)
	defer done()
	conn, err := pgx.ConnectConfig(ctx, connect.ConnConfig)
	if err != nil {
		return "", s.fault("connect", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	have, err := s.version(ctx, conn)
	if err == nil {
		err = s.suits(ctx, conn, have)
	}
	if err != nil {
		return "", s.fault("look what is there", err)
	}
	what := fmt.Sprintf("PostgreSQL %s at %s", conn.PgConn().ParameterStatus("server_version"), place(s.cfg))
	switch {
	case have == 0:
		return what + ", empty: the first router makes its tables", nil
	case have < schemaVersion:
		return fmt.Sprintf("%s, schema %d: the next router brings it to %d", what, have, schemaVersion), nil
	default:
		return fmt.Sprintf("%s, schema %d", what, have), nil
	}
}
