package source_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

func connection() source.TrinoConnection {
	return source.TrinoConnection{
		URL: "https://trino.example.com:8443", User: "svc_agent", PasswordFile: "/run/secrets/trino", Impersonate: true,
		Regions: map[string]source.TrinoPlace{"sg": {Catalog: "hive"}},
	}
}

// exchanging lets a connection exchange sign-ins.
func exchanging(c *source.TrinoConnection) *source.TrinoConnection {
	c.TokenExchange = &source.TokenExchange{URL: "https://login.example.com/token", ClientID: "dibrain", Audience: "trino", SignIn: "access_token"}
	return c
}

// clusters lets a connection have a second server with a region of its own.
func clusters(c *source.TrinoConnection) *source.TrinoConnection {
	c.Clusters = map[string]source.TrinoCluster{"eu": {URL: "https://trino-eu.example.com:8443", PasswordFile: "/run/secrets/eu"}}
	c.Regions["eu"] = source.TrinoPlace{Catalog: "hive", Cluster: "eu"}
	return c
}

func TestTrinoConnectionCheck(t *testing.T) {
	t.Parallel()
	require.NoError(t, connection().Check())
	for name, tc := range map[string]struct {
		change func(*source.TrinoConnection)
		field  string
	}{
		"no address":             {func(c *source.TrinoConnection) { c.URL = "" }, "url"},
		"another scheme":         {func(c *source.TrinoConnection) { c.URL = "jdbc:trino://h:1" }, "url"},
		"a password in it":       {func(c *source.TrinoConnection) { c.URL = "https://svc:geheim@h:1" }, "url"},
		"a broken password":      {func(c *source.TrinoConnection) { c.URL = "https://svc:geh%eim@h:1" }, "url"},
		"a catalog in it":        {func(c *source.TrinoConnection) { c.URL = "https://h:1/hive" }, "url"},
		"no user":                {func(c *source.TrinoConnection) { c.User = "" }, "user"},
		"a user beyond ASCII":    {func(c *source.TrinoConnection) { c.User = "用户" }, "user"},
		"password in the clear":  {func(c *source.TrinoConnection) { c.URL = "http://127.0.0.1:8080" }, "password_file"},
		"CA of nothing":          {func(c *source.TrinoConnection) { c.URL, c.PasswordFile, c.CAFile = "http://127.0.0.1:8080", "", "ca" }, "ca_file"},
		"anybody is anybody":     {func(c *source.TrinoConnection) { c.URL, c.PasswordFile = "http://h:8080", "" }, "impersonate"},
		"no password over https": {func(c *source.TrinoConnection) { c.PasswordFile = "" }, "impersonate"},
		"no region":              {func(c *source.TrinoConnection) { c.Regions = nil }, "regions"},
		"no catalog":             {func(c *source.TrinoConnection) { c.Regions = map[string]source.TrinoPlace{"sg": {}} }, "regions"},
		"a token in the clear":   {func(c *source.TrinoConnection) { c.URL, c.PasswordFile, c.TokenFile = "http://127.0.0.1:8080", "", "t" }, "token_file"},
		"two ways to sign in":    {func(c *source.TrinoConnection) { c.TokenFile = "t" }, "token_file"},
		"exchanged for nobody":   {func(c *source.TrinoConnection) { exchanging(c).Impersonate = false }, "token_exchange"},
		"no service of its own":  {func(c *source.TrinoConnection) { exchanging(c).PasswordFile = "" }, "token_exchange"},
		"no endpoint":            {func(c *source.TrinoConnection) { exchanging(c).TokenExchange.URL = "" }, "token_exchange.url"},
		"a sign-in in the clear": {func(c *source.TrinoConnection) { exchanging(c).TokenExchange.URL = "http://login.example.com/token" }, "token_exchange.url"},
		"a secret in it": {func(c *source.TrinoConnection) {
			exchanging(c).TokenExchange.URL = "https://geh:eim@login.example.com/token"
		}, "token_exchange.url"},
		"no client":             {func(c *source.TrinoConnection) { exchanging(c).TokenExchange.ClientID = "" }, "token_exchange.client_id"},
		"no audience":           {func(c *source.TrinoConnection) { exchanging(c).TokenExchange.Audience = "" }, "token_exchange.audience"},
		"another kind of token": {func(c *source.TrinoConnection) { exchanging(c).TokenExchange.SignIn = "saml2" }, "token_exchange.sign_in"},
		"CA of no issuer": {func(c *source.TrinoConnection) {
			exchanging(c).TokenExchange.URL, c.TokenExchange.CAFile = "http://127.0.0.1:1/token", "ca"
		}, "token_exchange.ca_file"},
		"a region nowhere": {func(c *source.TrinoConnection) { c.Regions["eu"] = source.TrinoPlace{Catalog: "hive", Cluster: "eu"} }, "regions"},
		"a region of no cluster": {func(c *source.TrinoConnection) {
			clusters(c).Regions["us"] = source.TrinoPlace{Catalog: "hive", Cluster: "us"}
		}, "clusters"},
		"a cluster of no region": {func(c *source.TrinoConnection) { clusters(c).Regions["eu"] = source.TrinoPlace{Catalog: "hive"} }, "clusters"},
		"a cluster called main":  {func(c *source.TrinoConnection) { clusters(c).Clusters["main"] = c.Clusters["eu"] }, "clusters"},
		"a cluster's password in the clear": {func(c *source.TrinoConnection) {
			clusters(c).Clusters["eu"] = source.TrinoCluster{URL: "http://127.0.0.1:1", PasswordFile: "p"}
		}, "password_file"},
		"a cluster that checks nobody": {func(c *source.TrinoConnection) {
			clusters(c).Clusters["eu"] = source.TrinoCluster{URL: "https://trino-eu:8443"}
		}, "impersonate"},
		"two properties in one": {func(c *source.TrinoConnection) { c.Session = map[string]string{"a=1,b": "2"} }, "session"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connection()
			tc.change(&c)
			err := c.Check()
			require.Equal(t, source.ReasonTrinoConnection, fault.ReasonOf(err))
			require.Equal(t, tc.field, fault.FromStatus(err).Field)
			require.NotContains(t, err.Error(), "geh")
		})
	}
	for name, change := range map[string]func(*source.TrinoConnection){
		"clusters":                    func(c *source.TrinoConnection) { clusters(c) },
		"a token":                     func(c *source.TrinoConnection) { c.PasswordFile, c.TokenFile = "", "t" },
		"exchange":                    func(c *source.TrinoConnection) { exchanging(c) },
		"by a token of one's own too": func(c *source.TrinoConnection) { exchanging(c).PasswordFile, c.TokenFile = "", "t" },
		"loopback":                    func(c *source.TrinoConnection) { c.URL, c.PasswordFile = "http://127.0.0.1:8080", "" },
		"localhost":                   func(c *source.TrinoConnection) { c.URL, c.PasswordFile = "http://localhost:8080", "" },
		"trusted":                     func(c *source.TrinoConnection) { c.URL, c.PasswordFile, c.TrustUserHeader = "http://h:8080", "", true },
	} {
		c := connection()
		change(&c)
		require.NoError(t, c.Check(), name)
	}
}

func TestTrinoSourceKeepsItsConnection(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	make := func(c *source.TrinoConnection) (*source.Generation, error) {
		return s.Make(t.Context(), "wh", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
			return source.Manifest{Engine: source.EngineTrino, Trino: c, Origin: "trino"}, nil, nil
		})
	}
	_, err := make(nil)
	require.Equal(t, "SOURCE_DAMAGED", fault.ReasonOf(err))
	c := connection()
	made, err := make(&c)
	require.NoError(t, err)
	g, err := s.Current("wh")
	require.NoError(t, err)
	require.Equal(t, connection(), *g.Trino)
	raw, err := os.ReadFile(filepath.Join(made.Dir, "source.json"))
	require.NoError(t, err)
	require.NotContains(t, string(raw), `password":`)
}
