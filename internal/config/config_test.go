package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
)

// home returns variables that keep a test away from the files of whoever runs it.
func home(t *testing.T, extra ...string) []string {
	t.Helper()
	dir := t.TempDir()
	return append([]string{"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "XDG_DATA_HOME=" + filepath.Join(dir, "data")}, extra...)
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestLaterLayersWin(t *testing.T) {
	t.Parallel()
	path := write(t, "log: {level: debug, format: json}\nlimits:\n  max_deadline: 90s\nrouter:\nsource: shop\n")
	env := home(t, "DIBRAIN_LOG_LEVEL=warn", "DIBRAIN_LIMITS_REQUESTS_PER_SECOND=2.5", "DIBRAIN_AUTH_HOP_KEY="+strings.Repeat("k", 32))
	c, err := config.Load(config.Options{File: path, Environ: env, Flags: map[string]any{"log.level": "error"}})
	require.NoError(t, err)
	require.Equal(t, "error", c.Log.Level)
	require.Equal(t, "json", c.Log.Format)
	require.Equal(t, 90*time.Second, c.Limits.MaxDeadline)
	require.InDelta(t, 2.5, c.Limits.RequestsPerSecond, 0)
	require.Equal(t, "shop", c.Router.Config.DefaultSource, "services inherit the source")
	require.Equal(t, "shop", c.ChatBI.Config.DefaultSource)
	require.Equal(t, "127.0.0.1:7070", c.Listen)
	require.True(t, strings.HasSuffix(c.DataDir, filepath.Join("data", "dibrain")), c.DataDir)
	require.Equal(t, "flag --log-level", c.Origin("log.level"))
	require.Equal(t, "file "+path, c.Origin("log.format"))
	require.Equal(t, "variable DIBRAIN_AUTH_HOP_KEY", c.Origin("auth.hop_key"))
	require.Empty(t, c.Origin("listen"))
	require.NoError(t, c.Verify(t.Context(), nil))
}

func TestDefaultFileIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "dibrain"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dibrain", "config.yaml"), []byte("source: a"), 0o600))
	c, err := config.Load(config.Options{Environ: home(t, "XDG_CONFIG_HOME="+dir)})
	require.NoError(t, err)
	require.Equal(t, "a", c.Source)
	c, err = config.Load(config.Options{Environ: home(t, "XDG_CONFIG_HOME="+dir, "DIBRAIN_CONFIG="+write(t, "source: b"))})
	require.NoError(t, err)
	require.Equal(t, "b", c.Source)
	c, err = config.Load(config.Options{Environ: home(t)})
	require.NoError(t, err)
	require.Equal(t, "demo", c.Source)
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file, env string
		reason    string
		contains  []string
	}{
		"misspelt":           {file: "auth: {mod: token}", reason: "CONFIG_KEY_UNKNOWN", contains: []string{`"auth.mod"`, `Did you mean "auth.mode"?`, "file "}},
		"out of its section": {file: "token_file: x", reason: "CONFIG_KEY_UNKNOWN", contains: []string{`Did you mean "auth.token_file"?`}},
		"unlike anything":    {file: "zzzzzzzzzzzzzzzzz: 1", reason: "CONFIG_KEY_UNKNOWN", contains: []string{"config print"}},
		"variable":           {env: "DIBRAIN_LISTEM=x", reason: "CONFIG_KEY_UNKNOWN", contains: []string{"DIBRAIN_LISTEN"}},
		"wrong type":         {file: "replicas: many\nlimits: {max_deadline: soon}", reason: "CONFIG_INVALID", contains: []string{"replicas", "limits.max_deadline"}},
		"no YAML":            {file: "a: [", reason: "CONFIG_INVALID", contains: []string{"no YAML"}},
		"a service's value":  {file: "fixsql: {max_rounds: -1}", reason: "", contains: []string{"fixsql.max_rounds"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := config.Options{Environ: home(t, tc.env)}
			if tc.file != "" {
				o.File = write(t, tc.file)
			}
			_, err := config.Load(o)
			require.Error(t, err)
			require.Equal(t, codes.InvalidArgument, fault.FromStatus(err).Code)
			if tc.reason != "" {
				require.Equal(t, tc.reason, fault.ReasonOf(err))
			}
			for _, text := range tc.contains {
				require.ErrorContains(t, err, text)
			}
		})
	}
	_, err := config.Load(config.Options{File: filepath.Join(t.TempDir(), "absent.yaml"), Environ: home(t)})
	require.Equal(t, "CONFIG_UNREADABLE", fault.ReasonOf(err))
}

func TestVariablesOfThePlatformAreNoKeys(t *testing.T) {
	t.Parallel()
	_, err := config.Load(config.Options{Environ: home(t,
		"DIBRAIN_SERVICE_HOST=10.0.0.1", "DIBRAIN_ROUTER_PORT_7070_TCP_ADDR=10.0.0.1", "DIBRAIN_FINDATA_PORT=tcp://10.0.0.1:7070",
		"DIBRAIN_ROUTER_SERVICE_PORT_GRPC=7070", "DIBRAIN_TOKEN=dib_x", "DIBRAIN_TEST_ANYTHING=1")})
	require.NoError(t, err)
}

// onS3 has results in object storage.
func onS3(c *config.Config) {
	c.Store.Kind, c.Store.DSNFile = config.StorePostgres, "dsn"
	c.Results.Kind, c.Results.S3.Endpoint, c.Results.S3.Bucket = config.ResultsS3, "https://s3.example.com", "results"
	c.Results.S3.AccessKeyIDFile, c.Results.S3.SecretAccessKey = "id", "a secret"
}

func TestVerify(t *testing.T) {
	t.Parallel()
	far := []config.Peer{{Service: "findata", Address: "192.0.2.1:7070"}}
	for name, tc := range map[string]struct {
		change func(*config.Config)
		peers  []config.Peer
		want   string
	}{
		"defaults":       {},
		"replicas":       {change: func(c *config.Config) { c.Replicas = 3 }, want: "embedded stores serve one process"},
		"replicas, none": {change: func(c *config.Config) { c.Replicas = 0 }, want: "set it to 1 or more"},
		"replicas on one database": {change: func(c *config.Config) {
			c.Replicas, c.Store.Kind, c.Store.DSNFile = 3, config.StorePostgres, "dsn"
		}},
		"postgres, nowhere":            {change: func(c *config.Config) { c.Store.Kind = config.StorePostgres }, want: "store.dsn_file is missing"},
		"postgres, twice":              {change: func(c *config.Config) { c.Store.Kind, c.Store.DSN, c.Store.DSNFile = config.StorePostgres, "d", "f" }, want: "both set"},
		"a database for sqlite":        {change: func(c *config.Config) { c.Store.DSNFile = "dsn" }, want: "store.kind is sqlite"},
		"results in s3":                {change: onS3},
		"results in s3, beside a file": {change: func(c *config.Config) { onS3(c); c.Store.Kind, c.Store.DSNFile = config.StoreSQLite, "" }, want: "Set store.kind to postgres"},
		"results in s3, nowhere":       {change: func(c *config.Config) { onS3(c); c.Results.S3.Endpoint = "" }, want: "results.s3.endpoint is missing"},
		"results in no bucket":         {change: func(c *config.Config) { onS3(c); c.Results.S3.Bucket = "" }, want: "results.s3.bucket is missing"},
		"results, no address":          {change: func(c *config.Config) { onS3(c); c.Results.S3.Endpoint = "s3:9000" }, want: "results.s3.endpoint is"},
		"results, no key":              {change: func(c *config.Config) { onS3(c); c.Results.S3.SecretAccessKey = "" }, want: "results.s3.secret_access_key_file is missing: results.kind s3 needs it, or DIBRAIN_RESULTS_S3_SECRET_ACCESS_KEY"},
		"results, two keys":            {change: func(c *config.Config) { onS3(c); c.Results.S3.AccessKeyID = "k" }, want: "results.s3.access_key_id and results.s3.access_key_id_file are both set"},
		"results, encrypted":           {change: func(c *config.Config) { onS3(c); c.Results.S3.Encryption = "AES256" }},
		"results, encrypted somehow":   {change: func(c *config.Config) { onS3(c); c.Results.S3.Encryption = "rot13" }, want: "results.s3.encryption"},
		"results, encrypted by no key": {change: func(c *config.Config) { onS3(c); c.Results.S3.Encryption = "aws:kms" }, want: "results.s3.kms_key is missing"},
		"results, a key for nothing":   {change: func(c *config.Config) { onS3(c); c.Results.S3.KMSKey = "k" }, want: "is for results.s3.encryption aws:kms"},
		"results, patience":            {change: func(c *config.Config) { onS3(c); c.Results.S3.AnswerTimeout = time.Hour }, want: "results.s3.answer_timeout is above"},
		"results in both":              {change: func(c *config.Config) { onS3(c); c.Results.Shared = true }, want: "leave them out"},
		"results shared": {change: func(c *config.Config) {
			c.Store.Kind, c.Store.DSNFile, c.Results.Shared, c.Results.Directory = config.StorePostgres, "dsn", true, "/results"
		}},
		"results shared, where": {change: func(c *config.Config) {
			c.Store.Kind, c.Store.DSNFile, c.Results.Shared = config.StorePostgres, "dsn", true
		}, want: "results.directory is missing"},
		"results shared, beside a file": {change: func(c *config.Config) { c.Results.Shared, c.Results.Directory = true, "/results" }, want: "Set store.kind to postgres"},
		"another kind":                  {change: func(c *config.Config) { c.Store.Kind = "mysql" }, want: "store.kind"},
		"one connection":                {change: func(c *config.Config) { c.Store.MaxConnections = 1 }, want: "store.max_connections is 1"},
		"beyond loopback":               {change: func(c *config.Config) { c.Listen = ":7070" }, want: "auth.mode is local"},
		"token, of the store":           {change: func(c *config.Config) { c.Auth.Mode = "token" }},
		"no tokens":                     {change: func(c *config.Config) { c.Auth.MaxTokens = 0 }, want: "auth.max_tokens is 0"},
		"token, everywhere": {change: func(c *config.Config) { c.Auth.Mode, c.Auth.TokenFile, c.Listen = "token", "t", ":7070" },
			want: "tokens would cross the network in plain text"},
		"token, everywhere, behind a proxy": {change: func(c *config.Config) {
			c.Auth.Mode, c.Auth.TokenFile, c.Listen, c.Auth.InsecurePlaintext = "token", "t", ":7070", true
		}},
		"token, everywhere, with TLS": {change: func(c *config.Config) {
			c.Auth.Mode, c.Auth.TokenFile, c.Listen, c.TLS.CertFile, c.TLS.KeyFile = "token", "t", ":7070", "c", "k"
		}},
		"services, everywhere": {change: func(c *config.Config) { c.Auth.Mode, c.Listen = "services", ":7070" },
			want: "tokens would cross the network in plain text"},
		"token grace":       {change: func(c *config.Config) { c.Auth.TokenGrace = 0 }, want: "auth.token_grace is 0s"},
		"three keys":        {change: func(c *config.Config) { c.Auth.HopKeysFile, c.Auth.HopKeyFile = "f", "f" }, want: "auth.hop_keys_file stands instead"},
		"far with its keys": {change: func(c *config.Config) { c.Auth.HopKeysFile = "f" }, peers: far},
		"mode":              {change: func(c *config.Config) { c.Auth.Mode = "none" }, want: `auth.mode is "none"`},
		"short key":         {change: func(c *config.Config) { c.Auth.HopKey = "short" }, want: "auth.hop_key has 5 characters"},
		"two keys":          {change: func(c *config.Config) { c.Auth.HopKey, c.Auth.HopKeyFile = config.Secret(strings.Repeat("k", 32)), "f" }, want: "both set"},
		"no address":        {peers: []config.Peer{{Service: "findata"}}, want: "findata.address is missing"},
		"far and no key":    {peers: far, want: "auth.hop_key_file is missing"},
		"far with a key":    {change: func(c *config.Config) { c.Auth.HopKeyFile = "f" }, peers: far},
		"near and no key":   {peers: []config.Peer{{Service: "findata", Address: "dns:///127.0.0.1:7072"}}},
		"same port":         {change: func(c *config.Config) { c.Admin.Listen = c.Listen }, want: "choose two ports"},
		"no port":           {change: func(c *config.Config) { c.Listen = "localhost" }, want: `listen is "localhost"`},
		"log level":         {change: func(c *config.Config) { c.Log.Level = "loud" }, want: `log.level is "loud"`},
		"limit":             {change: func(c *config.Config) { c.Limits.MaxRequestBytes = 10 }, want: "limits.max_request_bytes is 10"},
		"duration":          {change: func(c *config.Config) { c.Limits.DrainTimeout = -1 }, want: "limits.drain_timeout is -1ns"},
		"policy's zone":     {change: func(c *config.Config) { c.Policy.TimeZone = "Mars/Base" }, want: `policy.time_zone is "Mars/Base"`},
		"time zone":         {change: func(c *config.Config) { c.Router.Config.TimeZone = "Mars/Base" }, want: `router.time_zone is "Mars/Base"`},
		"half a pair":       {change: func(c *config.Config) { c.TLS.CertFile = "x" }, want: "go together"},
		"no data directory": {change: func(c *config.Config) { c.DataDir = "" }, want: "data_dir is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config.Default()
			c.DataDir = t.TempDir()
			if tc.change != nil {
				tc.change(&c)
			}
			err := c.Verify(t.Context(), tc.peers)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
	for mode, file := range map[string]string{"local": "", "token": "t", "services": ""} {
		c := config.Default()
		c.DataDir, c.Auth.Mode, c.Auth.TokenFile, c.Listen = t.TempDir(), mode, file, "nowhere at all"
		err := c.Verify(t.Context(), nil)
		require.Equal(t, 1, strings.Count(err.Error(), "nowhere at all"), "%s: a mistake is told once: %v", mode, err)
	}
	c := config.Default()
	c.Replicas, c.Log.Level = 0, "loud"
	err := c.Verify(t.Context(), nil)
	require.ErrorContains(t, err, "replicas")
	require.ErrorContains(t, err, "log.level", "all problems are told at once")
	require.Equal(t, codes.InvalidArgument, fault.FromStatus(err).Code)
}

func TestPrintIsAConfigurationFileWithoutSecrets(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("hunter2", 5)
	c, err := config.Load(config.Options{Environ: home(t, "DIBRAIN_AUTH_HOP_KEY="+secret, "DIBRAIN_SOURCE=shop")})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, c.Print(&out))
	require.NotContains(t, out.String(), "hunter2")
	require.Contains(t, out.String(), "source: shop # variable DIBRAIN_SOURCE")
	var doc map[string]any
	require.NoError(t, yaml.Unmarshal(out.Bytes(), &doc))
	again, err := config.Load(config.Options{File: write(t, strings.Replace(out.String(), "'********'", `""`, 1)), Environ: home(t)})
	require.NoError(t, err, "what is printed can be read")
	require.Equal(t, c.Limits, again.Limits)
	require.Equal(t, c.ChatBI, again.ChatBI)
}

func TestEnsureDataDir(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, config.EnsureDataDir(dir))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	err = config.EnsureDataDir(filepath.Join(file, "below"))
	require.Equal(t, "DATA_DIR_NOT_WRITABLE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "--data-dir")
}
