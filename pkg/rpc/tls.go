package rpc

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLSFiles names PEM files. All empty means plaintext.
type TLSFiles struct {
	// CertFile and KeyFile are what this process shows of itself.
	CertFile string
	KeyFile  string
	// CAFile holds the authorities that this process trusts: on the client's
	// side those of servers (empty: the system's), on the server's side those of
	// clients, which then have to show a certificate.
	CAFile string
}

// Server returns the server's side, nil for plaintext.
func (f TLSFiles) Server() (*tls.Config, error) {
	if f.CertFile == "" && f.KeyFile == "" {
		if f.CAFile != "" {
			return nil, errors.New("tls.client_ca_file is set but tls.cert_file and tls.key_file are not")
		}
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if err := f.addCertificate(c); err != nil {
		return nil, err
	}
	if f.CAFile != "" {
		pool, err := readCAs(f.CAFile)
		if err != nil {
			return nil, err
		}
		c.ClientCAs, c.ClientAuth = pool, tls.RequireAndVerifyClientCert
	}
	return c, nil
}

// Client returns the client's side. serverName overrides the name that the
// server's certificate must have; empty means the one of the address.
func (f TLSFiles) Client(serverName string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName}
	if f.CertFile != "" || f.KeyFile != "" {
		if err := f.addCertificate(c); err != nil {
			return nil, err
		}
	}
	if f.CAFile != "" {
		pool, err := readCAs(f.CAFile)
		if err != nil {
			return nil, err
		}
		c.RootCAs = pool
	}
	return c, nil
}

func (f TLSFiles) addCertificate(c *tls.Config) error {
	cert, err := tls.LoadX509KeyPair(f.CertFile, f.KeyFile)
	if err != nil {
		return fmt.Errorf("read the TLS certificate (tls.cert_file %q, tls.key_file %q): %w", f.CertFile, f.KeyFile, err)
	}
	c.Certificates = []tls.Certificate{cert}
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
