package cli

import (
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/source"
)

// TestTheConnectionThatFlagsSay has files by their whole paths, and an exchange of tokens where
// one of its flags is there.
func TestTheConnectionThatFlagsSay(t *testing.T) {
	t.Parallel()
	whole := func(name string) string {
		path, err := filepath.Abs(name)
		require.NoError(t, err)
		return path
	}
	of := func(args ...string) source.TrinoConnection {
		var f trinoFlags
		flags := pflag.NewFlagSet("t", pflag.ContinueOnError)
		f.add(flags)
		require.NoError(t, flags.Parse(append(args, "--user", "svc")))
		c, err := f.connection("https://trino:8443/")
		require.NoError(t, err)
		return c
	}
	require.Equal(t, source.TrinoConnection{URL: "https://trino:8443", User: "svc", PasswordFile: whole("p")}, of("--password-file", "p"))
	require.Equal(t, map[string]source.TrinoCluster{
		"eu": {URL: "https://eu:8443", User: "svc_eu", PasswordFile: whole("p"), CAFile: whole("c")}, "us": {URL: "https://us:8443", TokenFile: "/t"},
	}, of("--cluster", "eu=https://eu:8443/,user=svc_eu,password-file=p,ca-file=c", "--cluster", "us=https://us:8443,token-file=/t").Clusters)
	for _, wrong := range []string{"", "eu", "eu=", "EU=https://eu", "eu=https://eu,password=geheim", "eu=https://eu,user="} {
		_, _, err := clusterOf(wrong)
		require.ErrorContains(t, err, "--cluster", wrong)
	}
	places, err := regionPlaces("--region", []string{"sg=hive", "eu=hive@eu", "us=hive.us_@us"})
	require.NoError(t, err)
	require.Equal(t, map[string]source.TrinoPlace{"sg": {Catalog: "hive"}, "eu": {Catalog: "hive", Cluster: "eu"}, "us": {Catalog: "hive", SchemaPrefix: "us_", Cluster: "us"}}, places)
	require.Equal(t, source.TrinoConnection{
		URL: "https://trino:8443", User: "svc", TokenFile: whole("t"), CAFile: "/ca", Impersonate: true, TokenExchange: &source.TokenExchange{
			URL: "https://login/token", ClientID: "dibrain", ClientSecretFile: whole("s"), Audience: "trino", Scopes: []string{"a", "b"}, SignIn: "jwt", CAFile: whole("c"),
		},
	}, of("--token-file", "t", "--ca-file", "/ca", "--impersonate", "--exchange-url", "https://login/token", "--exchange-client", "dibrain",
		"--exchange-secret-file", "s", "--exchange-audience", "trino", "--exchange-scope", "a,b", "--exchange-sign-in", "jwt", "--exchange-ca-file", "c"))
}
