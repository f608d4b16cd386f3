// Package remote holds what the search servers have in common: secrets that come
// from files or the environment, certificates, names of generations, and faults
// that say what an operator has to do. No text of a server reaches a client.
package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Reasons of faults.
const (
	ReasonUnavailable = "SEARCH_SERVER_UNAVAILABLE" // it cannot be reached or is out of order
	ReasonTimeout     = "SEARCH_SERVER_TIMEOUT"     // it did not answer in time
	ReasonDenied      = "SEARCH_SERVER_DENIED"      // it does not take the user, password or key
	ReasonMissing     = "SEARCH_INDEX_MISSING"      // the index is not there any more
	ReasonRefused     = "SEARCH_SERVER_REFUSED"     // it does not understand or accept the request
)

// retryAfter is when another try may help.
const retryAfter = 2 * time.Second

// Server words the faults of one server.
type Server struct {
	Name string // as people know it: "Elasticsearch"
	Key  string // of the configuration, such as "findata.search.elasticsearch"
}

// Unavailable says that it cannot be reached or is out of order.
func (s Server) Unavailable(cause error) error {
	f := fault.New(codes.Unavailable, ReasonUnavailable,
		fmt.Sprintf("%s cannot be reached or is out of order: check %s and the server, and try again.", s.Name, s.Key))
	f.RetryAfter = retryAfter
	return s.told(f, cause)
}

// Timeout says that it did not answer in time.
func (s Server) Timeout(cause error) error {
	f := fault.New(codes.DeadlineExceeded, ReasonTimeout,
		fmt.Sprintf("%s did not answer in time: try again; if it stays slow, look at the server or raise %s.timeout.", s.Name, s.Key))
	f.RetryAfter = retryAfter
	return s.told(f, cause)
}

// Denied says that it does not take the user, password or key.
func (s Server) Denied(cause error) error {
	return s.told(fault.New(codes.FailedPrecondition, ReasonDenied,
		fmt.Sprintf("%s does not let us in: check the user and the password or key of %s, and what they may do.", s.Name, s.Key)), cause)
}

// Missing says that the index of a source is not there any more.
func (s Server) Missing(cause error) error {
	f := fault.New(codes.Unavailable, ReasonMissing,
		fmt.Sprintf("The index of the source is not on %s any more: it is being made again.", s.Name))
	return s.told(f, cause)
}

// Refused says that it does not accept the request.
func (s Server) Refused(cause error) error {
	return s.told(fault.New(codes.Internal, ReasonRefused,
		fmt.Sprintf("%s does not accept a request of the search: its version or its settings do not fit; the service's log has what it says.", s.Name)), cause)
}

// Failed turns what went wrong on the way to the server into a fault; ctx is the
// caller's, whose own end is passed on as it is.
func (s Server) Failed(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ask %s: %w", s.Name, ctx.Err())
	case errors.Is(err, context.DeadlineExceeded), os.IsTimeout(err):
		return s.Timeout(err)
	}
	return s.Unavailable(err)
}

func (s Server) told(f *fault.Error, cause error) error {
	if cause == nil {
		return f
	}
	return f.Because(cause).ForOperator("%v", cause)
}

// maxSecretBytes bounds a file with a secret.
const maxSecretBytes = 64 << 10

// Secret says where a password or key is: in a file, such as a mounted secret, or
// in a variable of the environment. Neither: there is none.
type Secret struct {
	// File that holds the secret alone, such as a mounted one.
	File string `koanf:"file"`
	// Env is the name of a variable of the environment that holds the secret.
	Env string `koanf:"env"`
}

// Read returns the secret without white space around it. No error tells any of it.
func (s Secret) Read() (string, error) {
	switch {
	case s.File != "" && s.Env != "":
		return "", errors.New("the secret is both in a file and in the environment: set one of them")
	case s.Env != "":
		v, set := os.LookupEnv(s.Env)
		if !set || strings.TrimSpace(v) == "" {
			return "", fmt.Errorf("the variable %s, which should hold the secret, is empty", s.Env)
		}
		return strings.TrimSpace(v), nil
	case s.File == "":
		return "", nil
	}
	f, err := os.Open(s.File)
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxSecretBytes+1))
	if err != nil {
		return "", fmt.Errorf("read the secret in %s: %w", s.File, err)
	}
	v := strings.TrimSpace(string(raw))
	if v == "" || len(raw) > maxSecretBytes {
		return "", fmt.Errorf("the file %s, which should hold the secret, is empty or larger than %d bytes", s.File, maxSecretBytes)
	}
	return v, nil
}

// TLS says how a server is known over an encrypted connection.
type TLS struct {
	// CAFile holds the authorities that the server's certificate is checked by, in
	// PEM; empty: those of the system.
	CAFile string `koanf:"ca_file"`
	// ServerName that the certificate must have; empty: that of the address.
	ServerName string `koanf:"server_name"`
}

// Config returns the client's side.
func (t TLS) Config() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CAFile == "" {
		return c, nil
	}
	pem, err := os.ReadFile(t.CAFile)
	if err != nil {
		return nil, fmt.Errorf("read the authorities: %w", err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("the file of authorities %s has no certificate in PEM", t.CAFile)
	}
	return c, nil
}
