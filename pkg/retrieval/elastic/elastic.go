// Package elastic is a lexical.Index on a real Elasticsearch 8. The server gets
// terms, not text, and splits them at white space only, so that documents and
// questions are split by one analyzer, ours. Each generation of a source has an
// index of its own, named by its content; once it is filled, an alias is moved to
// it in one step and older generations are deleted.
//
// A term is scored by combined_fields, which is BM25F: the occurrences in all
// fields count together. The server has one b for all fields, so ranks are near
// those of the embedded index and not the same.
package elastic

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/dibrain/dibrain/pkg/retrieval/remote"
)

// Config of a Client. The zero value of a field means its default.
type Config struct {
	// Addresses of the nodes, such as "https://es-1:9200". Needed.
	Addresses []string `koanf:"addresses"`
	// User and Password sign in; or APIKey does.
	User     string        `koanf:"user"`
	Password remote.Secret `koanf:"password"`
	APIKey   remote.Secret `koanf:"api_key"`
	TLS      remote.TLS    `koanf:"tls"`
	// Prefix begins the names of all indices and aliases.
	Prefix string `koanf:"prefix"`
	// Replicas of an index on other nodes; -1: none.
	Replicas int `koanf:"replicas"`
	// KeepGenerations before the current one stay, for replicas of the service that
	// still search them; -1: none.
	KeepGenerations int `koanf:"keep_generations"`
	// Timeout of a search, and BulkTimeout of a batch of documents, each try.
	Timeout     time.Duration `koanf:"timeout"`
	BulkTimeout time.Duration `koanf:"bulk_timeout"`
	// Retries of a request that the server was too busy for or that did not reach it.
	Retries int `koanf:"retries"`
	// RetryWait lies before the first retry and doubles with each.
	RetryWait time.Duration `koanf:"retry_wait"`
	// BulkDocuments and BulkBytes bound a batch of documents.
	BulkDocuments int `koanf:"bulk_documents"`
	BulkBytes     int `koanf:"bulk_bytes"`
	// MaxFetched bounds the documents that one search fetches to find those that
	// are kept; those beyond it are not found.
	MaxFetched int `koanf:"max_fetched"`
	// MaxResponseBytes bounds an answer of the server.
	MaxResponseBytes int64 `koanf:"max_response_bytes"`
}

// Defaults fills in what is not set.
func (c Config) Defaults() Config {
	c.Prefix = cmp.Or(c.Prefix, "dibrain")
	for _, n := range []struct {
		value *int
		byDef int
	}{
		{&c.BulkDocuments, 2000}, {&c.BulkBytes, 5 << 20}, {&c.Retries, 3}, {&c.MaxFetched, 20_000}, {&c.Replicas, 1}, {&c.KeepGenerations, 1},
	} {
		*n.value = cmp.Or(*n.value, n.byDef)
	}
	c.MaxResponseBytes = cmp.Or(c.MaxResponseBytes, 64<<20)
	c.Timeout = cmp.Or(c.Timeout, 5*time.Second)
	c.BulkTimeout = cmp.Or(c.BulkTimeout, time.Minute)
	c.RetryWait = cmp.Or(c.RetryWait, 200*time.Millisecond)
	return c
}

// Complete fills in defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	c = c.Defaults()
	if len(c.Addresses) == 0 {
		return c, errors.New("elasticsearch.addresses is empty: name at least one node, such as http://127.0.0.1:9200")
	}
	for _, a := range c.Addresses {
		u, err := url.Parse(a)
		switch {
		case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
			return c, errors.New("elasticsearch.addresses has what is no http or https address, such as http://127.0.0.1:9200")
		case u.User != nil:
			return c, errors.New("elasticsearch.addresses holds credentials: use elasticsearch.user and elasticsearch.password.file")
		}
	}
	if !remote.IsPlain(c.Prefix) {
		return c, fmt.Errorf("elasticsearch.prefix %q: use lower-case letters, digits and _, beginning with a letter", c.Prefix)
	}
	if c.APIKey != (remote.Secret{}) && c.User != "" {
		return c, errors.New("elasticsearch.user and elasticsearch.api_key are both set: use one of them")
	}
	for _, n := range []struct {
		key   string
		value int64
	}{
		{"bulk_documents", int64(c.BulkDocuments)}, {"bulk_bytes", int64(c.BulkBytes)}, {"retries", int64(c.Retries)},
		{"max_fetched", int64(c.MaxFetched)}, {"max_response_bytes", c.MaxResponseBytes},
		{"timeout", int64(c.Timeout)}, {"bulk_timeout", int64(c.BulkTimeout)}, {"retry_wait", int64(c.RetryWait)},
	} {
		if n.value < 0 {
			return c, fmt.Errorf("elasticsearch.%s is below 0: it has to be above 0", n.key)
		}
	}
	return c, nil
}

// Client is a connection to Elasticsearch. It may be used concurrently.
type Client struct {
	cfg       Config
	server    remote.Server
	names     remote.Names
	transport *elastictransport.Client
	idle      func()
}

// Open returns a client. It asks the server nothing yet. Errors: a faulty
// configuration, a secret or certificate that cannot be read.
func Open(cfg Config) (*Client, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	c := &Client{
		cfg:    cfg,
		server: remote.Server{Name: "Elasticsearch", Key: "findata.search.elasticsearch"},
		names:  remote.Names{Prefix: cfg.Prefix, Separator: "."},
	}
	options, err := c.options()
	if err != nil {
		return nil, fmt.Errorf("elasticsearch: %w", err)
	}
	if c.transport, err = elastictransport.NewClient(options...); err != nil {
		return nil, fmt.Errorf("elasticsearch: %w", err)
	}
	return c, nil
}

func (c *Client) options() ([]elastictransport.Option, error) {
	urls := make([]*url.URL, 0, len(c.cfg.Addresses))
	for _, a := range c.cfg.Addresses {
		u, err := url.Parse(a)
		if err != nil {
			return nil, err
		}
		urls = append(urls, u)
	}
	encrypted, err := c.cfg.TLS.Config()
	if err != nil {
		return nil, err
	}
	password, err := c.cfg.Password.Read()
	if err != nil {
		return nil, fmt.Errorf("password: %w", err)
	}
	key, err := c.cfg.APIKey.Read()
	if err != nil {
		return nil, fmt.Errorf("api_key: %w", err)
	}
	options := []elastictransport.Option{
		elastictransport.WithURLs(urls...),
		elastictransport.WithTransport(c.roundTripper(encrypted)),
		elastictransport.WithRetry(c.cfg.Retries, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout),
		elastictransport.WithRetryBackoff(func(attempt int) time.Duration { return c.cfg.RetryWait << min(attempt-1, 6) }),
	}
	switch {
	case key != "":
		options = append(options, elastictransport.WithAPIKey(key))
	case c.cfg.User != "":
		options = append(options, elastictransport.WithBasicAuth(c.cfg.User, password))
	}
	return options, nil
}

// idleConnections to a node are kept for the next search.
const idleConnections = 16

func (c *Client) roundTripper(encrypted *tls.Config) http.RoundTripper {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: encrypted,
		MaxIdleConnsPerHost: idleConnections, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	c.idle = t.CloseIdleConnections
	return t
}

// Ping asks whether the server answers and takes the credentials.
func (c *Client) Ping(ctx context.Context) error {
	return c.do(ctx, c.cfg.Timeout, esapi.InfoRequest{}, nil)
}

// Close ends the connections.
func (c *Client) Close() error {
	c.idle()
	return nil
}
