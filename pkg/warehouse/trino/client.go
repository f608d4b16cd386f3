package trino

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

// Bounds of the connections.
const (
	dialTimeout = 5 * time.Second
	idleTimeout = 90 * time.Second
)

// newBase returns the HTTP transport to the server: its own trust, the proxies of
// the environment.
func newBase(c source.TrinoConnection, answer time.Duration) (*http.Transport, error) {
	base := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: min(dialTimeout, answer), KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: answer,
		IdleConnTimeout:       idleTimeout,
		MaxIdleConnsPerHost:   16,
		ForceAttemptHTTP2:     true,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
	}
	var err error
	base.TLSClientConfig.RootCAs, err = authorities(c.CAFile, "Trino")
	return base, err
}

// authorities reads the certificates of those whose signature counts; nil: those that the
// system trusts.
func authorities(path, whose string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable("certificates of authorities", path, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fault.New(codes.FailedPrecondition, "ENGINE_CERTIFICATE",
			"the file with the authorities that sign the certificate of "+whose+" holds no certificate: whoever operates this server has to put one there, in PEM").
			ForOperator("the file is %s", path)
	}
	return roots, nil
}

func unreadable(what, path string, err error) error {
	return fault.New(codes.FailedPrecondition, "ENGINE_FILE",
		"the file with the "+what+" for Trino cannot be read: whoever operates this server has to put it there").
		ForOperator("the file is %s", path).Because(err)
}

// secretFile is a file with a secret. It is read when the secret is needed and again when
// the file has changed, so that the secret can be renewed while the process runs.
type secretFile struct {
	path string // empty: there is no secret
	what string // for messages

	mu       sync.Mutex
	secret   string
	modified time.Time
}

// maxSecret bounds the file of a secret.
const maxSecret = 64 << 10

// current returns the secret; empty where there is none.
func (f *secretFile) current() (string, error) {
	if f.path == "" {
		return "", nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if err == nil && info.ModTime().Equal(f.modified) {
		return f.secret, nil
	}
	if err == nil && info.Size() > maxSecret {
		err = fs.ErrInvalid
	}
	var raw []byte
	if err == nil {
		raw, err = os.ReadFile(f.path)
	}
	if err != nil {
		return "", unreadable(f.what, f.path, err)
	}
	secret := string(bytes.TrimRight(raw, "\r\n"))
	if secret == "" {
		return "", unreadable(f.what, f.path, errors.New("it is empty"))
	}
	f.secret, f.modified = secret, info.ModTime()
	return secret, nil
}

// credentials sign the service in, by a password or by a token, at the configured server
// only.
type credentials struct {
	user            string
	password, token secretFile
	server          *url.URL
}

func newCredentials(c source.TrinoConnection, server *url.URL) (*credentials, error) {
	x := &credentials{
		user: c.User, server: server,
		password: secretFile{path: c.PasswordFile, what: "service's password"}, token: secretFile{path: c.TokenFile, what: "service's token"},
	}
	if _, err := x.password.current(); err != nil {
		return nil, err
	}
	_, err := x.token.current()
	return x, err
}

// sign adds to a request to the configured server who sends it: the person whose bearer
// token the request's context has, else the service.
func (c *credentials) sign(req *http.Request) error {
	if bearer, ok := req.Context().Value(bearerKey{}).(bearer); ok {
		token, err := bearer(req.Context())
		if err != nil {
			return err // never as the service instead
		}
		req.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	token, err := c.token.current()
	if err != nil {
		return err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	password, err := c.password.current()
	if err != nil || password == "" {
		return err
	}
	req.SetBasicAuth(c.user, password)
	return nil
}

// isServer reports whether an address is on the configured server.
func (c *credentials) isServer(u *url.URL) bool {
	return u.Scheme == c.server.Scheme && strings.EqualFold(hostPort(u), hostPort(c.server))
}

// hostPort names host and port, the scheme's own port where none is written.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
