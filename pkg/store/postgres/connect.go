package postgres

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// ReasonDSN is the reason of a connection string that cannot be read.
const ReasonDSN = "STORE_DSN_INVALID"

// keepalive finds machines that are gone: a connection that says nothing for idle is
// asked as often as count, and given up after idle + count * interval.
const (
	keepaliveIdle     = 10 * time.Second
	keepaliveInterval = 5 * time.Second
	keepaliveCount    = 3
)

// parse makes the configuration of the pool. What the parser says of a connection
// string is left out of errors: it may hold the password.
func parse(cfg Config) (*pgxpool.Config, error) {
	text, err := cfg.DSN()
	if err != nil {
		return nil, err
	}
	c, err := pgxpool.ParseConfig(text)
	if err != nil || text == "" {
		return nil, fault.New(codes.FailedPrecondition, ReasonDSN,
			"The connection string of the store cannot be read. Write postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full, with what is special in the password as %XX.")
	}
	c.MaxConns = int32(min(cfg.MaxConnections, 1<<16)) //nolint:gosec // bounded
	c.MinConns, c.MinIdleConns = 0, 0
	c.ConnConfig.ConnectTimeout = cfg.ConnectTimeout
	settings(c.ConnConfig, cfg.Timeout)
	c.BeforeConnect = func(_ context.Context, to *pgx.ConnConfig) error { return present(cfg, to) }
	return c, nil
}

// settings bounds on the server what this process may leave behind there: a statement,
// the wait for a row, and a transaction of a process that stands still.
func settings(c *pgx.ConnConfig, timeout time.Duration) {
	millis := func(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }
	for name, value := range map[string]string{
		"application_name":  "dibrain",
		"statement_timeout": millis(timeout), "lock_timeout": millis(timeout / 2),
		"idle_in_transaction_session_timeout": millis(timeout),
		"tcp_keepalives_idle":                 seconds(keepaliveIdle), "tcp_keepalives_interval": seconds(keepaliveInterval),
		"tcp_keepalives_count": strconv.Itoa(keepaliveCount),
	} {
		if _, said := c.RuntimeParams[name]; !said {
			c.RuntimeParams[name] = value
		}
	}
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// present lets a connection go where the connection string leads now, as whom it says.
func present(cfg Config, to *pgx.ConnConfig) error {
	fresh, err := parseOnly(cfg)
	if err != nil {
		return err
	}
	to.Host, to.Port, to.Fallbacks, to.TLSConfig = fresh.Host, fresh.Port, fresh.Fallbacks, fresh.TLSConfig
	to.Database, to.User, to.Password, to.RuntimeParams = fresh.Database, fresh.User, fresh.Password, fresh.RuntimeParams
	return nil
}

func parseOnly(cfg Config) (*pgx.ConnConfig, error) {
	c, err := parse(cfg)
	if err != nil {
		return nil, err
	}
	return c.ConnConfig, nil
}

// lasting connects once, outside of the pool, for work that takes its time: the sign
// of life and the migrations.
func (s *database) lasting() (*pgx.ConnConfig, error) {
	c, err := parseOnly(s.cfg)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"} {
		c.RuntimeParams[name] = "0"
	}
	return c, nil
}

// place says which database the connection string names now, without who asks and by
// which password.
func place(cfg Config) string {
	c, err := parseOnly(cfg)
	if err != nil {
		return "the store"
	}
	return fmt.Sprintf("%s/%s", net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))), c.Database)
}
