// Package milvus is a vector.Index on a real Milvus 2.3 or newer. Each generation
// of a source has a collection of its own, named by its content; once it is
// filled, indexed and loaded, an alias is moved to it in one step and older
// generations are dropped. Vectors are brought to length one before they are sent,
// so that all metrics rank alike.
package milvus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// Config of a Client. The zero value of a field means its default.
type Config struct {
	// Address of the server, host:port. Needed.
	Address string `koanf:"address"`
	// User and Password sign in; or APIKey does.
	User     string        `koanf:"user"`
	Password remote.Secret `koanf:"password"`
	APIKey   remote.Secret `koanf:"api_key"`
	// Encrypted connects by TLS.
	Encrypted bool       `koanf:"encrypted"`
	TLS       remote.TLS `koanf:"tls"`
	// Database on the server; empty: its default one.
	Database string `koanf:"database"`
	// Prefix begins the names of all collections and aliases.
	Prefix string `koanf:"prefix"`
	// Index is the kind of index: HNSW, IVF_FLAT, SCANN or FLAT.
	Index string `koanf:"index"`
	// Metric is L2, IP or COSINE.
	Metric string `koanf:"metric"`
	// M and EFConstruction are the neighbours of a document in an HNSW graph, and
	// how many are looked at when it is made.
	M              int `koanf:"m"`
	EFConstruction int `koanf:"ef_construction"`
	// NList is the number of clusters of IVF_FLAT and SCANN; it is raised to the
	// largest nprobe of the efforts.
	NList int `koanf:"nlist"`
	// Efforts of searches, from findata.search.effort: an index of clusters needs
	// the largest nprobe, and Default counts where a query does not say.
	Efforts vector.Efforts `koanf:"-"`
	// DropPrevious drops the generation before the current one too; otherwise it
	// stays for replicas of the service that still search it.
	DropPrevious bool `koanf:"drop_previous"`
	// Timeout of a search, its retries included. BuildTimeout bounds the making of a
	// generation.
	Timeout      time.Duration `koanf:"timeout"`
	BuildTimeout time.Duration `koanf:"build_timeout"`
	// LoadWait is how long a generation that is there is waited for: a server that
	// has just started answers late.
	LoadWait time.Duration `koanf:"load_wait"`
	// BatchBytes bounds the vectors sent at once.
	BatchBytes int `koanf:"batch_bytes"`
	// MaxFetched bounds the documents that one search fetches to find those that
	// are kept; at most 16384, which is Milvus' own bound.
	MaxFetched int `koanf:"max_fetched"`
	// MaxResponseBytes bounds an answer of the server.
	MaxResponseBytes int `koanf:"max_response_bytes"`
}

// mostFetched is the most documents that Milvus returns for one search.
const mostFetched = 16_384

// Defaults fills in what is not set.
func (c Config) Defaults() Config {
	c.Prefix, c.Index, c.Metric = cmp.Or(c.Prefix, "dibrain"), cmp.Or(c.Index, "HNSW"), cmp.Or(c.Metric, "L2")
	for _, n := range []struct {
		value *int
		byDef int
	}{
		{&c.M, 16}, {&c.EFConstruction, 200}, {&c.NList, 1500}, {&c.BatchBytes, 8 << 20}, {&c.MaxFetched, mostFetched}, {&c.MaxResponseBytes, 64 << 20},
	} {
		*n.value = cmp.Or(*n.value, n.byDef)
	}
	c.Timeout = cmp.Or(c.Timeout, 5*time.Second)
	c.BuildTimeout = cmp.Or(c.BuildTimeout, 10*time.Minute)
	c.LoadWait = cmp.Or(c.LoadWait, 90*time.Second)
	return c
}

// Complete fills in defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	c = c.Defaults()
	if _, port, err := net.SplitHostPort(c.Address); err != nil || port == "" {
		return c, errors.New("milvus.address is no host:port, such as 127.0.0.1:19530")
	}
	if !remote.IsPlain(c.Prefix) {
		return c, fmt.Errorf("milvus.prefix %q: use lower-case letters, digits and _, beginning with a letter", c.Prefix)
	}
	if c.APIKey != (remote.Secret{}) && c.User != "" {
		return c, errors.New("milvus.user and milvus.api_key are both set: use one of them")
	}
	for _, n := range []struct {
		key   string
		value int64
	}{
		{"m", int64(c.M)}, {"ef_construction", int64(c.EFConstruction)}, {"nlist", int64(c.NList)}, {"batch_bytes", int64(c.BatchBytes)},
		{"max_fetched", int64(c.MaxFetched)}, {"max_response_bytes", int64(c.MaxResponseBytes)},
		{"timeout", int64(c.Timeout)}, {"build_timeout", int64(c.BuildTimeout)}, {"load_wait", int64(c.LoadWait)},
	} {
		if n.value < 0 {
			return c, fmt.Errorf("milvus.%s is below 0: it has to be above 0", n.key)
		}
	}
	c.MaxFetched = min(c.MaxFetched, mostFetched)
	var err error
	if c.Efforts, err = c.Efforts.Complete(); err != nil {
		return c, fmt.Errorf("milvus: %w", err)
	}
	c.NList = max(c.NList, c.Efforts.Widest())
	if _, err := c.index(); err != nil {
		return c, err
	}
	return c, nil
}

