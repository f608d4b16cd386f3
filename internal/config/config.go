// Package config is the configuration of every process: one tree of structs,
// filled from defaults, a YAML file, DIBRAIN_* variables and flags, in this
// order. docs/configuration.md is made from the comments of the fields.
package config

import (
	"log/slog"
	"time"

	"github.com/dibrain/dibrain/internal/export"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/ingest/history"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/chatbi"
	"github.com/dibrain/dibrain/services/findata"
	"github.com/dibrain/dibrain/services/fixsql"
	"github.com/dibrain/dibrain/services/knowledge"
	"github.com/dibrain/dibrain/services/logify"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/text2sql"
)

// Config is the whole configuration.
type Config struct {
	// Folder of all that DI-Brain keeps: sources, sessions, runs, results. Empty
	// means "dibrain" in the XDG data home.
	DataDir string `koanf:"data_dir"`
	// Source that is asked when neither the question nor its session names one.
	Source string `koanf:"source"`
	// Number of processes with the same target that share the load. The embedded
	// stores serve one, so more is refused; all targets may be several where store.kind is
	// postgres, chatbi where its results are shared too (results.kind).
	Replicas int `koanf:"replicas"`
	// Address on which gRPC is served, "host:port". In auth.mode local it must be
	// on loopback.
	Listen string `koanf:"listen"`
	// How often a server looks at its configuration file: one whose content has changed, and
	// is the same at two looks, is taken on as at SIGHUP. 0: at SIGHUP alone.
	ReloadEvery time.Duration `koanf:"reload_every"`

	Admin  Admin  `koanf:"admin"`
	Auth   Auth   `koanf:"auth"`
	Policy Policy `koanf:"policy"`
	TLS    TLS    `koanf:"tls"`
	Log    Log    `koanf:"log"`
	Limits Limits `koanf:"limits"`
	Memory Memory `koanf:"memory"`
	Client Client `koanf:"client"`
	LLM    LLM    `koanf:"llm"`
	// Bounds of files that answers are exported to.
	Export  export.Config `koanf:"export"`
	Store   Store         `koanf:"store"`
	Results Results       `koanf:"results"`
	// What is kept of the queries that people run on Trino; see docs/own-data.md.
	History History `koanf:"history"`

	Router    RouterSection    `koanf:"router"`
	FindData  FindDataSection  `koanf:"findata"`
	Text2SQL  Text2SQLSection  `koanf:"text2sql"`
	FixSQL    FixSQLSection    `koanf:"fixsql"`
	ChatBI    ChatBISection    `koanf:"chatbi"`
	Knowledge KnowledgeSection `koanf:"knowledge"`
	Logify    LogifySection    `koanf:"logify"`
	Analysis  AnalysisSection  `koanf:"analysis"`

	origins map[string]string // key -> where its value comes from, when not a default
}

// Admin is the HTTP listener for operators.
type Admin struct {
	// Address of /healthz, /readyz and /metrics, "host:port". Empty switches it
	// off.
	Listen string `koanf:"listen"`
}

