// Package trinotest tells tests where the real Trino server is that
// test/servers/trino-start starts, and makes places in it for them. Without a
// server a test skips and says how to start one.
package trinotest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "github.com/trinodb/trino-go-client/trino" // the driver "trino"

	"github.com/dibrain/dibrain/pkg/source"
)

// Variables that test/servers/trino-start prints with `env`.
const (
	EnvURL      = "DIBRAIN_TEST_TRINO"           // http://127.0.0.1:18080
	EnvTLS      = "DIBRAIN_TEST_TRINO_TLS"       // https://127.0.0.1:18443
	EnvCA       = "DIBRAIN_TEST_TRINO_CA"        // file with its certificate
	EnvPassword = "DIBRAIN_TEST_TRINO_PASSWORD"  // of its users svc_agent, admin, alice, bob and carol
	EnvTokenKey = "DIBRAIN_TEST_TRINO_TOKEN_KEY" // file with the key that signs tokens which the server takes
)

const howTo = "needs a Trino server: eval \"$(test/servers/trino-start env)\" starts one and says where it is; "

// Server is a Trino that believes the user it is told: its plain HTTP address.
func Server(t testing.TB) string { return variable(t, EnvURL) }

func variable(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Skip(howTo + name + " is not set")
	}
	return strings.TrimSuffix(value, "/")
}

// Plain is a connection over plain HTTP as admin, who may do everything. Region
// and catalog have the same name.
func Plain(t testing.TB, catalogs ...string) source.TrinoConnection {
	t.Helper()
	c := source.TrinoConnection{URL: Server(t), User: "admin", Regions: map[string]source.TrinoPlace{}}
	for _, catalog := range catalogs {
		c.Regions[catalog] = source.TrinoPlace{Catalog: catalog}
	}
	return c
}

// Secure is a connection over HTTPS as svc_agent, who may act as everybody but
// admin. The password is in a file of the test.
func Secure(t testing.TB, catalogs ...string) source.TrinoConnection {
	t.Helper()
	c := Plain(t, catalogs...)
	c.URL, c.CAFile, c.User, c.Impersonate = variable(t, EnvTLS), variable(t, EnvCA), "svc_agent", true
	c.PasswordFile = filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(c.PasswordFile, []byte(variable(t, EnvPassword)+"\n"), 0o600))
	return c
}

// Token is a token (JWT) that the server takes for a user for an hour: claims has "sub" and
// whatever is to be otherwise. "alg": "none" leaves out the signature.
func Token(t testing.TB, claims map[string]any) string {
	t.Helper()
	text, err := os.ReadFile(variable(t, EnvTokenKey))
	require.NoError(t, err)
	block, _ := pem.Decode(text)
	require.NotNil(t, block)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	require.NoError(t, err)
	all := map[string]any{"iss": "https://login.test", "aud": "trino", "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(all, claims)
	algorithm := "RS256"
	if named, ok := all["alg"].(string); ok {
		algorithm = named
		delete(all, "alg")
	}
	part := func(v any) string {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	body := part(map[string]any{"alg": algorithm, "typ": "JWT"}) + "." + part(all)
	if algorithm == "none" {
		return body + "."
	}
	sum := sha256.Sum256([]byte(body))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key.(*rsa.PrivateKey), crypto.SHA256, sum[:])
	require.NoError(t, err)
	return body + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// Schema makes a schema of a new name in a catalog, as admin, and drops it with
// all its tables when the test ends.
func Schema(t testing.TB, catalog string) string {
	t.Helper()
	var suffix [4]byte
	_, err := rand.Read(suffix[:])
	require.NoError(t, err)
	schema := "test_" + hex.EncodeToString(suffix[:])
	Exec(t, "CREATE SCHEMA "+catalog+"."+schema)
	t.Cleanup(func() {
		Exec(t, "DROP SCHEMA "+catalog+"."+schema+" CASCADE")
	})
	return schema
}

// Exec runs statements as admin. Names in them have three parts.
func Exec(t testing.TB, statements ...string) {
	t.Helper()
	db := open(t)
	defer func() { require.NoError(t, db.Close()) }()
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
}

// Value returns what a statement that returns one text returns to admin; false
// where there is no row.
func Value(t testing.TB, statement string) (string, bool) {
	t.Helper()
	db := open(t)
	defer func() { require.NoError(t, db.Close()) }()
	rows, err := db.Query(statement)
	require.NoError(t, err, statement)
	defer func() { require.NoError(t, rows.Close()) }()
	if !rows.Next() {
		require.NoError(t, rows.Err())
		return "", false
	}
	var value sql.NullString
	require.NoError(t, rows.Scan(&value))
	return value.String, true
}

func open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("trino", strings.Replace(Server(t), "://", "://admin@", 1)+"?source=dibrain-test&timezone=UTC&query_timeout=60s")
	require.NoError(t, err)
	return db
}
