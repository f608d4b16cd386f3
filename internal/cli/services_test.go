package cli

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
)

// selfSigned writes a certificate for 127.0.0.1 that is its own authority.
func selfSigned(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	return certFile, keyFile
}

func TestCommandsShowACertificate(t *testing.T) {
	t.Parallel()
	serverCert, serverKey := selfSigned(t)
	clientCert, clientKey := selfSigned(t)
	serverTLS, err := rpc.TLSFiles{CertFile: serverCert, KeyFile: serverKey, CAFile: clientCert}.Server()
	require.NoError(t, err)
	server, err := rpc.NewServer(rpc.ServerConfig{}, rpc.ServerDeps{Gate: auth.Gate{Edge: auth.Local{Principal: run.Principal{ID: "me"}}}, TLS: serverTLS})
	require.NoError(t, err)
	routerv1.RegisterRouterServiceServer(server, routerv1.UnimplementedRouterServiceServer{})
	l, err := rpc.Listen(t.Context(), "127.0.0.1:0", "--listen")
	require.NoError(t, err)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Stop(context.Background()) })

	call := func(c config.Config, remote remoteFlags) codes.Code {
		remote.server, remote.caFile = l.Addr().String(), serverCert
		require.NoError(t, remote.check())
		s, err := dialServices(&Factory{Getenv: func(string) string { return "" }}, &c, remote)
		require.NoError(t, err)
		defer s.Close()
		_, err = s.Router.ListTools(t.Context(), &routerv1.ListToolsRequest{})
		return status.Code(err)
	}
	patient, hasty := config.Default(), config.Default()
	patient.Client.ReadyTimeout, hasty.Client.ReadyTimeout = time.Minute, 300*time.Millisecond
	const reached = codes.Unimplemented // by the server, behind the handshake
	require.Equal(t, reached, call(patient, remoteFlags{certFile: clientCert, keyFile: clientKey}), "by flags")
	require.Equal(t, codes.Unavailable, call(hasty, remoteFlags{}), "without a certificate")
	patient.TLS.CertFile, patient.TLS.KeyFile = clientCert, clientKey
	require.Equal(t, reached, call(patient, remoteFlags{}), "by configuration")

	require.ErrorContains(t, (&remoteFlags{server: "x:1", certFile: "c"}).check(), "go together")
	require.ErrorContains(t, (&remoteFlags{certFile: "c", keyFile: "k"}).check(), "give --server too")
}