// Auth says how callers are known.
type Auth struct {
	// How callers at the edge are known: "local" (everybody is the operating
	// system's user; loopback only), "token" (API tokens), "oidc"
	// (ID tokens of auth.oidc.issuer, and API tokens) or
	// "services" (nobody: other services of the deployment alone, by hop tokens).
	Mode string `koanf:"mode"`
	OIDC OIDC   `koanf:"oidc"`
	// YAML file with API tokens of modes token and oidc beside those that `dibrain token
	// create` keeps in the store; `dibrain config new-token` prints an entry. Changes are
	// seen within seconds.
	TokenFile string `koanf:"token_file"`
	// How long the tokens stay valid while their file or store cannot be read again. After
	// it nobody is let in until it can.
	TokenGrace time.Duration `koanf:"token_grace"`
	// API tokens in the store that may be good at once.
	MaxTokens int `koanf:"max_tokens"`
	// Failed sign-ins from one address (of IPv6, from one /64 network) that may come at
	// once. Whoever is signed in from there already goes on. 0 switches the limit off.
	FailedSignIns int `koanf:"failed_sign_ins"`
	// After how long one more of them may fail.
	FailedSignInEvery time.Duration `koanf:"failed_sign_in_every"`
	// File to which a line of JSON is appended for each call from outside: who, from where,
	// which call, whether it was allowed, what came of it; nothing of what was asked or
	// answered. Empty: there is none.
	AuditFile string `koanf:"audit_file"`
	// Serves plaintext on an address that other machines reach: for a proxy or mesh
	// before it that speaks TLS. Otherwise such an address needs tls.cert_file.
	InsecurePlaintext bool `koanf:"insecure_plaintext"`
	// Key with which services sign the principal for each other, at least 32
	// characters, the same for all services of a deployment. Better kept in a file
	// or a variable than in the configuration file.
	HopKey Secret `koanf:"hop_key"`
	// File with that key. When both are empty, a key is made in the data
	// directory.
	HopKeyFile string `koanf:"hop_key_file"`
	// File with the keys of those services alone that this process holds or calls,
	// instead of the deployment's key; `dibrain config hop-keys` prints it. Who takes
	// over the process then cannot speak to the other services.
	HopKeysFile string `koanf:"hop_keys_file"`
}

// OIDC says whose ID tokens are believed in mode oidc, and what of them.
type OIDC struct {
	// Address of the issuer, https, as its tokens name it (iss). Its configuration and its
	// keys are read under it, and again when a token has a key that is not known.
	Issuer string `koanf:"issuer"`
	// What tokens have to be made for (aud): the client id of this server at the issuer.
	Audience string `koanf:"audience"`
	// Claim that is a person's id, by which policies and sessions know them: "sub", or
	// "email", which counts when the issuer has verified it.
	PrincipalClaim string `koanf:"principal_claim"`
	// Claim with a person's groups.
	GroupsClaim string `koanf:"groups_claim"`
	// Groups whose members administer.
	AdminGroups []string `koanf:"admin_groups"`
	// How far the clocks of the issuer and of this server may differ.
	Skew time.Duration `koanf:"skew"`
	// Longest time of one request to the issuer.
	Timeout time.Duration `koanf:"timeout"`
	// Authorities in PEM that sign the issuer's certificate. Empty: those of the system.
	CAFile string `koanf:"ca_file"`
	// Tells the services that run statements, and those between, by which ID token the asker
	// signed in, sealed for each of them: a source on Trino can exchange it there for a token
	// of the asker's own. See docs/trino.md.
	PassSignIn bool `koanf:"pass_sign_in"`
}

// Edge is what package auth makes of it.
func (c OIDC) Edge(clock func() time.Time) auth.OIDCConfig {
	return auth.OIDCConfig{
		Issuer: c.Issuer, Audience: c.Audience, PrincipalClaim: c.PrincipalClaim, GroupsClaim: c.GroupsClaim, AdminGroups: c.AdminGroups,
		Skew: c.Skew, Timeout: c.Timeout, CAFile: c.CAFile, PassSignIn: c.PassSignIn, Clock: clock,
	}
}

// Policy says who may read what.
type Policy struct {
	// YAML file with the rules about tables, rows and columns; see docs/policy.md.
	// Changes are seen within seconds; a file that cannot be read closes all
	// tables. Empty lets everybody read everything.
	File string `koanf:"file"`
	// IANA time zone in which current_date and its like begin a day in the policy's
	// own conditions. The clock is the server's: neither the time that a caller
	// says nor the asker's time zone reaches a policy.
	TimeZone string `koanf:"time_zone"`
}

