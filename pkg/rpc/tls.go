package rpc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
)

// TLSFiles names PEM files. All empty means plaintext. The files are looked at before
// each handshake and read again when they have changed, so that a certificate that is
// renewed needs no restart; connections that are open go on with what they began with.
type TLSFiles struct {
	// CertFile and KeyFile are what this process shows of itself.
	CertFile string
	KeyFile  string
	// CAFile holds the authorities that this process trusts: on the client's
	// side those of servers (empty: the system's), on the server's side those of
	// clients, which then have to show a certificate.
	CAFile string
	// Log is told when changed files cannot be read; what was read before stays in
	// force then. Nil: nobody is told.
	Log *slog.Logger
}

// Server returns the server's side, nil for plaintext.
func (f TLSFiles) Server() (*tls.Config, error) {
	if f.CertFile == "" && f.KeyFile == "" {
		if f.CAFile != "" {
			return nil, errors.New("tls.client_ca_file is set but tls.cert_file and tls.key_file are not")
		}
		return nil, nil
	}
	r, err := openTLS(f)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		now := r.current()
		c := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}, Certificates: now.certificates}
		if now.pool != nil {
			c.ClientCAs, c.ClientAuth = now.pool, tls.RequireAndVerifyClientCert
		}
		return c, nil
	}}, nil
}

// Client returns the client's side. serverName overrides the name that the
// server's certificate must have; empty means the one of the address.
func (f TLSFiles) Client(serverName string) (credentials.TransportCredentials, error) {
	r, err := openTLS(f)
	if err != nil {
		return nil, err
	}
	return &clientTLS{files: r, serverName: serverName}, nil
}

// tlsMaterial is what the files held when they were read.
type tlsMaterial struct {
	certificates []tls.Certificate
	pool         *x509.CertPool // nil: no file of authorities
}

// tlsReader keeps what the files hold.
type tlsReader struct {
	files TLSFiles

	mu     sync.Mutex
	stamps [3]tlsStamp
	latest tlsMaterial
}

type tlsStamp struct {
	modified time.Time
	size     int64
}

func openTLS(f TLSFiles) (*tlsReader, error) {
	if f.Log == nil {
		f.Log = slog.New(slog.DiscardHandler)
	}
	r := &tlsReader{files: f, stamps: f.stamps()}
	var err error
	r.latest, err = f.read()
	return r, err
}

// current returns what the files hold, and what they held before when they have
// changed and cannot be read: a pair of which one half is written yet is usual.
func (r *tlsReader) current() tlsMaterial {
	r.mu.Lock()
	defer r.mu.Unlock()
	stamps := r.files.stamps()
	if stamps == r.stamps {
		return r.latest
	}
	r.stamps = stamps // told once, and read again when the files change again
	read, err := r.files.read()
	if err != nil {
		r.files.Log.Error("the TLS files have changed and cannot be read; the earlier ones stay in use", "error", err)
		return r.latest
	}
	r.latest = read
	r.files.Log.Info("TLS files read again", "cert_file", r.files.CertFile, "ca_file", r.files.CAFile)
	return r.latest
}

func (f TLSFiles) stamps() (stamps [3]tlsStamp) {
	for i, path := range []string{f.CertFile, f.KeyFile, f.CAFile} {
		if info, err := os.Stat(path); err == nil { // a file that is gone differs from one that was there
			stamps[i] = tlsStamp{modified: info.ModTime(), size: info.Size()}
		}
	}
	return stamps
}

func (f TLSFiles) read() (m tlsMaterial, err error) {
	if f.CertFile != "" || f.KeyFile != "" {
		cert, err := tls.LoadX509KeyPair(f.CertFile, f.KeyFile)
		if err != nil {
			return m, fmt.Errorf("read the TLS certificate (tls.cert_file %q, tls.key_file %q): %w", f.CertFile, f.KeyFile, err)
		}
		m.certificates = []tls.Certificate{cert}
	}
	if f.CAFile != "" {
		if m.pool, err = readCAs(f.CAFile); err != nil {
			return m, err
		}
	}
	return m, nil
}

// clientTLS makes each handshake with what the files hold then. crypto/tls has a
// hook for a client's certificate and none for the authorities that it trusts.
type clientTLS struct {
	files      *tlsReader
	serverName string
}

func (c *clientTLS) now() credentials.TransportCredentials {
	m := c.files.current()
	return credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: c.serverName, Certificates: m.certificates, RootCAs: m.pool,
	})
}

// ClientHandshake implements credentials.TransportCredentials.
func (c *clientTLS) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return c.now().ClientHandshake(ctx, authority, conn)
}

// ServerHandshake implements credentials.TransportCredentials: these are a client's.
func (c *clientTLS) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("credentials of a client cannot serve")
}

// Info implements credentials.TransportCredentials.
func (c *clientTLS) Info() credentials.ProtocolInfo { return c.now().Info() }

// Clone implements credentials.TransportCredentials.
func (c *clientTLS) Clone() credentials.TransportCredentials {
	return &clientTLS{files: c.files, serverName: c.serverName}
}

// OverrideServerName implements credentials.TransportCredentials.
func (c *clientTLS) OverrideServerName(name string) error {
	c.serverName = name
	return nil
}

func readCAs(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the TLS authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read the TLS authorities: %s has no certificate in PEM", path)
	}
	return pool, nil
}