// index returns the index to make, in the SDK's words.
func (c Config) index() (entity.Index, error) {
	metric := entity.MetricType(c.Metric)
	if metric != entity.L2 && metric != entity.IP && metric != entity.COSINE {
		return nil, fmt.Errorf("milvus.metric is %q: use L2, IP or COSINE", c.Metric)
	}
	var index entity.Index
	var err error
	switch c.Index {
	case "HNSW":
		index, err = entity.NewIndexHNSW(metric, c.M, c.EFConstruction)
	case "IVF_FLAT":
		index, err = entity.NewIndexIvfFlat(metric, c.NList)
	case "SCANN":
		index, err = entity.NewIndexSCANN(metric, c.NList, true)
	case "FLAT":
		index, err = entity.NewIndexFlat(metric)
	default:
		return nil, fmt.Errorf("milvus.index is %q: use HNSW, IVF_FLAT, SCANN or FLAT", c.Index)
	}
	if err != nil {
		return nil, fmt.Errorf("milvus index %s: %w", c.Index, err)
	}
	return index, nil
}

// Client is a connection to Milvus. It may be used concurrently.
type Client struct {
	cfg    Config
	server remote.Server
	names  remote.Names
	sdk    client.Client
}

// Open returns a client. It asks the server nothing yet. Errors: a faulty
// configuration, a secret or certificate that cannot be read.
func Open(ctx context.Context, cfg Config) (*Client, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	password, err := cfg.Password.Read()
	if err != nil {
		return nil, fmt.Errorf("milvus.password: %w", err)
	}
	key, err := cfg.APIKey.Read()
	if err != nil {
		return nil, fmt.Errorf("milvus.api_key: %w", err)
	}
	options, err := dialOptions(cfg)
	if err != nil {
		return nil, fmt.Errorf("milvus.tls: %w", err)
	}
	sdk, err := client.NewClient(ctx, client.Config{
		Address: cfg.Address, Username: cfg.User, Password: password, APIKey: key, DBName: cfg.Database,
		DialOptions: options, DisableConn: true,
	})
	if err != nil {
		return nil, fmt.Errorf("connect to Milvus: %w", err)
	}
	return &Client{
		cfg: cfg, sdk: sdk,
		server: remote.Server{Name: "Milvus", Key: "findata.search.milvus"},
		names:  remote.Names{Prefix: cfg.Prefix, Separator: "__"},
	}, nil
}

// dialOptions connect without waiting: the SDK's own would wait for ever.
func dialOptions(cfg Config) ([]grpc.DialOption, error) {
	options := []grpc.DialOption{
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(cfg.MaxResponseBytes)),
	}
	if cfg.Encrypted {
		encrypted, err := cfg.TLS.Config()
		if err != nil {
			return nil, err
		}
		options = append(options, grpc.WithTransportCredentials(credentials.NewTLS(encrypted)))
	}
	return options, nil
}

// Ping asks whether the server answers and takes the credentials.
func (c *Client) Ping(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	_, err := c.sdk.ListCollections(bounded)
	return c.failed(ctx, err)
}

// Close ends the connection.
func (c *Client) Close() error {
	if err := c.sdk.Close(); err != nil {
		return fmt.Errorf("close the connection to Milvus: %w", err)
	}
	return nil
}

// failed turns an error of the SDK into a fault. ctx is the caller's.
func (c *Client) failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return c.server.Failed(ctx, err)
	}
	if st, ok := status.FromError(err); ok {
		switch st.Code() {
		case codes.Unauthenticated, codes.PermissionDenied:
			return c.server.Denied(err)
		case codes.DeadlineExceeded:
			return c.server.Timeout(err)
		case codes.Unavailable, codes.ResourceExhausted, codes.Canceled:
			return c.server.Unavailable(err)
		}
	}
	switch text := err.Error(); {
	case errors.Is(err, context.DeadlineExceeded), strings.Contains(text, "deadline exceeded"):
		return c.server.Timeout(err)
	case isMissing(err):
		return c.server.Missing(err)
	case says(text, "service not ready", "service unavailable", "rate limit exceeded", "not fully loaded", "not available", "node offline", "node not found", "node not match"):
		return c.server.Unavailable(err) // it gathers itself, after a start or in a cluster that changes
	}
	return c.server.Refused(err)
}

// isMissing tells whether the server says that there is no such collection: the
// SDK hands on only its text.
func isMissing(err error) bool {
	return says(err.Error(), "collection not found", "can't find collection", "does not exist", "collection not loaded", "database not found")
}

// says tells whether a text of the server has one of some words.
func says(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}