// TLS names PEM files.
type TLS struct {
	// Certificate that this process shows on gRPC connections. Empty serves
	// plaintext.
	CertFile string `koanf:"cert_file"`
	// Private key of the certificate.
	KeyFile string `koanf:"key_file"`
	// Authorities of client certificates; when set, callers must show one.
	ClientCAFile string `koanf:"client_ca_file"`
	// Authorities that this process trusts when it calls other services. Setting
	// it, or tls.cert_file, makes those calls use TLS.
	CAFile string `koanf:"ca_file"`
	// Name that certificates of other services must have. Empty means the one of
	// their address.
	ServerName string `koanf:"server_name"`
}

// Log says what is logged, on standard error.
type Log struct {
	// Least level that is logged: debug, info, warn or error.
	Level string `koanf:"level"`
	// Format of a line: text or json.
	Format string `koanf:"format"`
}

// Limits bound what one process does for callers.
type Limits struct {
	// Largest request, in bytes. The rules of the contract are tighter.
	MaxRequestBytes int `koanf:"max_request_bytes"`
	// Largest answer, or message of a stream, in bytes.
	MaxResponseBytes int `koanf:"max_response_bytes"`
	// Calls at work on one connection.
	MaxStreams int `koanf:"max_streams"`
	// Longest time of a call, whatever the caller allows.
	MaxDeadline time.Duration `koanf:"max_deadline"`
	// How long calls at work may go on after the process was asked to stop.
	DrainTimeout time.Duration `koanf:"drain_timeout"`
	// How long the process tells probes that it is going, before it takes no
	// more calls. On Kubernetes a few seconds keep new calls away.
	DrainDelay time.Duration `koanf:"drain_delay"`
	// How long a client keeps one connection before it is told to make another, at which it
	// looks the name up again and finds new replicas; calls at work end first.
	ConnectionAge time.Duration `koanf:"connection_age"`
	// Calls per second of one principal; 0 switches the limit off.
	RequestsPerSecond float64 `koanf:"requests_per_second"`
	// Calls of one principal that may come at once.
	RequestBurst int `koanf:"request_burst"`
	// Principals whose rate is remembered, and addresses whose failed sign-ins are.
	MaxPrincipals int `koanf:"max_principals"`
}

// Memory bounds the memory of a server; see docs/operations.md.
type Memory struct {
	// Bytes that the runtime of `dibrain serve` keeps to by collecting garbage sooner, as
	// GOMEMLIMIT does, which counts instead where it is set. It gives way where what the
	// process holds needs more, such as the index of a large catalog: it bounds what is not
	// collected yet, and refuses nothing. The program's own code and the embedded engines'
	// processes come on top. -1: none.
	SoftLimit int64 `koanf:"soft_limit_bytes"`
}

// History is what `dibrain ingest SOURCE --history` and `dibrain history receive` keep of
// queries that people ran.
type History struct {
	// Days before the latest query that are kept.
	KeepDays int `koanf:"keep_days"`
	// Keep the names of persons: who used which table on which day. Without them only
	// days are counted.
	Users bool `koanf:"users"`
	// Keep shapes of queries, without any value in them, and words that people gave to
	// what they read.
	Shapes bool `koanf:"shapes"`
	// Persons, such as service users, whose queries are not counted.
	Exclude []string `koanf:"exclude"`
	// Longest wait of an event that was received until it is counted; then the source
	// gets a new generation.
	FlushEvery time.Duration `koanf:"flush_every"`
	// Most events that wait. Then they are counted at once, and Trino is told to come
	// again.
	MaxPending int `koanf:"max_pending"`
	// Most bytes of one event.
	MaxEvent int `koanf:"max_event_bytes"`
	// Most shapes of queries and words that are kept of a table.
	MaxTemplates int `koanf:"max_templates"`
	MaxWords     int `koanf:"max_words"`
}

// Client bounds the calls of one service to another.
type Client struct {
	// How long a call waits for a connection.
	ReadyTimeout time.Duration `koanf:"ready_timeout"`
	// Longest pause between two tries to connect to a service that is away: how
	// long callers may stay deaf after it is back.
	MaxBackoff time.Duration `koanf:"max_backoff"`
	// Deadline of a call that has none otherwise.
	CallTimeout time.Duration `koanf:"call_timeout"`
	// How often a call without side effects is tried in all, 1 to 5.
	RetryAttempts int `koanf:"retry_attempts"`
}

