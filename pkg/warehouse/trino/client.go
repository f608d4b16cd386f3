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
	if c.CAFile == "" {
		return base, nil
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, unreadable("certificates of authorities", c.CAFile, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fault.New(codes.FailedPrecondition, "ENGINE_CERTIFICATE",
			"the file with the authorities that sign Trino's certificate holds no certificate: whoever operates this server has to put one there, in PEM").
			ForOperator("the file is %s", c.CAFile)
	}
	base.TLSClientConfig.RootCAs = roots
	return base, nil
}

func unreadable(what, path string, err error) error {
	return fault.New(codes.FailedPrecondition, "ENGINE_FILE",
		"the file with the "+what+" for Trino cannot be read: whoever operates this server has to put it there").
		ForOperator("the file is %s", path).Because(err)
}

// credentials sign the service in. The password is read from its file when it is
// needed and again when the file has changed, so that it can be renewed while the
// process runs. It is sent to the configured server only.
type credentials struct {
	user, file string
	server     *url.URL

	mu       sync.Mutex
	password string
	modified time.Time
}

// maxPassword bounds a password's file.
const maxPassword = 64 << 10

func newCredentials(c source.TrinoConnection, server *url.URL) (*credentials, error) {
	x := &credentials{user: c.User, file: c.PasswordFile, server: server}
	_, err := x.current()
	return x, err
}

// current returns the password; empty where there is none.
func (c *credentials) current() (string, error) {
	if c.file == "" {
		return "", nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.file)
	if err == nil && info.ModTime().Equal(c.modified) {
		return c.password, nil
	}
	if err == nil && info.Size() > maxPassword {
		err = fs.ErrInvalid
	}
	var raw []byte
	if err == nil {
		raw, err = os.ReadFile(c.file)
	}
	if err != nil {
		return "", unreadable("service's password", c.file, err)
	}
	password := string(bytes.TrimRight(raw, "\r\n"))
	if password == "" {
		return "", unreadable("service's password", c.file, errors.New("it is empty"))
	}
	c.password, c.modified = password, info.ModTime()
	return password, nil
}

// sign adds the password to a request to the configured server.
func (c *credentials) sign(req *http.Request) error {
	password, err := c.current()
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
