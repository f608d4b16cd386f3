package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/trinodb/trino-go-client/trino"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// server writes to Trino as the service's user. It is apart from the engines,
// which can only read.
type server struct {
	db      *sql.DB
	timeout time.Duration
	where   string
}

// Bounds of the driver's own attempts at one request.
const (
	retryTimeout  = 10 * time.Second
	retryAttempts = 5
)

// connect checks the connection and prepares it; nothing is sent yet.
func connect(c source.TrinoConnection, timeout time.Duration) (*server, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	address, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("read the server's address: %w", err)
	}
	address.User = url.User(c.User)
	if c.PasswordFile != "" {
		raw, err := os.ReadFile(c.PasswordFile)
		if err != nil {
			return nil, fault.Invalid("password_file", "ENGINE_FILE", "the file with the password for Trino cannot be read: %v", err)
		}
		address.User = url.UserPassword(c.User, strings.TrimRight(string(raw), "\r\n"))
	}
	retry, attempts := retryTimeout, retryAttempts
	connector, err := trino.NewConnector(&trino.Config{
		ServerURI: address.String(), Source: "dibrain-demo", TimeZone: "UTC", SessionProperties: c.Session,
		SSLCertPath: c.CAFile, QueryTimeout: &timeout, RequestRetryTimeout: &retry, RequestRetryMaxAttempts: &attempts,
	})
	if err != nil { // its text may hold the address with the password
		return nil, fault.Invalid("url", "TRINO_CONNECTION_INVALID", "the connection to %s cannot be prepared: look at the address and the file with the authorities", c)
	}
	return &server{db: sql.OpenDB(connector), timeout: timeout, where: c.String()}, nil
}

func (s *server) close() error { return s.db.Close() }

// exec runs a statement to its end.
func (s *server) exec(ctx context.Context, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, err := s.db.ExecContext(ctx, statement)
	return s.failure(err)
}

// row reads the one row of a query.
func (s *server) row(ctx context.Context, query string, into ...any) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return s.failure(s.db.QueryRowContext(ctx, query).Scan(into...))
}

// pairs reads a query of two texts.
func (s *server) pairs(ctx context.Context, query string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, s.failure(err)
	}
	defer func() { _ = rows.Close() }() // read to the end: its error is rows.Err
	pairs := make(map[string]string)
	for rows.Next() {
		var key string
		var value sql.NullString
		if err := rows.Scan(&key, &value); err != nil {
			return nil, s.failure(err)
		}
		pairs[key] = value.String
	}
	return pairs, s.failure(rows.Err())
}

// connectors are the kinds of the server's catalogs by name.
func (s *server) connectors(ctx context.Context) (map[string]string, error) {
	return s.pairs(ctx, "SELECT catalog_name, connector_name FROM system.metadata.catalogs")
}

// comments are those of all tables of a schema, empty where they have none.
func (s *server) comments(ctx context.Context, catalogName, schema string) (map[string]string, error) {
	return s.pairs(ctx, "SELECT table_name, comment FROM system.metadata.table_comments WHERE catalog_name = "+
		printer.String(catalogName)+" AND schema_name = "+printer.String(schema))
}

// types are those of a table's columns by lower-case name.
func (s *server) types(ctx context.Context, t catalog.Name) (map[string]string, error) {
	return s.pairs(ctx, "SELECT column_name, data_type FROM "+printer.Quote(t.Region)+".information_schema.columns WHERE table_schema = "+
		printer.String(t.Schema)+" AND table_name = "+printer.String(t.Table))
}

// failure labels an error of the driver and leaves out what may be secret.
func (s *server) failure(err error) error {
	var failed *trino.ErrTrino
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed):
		return fmt.Errorf("Trino says %s: %s", failed.ErrorName, failed.Message) //nolint:staticcheck // a name
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(codes.DeadlineExceeded, "ENGINE_TIMEOUT", fmt.Sprintf("%s did not finish a statement in %s", s.where, s.timeout))
	}
	return fault.New(codes.Unavailable, "ENGINE_UNAVAILABLE", s.where+" does not answer, or does not let the user in: see that it runs, and that user and password are right").Because(err)
}