// Kinds of Store.
const (
	StoreSQLite   = "sqlite"
	StorePostgres = "postgres"
)

// Store says where the router keeps sessions, runs, tool calls and feedback, and other
// services what they keep but the rows of results; see docs/operations.md.
type Store struct {
	// Where sessions, runs, tool calls, feedback, analyses, preferences, verified queries,
	// the expert's sessions and the index of results are kept: "sqlite", files in the data
	// directory for one process each, or "postgres", a database that any number of processes
	// share.
	Kind string `koanf:"kind"`
	// Connection string of the database, such as
	// postgres://USER:PASSWORD@HOST:5432/dibrain?sslmode=verify-full. Better kept in a
	// file or a variable than in the configuration file.
	DSN Secret `koanf:"dsn"`
	// File with that connection string. It is read before each new connection, so that a
	// new password counts at once.
	DSNFile string `koanf:"dsn_file"`
	// Connections of one process to the database; one more tells that it lives.
	MaxConnections int `koanf:"max_connections"`
	// How long the making of a connection may take.
	ConnectTimeout time.Duration `koanf:"connect_timeout"`
	// How long one read or write may take, with the wait for a connection and for others
	// who write to the same session.
	Timeout time.Duration `koanf:"timeout"`
	// How long a process that gives no sign of life is waited for before others take its
	// sessions over. A third of it lies between two signs.
	Grace time.Duration `koanf:"grace"`
	// After how many reads and writes in a row that the database did not answer it is asked
	// no more.
	Failures int `koanf:"failures"`
	// How long that lasts before one of them tries again.
	ProbeAfter time.Duration `koanf:"probe_after"`
}

// Kinds of Results.
const (
	ResultsDirectory = "directory"
	ResultsS3        = "s3"
)

// Results says where the rows of results are kept; see docs/operations.md. Their bounds are
// those of chatbi.store.
type Results struct {
	// Where the rows are: "directory", a folder, or "s3", object storage that speaks the S3
	// API, for which store.kind has to be postgres.
	Kind string `koanf:"kind"`
	// Folder with the rows. Empty: chatbi/results in data_dir.
	Directory string `koanf:"directory"`
	// Says that the folder is one that all processes of chat BI reach, such as a volume that
	// all of them mount. It has to be there: it is not made.
	Shared bool `koanf:"shared"`
	S3     S3   `koanf:"s3"`
}

// S3 says where object storage is and what may be asked of it.
type S3 struct {
	// Address of the server, such as https://s3.eu-central-1.amazonaws.com.
	Endpoint string `koanf:"endpoint"`
	// Bucket of the rows. It has to be there.
	Bucket string `koanf:"bucket"`
	// What the names of all objects begin with, such as "dibrain/". Nothing else in the
	// bucket is listed, read or removed.
	Prefix string `koanf:"prefix"`
	// Region that requests are signed for.
	Region string `koanf:"region"`
	// Names the bucket in the path of an address and not in its host, as most servers other
	// than Amazon's want it.
	PathStyle bool `koanf:"path_style"`
	// Authorities in PEM that sign the server's certificate. Empty: those of the system.
	CAFile string `koanf:"ca_file"`
	// Key that requests are signed with. It may get, put, delete and list objects of the
	// bucket, and list and abort multipart uploads.
	AccessKeyID string `koanf:"access_key_id"`
	// File with that key. It is read again each minute, so that a new one counts.
	AccessKeyIDFile string `koanf:"access_key_id_file"`
	// Secret of the key. Better kept in a file or a variable than in the configuration file.
	SecretAccessKey Secret `koanf:"secret_access_key"`
	// File with that secret, read together with the key.
	SecretAccessKeyFile string `koanf:"secret_access_key_file"`
	// Encryption that the server is asked for: "AES256", with keys of its own, or "aws:kms".
	// Empty: as the bucket says.
	Encryption string `koanf:"encryption"`
	// Id of the key for aws:kms.
	KMSKey string `koanf:"kms_key"`
	// Folder on this machine in which a result lies while its rows come. Empty: the temporary
	// folder of the system.
	SpoolDir string `koanf:"spool_dir"`
	// How long the server may leave one request without any answer.
	AnswerTimeout time.Duration `koanf:"answer_timeout"`
	// How long one request may take with all its tries; an upload has upload_timeout.
	Timeout time.Duration `koanf:"timeout"`
	// How long the upload of one result may take with all its tries.
	UploadTimeout time.Duration `koanf:"upload_timeout"`
	// How often a request is tried in all where the server does not answer.
	Attempts int `koanf:"attempts"`
	// After how many requests in a row without an answer the server is asked no more.
	Failures int `koanf:"failures"`
	// How long that lasts before one of them tries again.
	ProbeAfter time.Duration `koanf:"probe_after"`
}

// LLM says which chat model is asked, if any; see docs/llm.md.
type LLM struct {
	// Key of the model endpoint; empty for one that wants none. Better kept in a
	// file or a variable than in the configuration file.
	APIKey Secret `koanf:"api_key"`
	// File with that key. It is read before each request, so that a new key counts
	// at once.
	APIKeyFile string     `koanf:"api_key_file"`
	Config     llm.Config `koanf:",squash"`
}

// RouterSection configures the router.
type RouterSection struct {
	// Where other processes reach the router, "host:port" or "dns:///name:port".
	Address string        `koanf:"address"`
	Config  router.Config `koanf:",squash"`
}

// FindDataSection configures find data.
type FindDataSection struct {
	// Where other processes reach find data, "host:port" or "dns:///name:port".
	Address string         `koanf:"address"`
	Config  findata.Config `koanf:",squash"`
}

// Text2SQLSection configures text to SQL.
type Text2SQLSection struct {
	// Where other processes reach text to SQL, "host:port" or "dns:///name:port".
	Address string          `koanf:"address"`
	Config  text2sql.Config `koanf:",squash"`
}

// FixSQLSection configures the repair of SQL.
type FixSQLSection struct {
	// Where other processes reach fix SQL, "host:port" or "dns:///name:port".
	Address string        `koanf:"address"`
	Config  fixsql.Config `koanf:",squash"`
}

// ChatBISection configures execution and analysis.
type ChatBISection struct {
	// Where other processes reach chat BI, "host:port" or "dns:///name:port".
	Address string        `koanf:"address"`
	Config  chatbi.Config `koanf:",squash"`
}

// KnowledgeSection configures answers from documents.
type KnowledgeSection struct {
	// Where other processes reach knowledge, "host:port" or "dns:///name:port".
	Address string           `koanf:"address"`
	Config  knowledge.Config `koanf:",squash"`
}

// LogifySection configures the search of logs.
type LogifySection struct {
	// Where other processes reach logify, "host:port" or "dns:///name:port".
	Address string        `koanf:"address"`
	Config  logify.Config `koanf:",squash"`
}

// AnalysisSection configures long analyses.
type AnalysisSection struct {
	// Where other processes reach analysis, "host:port" or "dns:///name:port".
	Address string          `koanf:"address"`
	Config  analysis.Config `koanf:",squash"`
}

// Secret is a text that is never printed or logged.
type Secret string

// String masks the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "********"
}

// LogValue masks the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// Default returns the configuration of somebody who says nothing, but for what
// depends on the machine (data_dir).
func Default() Config {
	c := defaults()
	_ = c.complete() // the defaults of services are valid: their own tests
	return c
}

// defaultSoftLimit lets a server with a small catalog pass ten million rows through in less
// than 300 MB, of which its code has about 120 (docs/operations.md, "Large results").
const defaultSoftLimit = 144 << 20

func defaults() Config {
	server, client := rpc.DefaultServerConfig(), rpc.DefaultClientConfig()
	return Config{
		Source:      "demo",
		Replicas:    1,
		Listen:      "127.0.0.1:7070",
		ReloadEvery: 10 * time.Second,
		Admin:       Admin{Listen: "127.0.0.1:7071"},
		Auth:        Auth{Mode: string(auth.ModeLocal), TokenGrace: auth.DefaultTokenGrace, MaxTokens: 1000, FailedSignIns: 20, FailedSignInEvery: 3 * time.Second, OIDC: OIDC{PrincipalClaim: "sub", GroupsClaim: "groups", Skew: 30 * time.Second, Timeout: 5 * time.Second}},
		Log:         Log{Level: "info", Format: "text"},
		Store: Store{
			Kind: StoreSQLite, MaxConnections: postgres.DefaultMaxConnections, ConnectTimeout: postgres.DefaultConnectTimeout,
			Timeout: postgres.DefaultTimeout, Grace: postgres.DefaultGrace, Failures: postgres.DefaultFailures, ProbeAfter: postgres.DefaultProbeAfter,
		},
		Results: Results{Kind: ResultsDirectory, S3: S3{
			Region: "us-east-1", AnswerTimeout: 5 * time.Second, Timeout: 15 * time.Second, UploadTimeout: 2 * time.Minute, Attempts: 4, Failures: 3, ProbeAfter: 5 * time.Second,
		}},
		Limits: Limits{
			MaxRequestBytes: server.MaxRequestBytes, MaxResponseBytes: server.MaxResponseBytes,
			MaxStreams: int(server.MaxStreams), MaxDeadline: server.MaxDeadline, DrainTimeout: server.DrainTimeout, ConnectionAge: server.ConnectionAge,
			RequestsPerSecond: 20, RequestBurst: 40, MaxPrincipals: 10_000,
		},
		Memory: Memory{SoftLimit: defaultSoftLimit},
		History: History{
			KeepDays: 90, Users: true, Shapes: true, FlushEvery: history.DefaultFlushEvery, MaxPending: history.DefaultMaxPending,
			MaxEvent: 16 << 20, MaxTemplates: 20, MaxWords: 50,
		},
		Client: Client{
			ReadyTimeout: client.ReadyTimeout, MaxBackoff: client.MaxBackoff, CallTimeout: client.CallTimeout, RetryAttempts: client.RetryAttempts,
		},
	}
}

// complete hands down the default source and lets each service fill in and
// check its own part.
func (c *Config) complete() error {
	var p problems
	if c.Memory.SoftLimit == 0 {
		c.Memory.SoftLimit = defaultSoftLimit
	}
	p.add(c.History.check())
	inherit := func(source *string) {
		if *source == "" {
			*source = c.Source
		}
	}
	inherit(&c.Router.Config.DefaultSource)
	inherit(&c.FindData.Config.DefaultSource)
	inherit(&c.Text2SQL.Config.DefaultSource)
	inherit(&c.FixSQL.Config.DefaultSource)
	inherit(&c.ChatBI.Config.DefaultSource)
	inherit(&c.Analysis.Config.DefaultSource)
	var err error
	c.LLM.Config, err = c.LLM.Config.Complete()
	p.add(err)
	c.Export, err = c.Export.Complete()
	p.add(err)
	c.Router.Config = c.Router.Config.Complete()
	c.Router.Config.Secret = nil // made by whoever holds the keys
	c.FindData.Config, err = c.FindData.Config.Complete()
	p.add(err)
	c.Text2SQL.Config, err = c.Text2SQL.Config.Complete()
	p.add(err)
	c.FixSQL.Config, err = c.FixSQL.Config.Complete()
	p.add(err)
	c.ChatBI.Config, err = c.ChatBI.Config.Complete()
	p.add(err)
	c.Knowledge.Config, err = c.Knowledge.Config.Complete()
	p.add(err)
	c.Logify.Config, err = c.Logify.Config.Complete()
	p.add(err)
	c.Analysis.Config, err = c.Analysis.Config.Complete()
	p.add(err)
	return p.err()
}
