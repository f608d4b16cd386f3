// Package endpoint makes vectors by asking a server that speaks OpenAI's
// embeddings protocol: POST {base_url}/embeddings. Texts go in bounded batches; a
// busy or broken server is asked again after a growing wait; answers are checked
// for their number, order, dimension and model.
package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// Config of an Embedder. The zero value of a field means its default.
type Config struct {
	// BaseURL of the endpoint, such as "http://127.0.0.1:8089/v1". Needed.
	BaseURL string `koanf:"base_url"`
	// Model by its name at the endpoint. Needed.
	Model string `koanf:"model"`
	// Dim is the dimension of the model's vectors. Needed.
	Dim int `koanf:"dim"`
	// AskDim asks the endpoint for Dim, which only some models understand.
	AskDim bool          `koanf:"ask_dim"`
	Key    remote.Secret `koanf:"key"`
	TLS    remote.TLS    `koanf:"tls"`
	// BatchTexts and BatchBytes bound one request.
	BatchTexts int `koanf:"batch_texts"`
	BatchBytes int `koanf:"batch_bytes"`
	// MaxTextBytes bounds one text; the rest of it is left out.
	MaxTextBytes int `koanf:"max_text_bytes"`
	// MaxResponseBytes bounds an answer.
	MaxResponseBytes int64 `koanf:"max_response_bytes"`
	// Timeout of one try.
	Timeout time.Duration `koanf:"timeout"`
	// Attempts is how often a request is tried in all.
	Attempts int `koanf:"attempts"`
	// RetryWait lies before the second try and doubles with each, up to
	// MaxRetryWait; what the endpoint asks for wins, up to MaxRetryWait.
	RetryWait    time.Duration `koanf:"retry_wait"`
	MaxRetryWait time.Duration `koanf:"max_retry_wait"`
	// QuestionPrefix and TextPrefix stand before questions and documents for models
	// that want them, such as "query: " and "passage: ".
	QuestionPrefix string `koanf:"question_prefix"`
	TextPrefix     string `koanf:"text_prefix"`
	// MaxDistance, squared Euclidean between vectors of length one (0 to 4), is how
	// far a table may be from a question that it answers, found by trying; 0: not
	// known, and no table is left out for its distance.
	MaxDistance float64 `koanf:"max_distance"`
}

// Defaults fills in what is not set.
func (c Config) Defaults() Config {
	for _, n := range []struct {
		value *int
		byDef int
	}{{&c.BatchTexts, 64}, {&c.BatchBytes, 256 << 10}, {&c.MaxTextBytes, 4 << 10}, {&c.Attempts, 4}} {
		*n.value = cmp.Or(*n.value, n.byDef)
	}
	c.MaxResponseBytes = cmp.Or(c.MaxResponseBytes, 32<<20)
	c.Timeout = cmp.Or(c.Timeout, 20*time.Second)
	c.RetryWait = cmp.Or(c.RetryWait, 500*time.Millisecond)
	c.MaxRetryWait = cmp.Or(c.MaxRetryWait, 20*time.Second)
	return c
}

// Complete fills in defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	c = c.Defaults()
	u, err := url.Parse(c.BaseURL)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return c, errors.New("endpoint.base_url is no http or https address, such as http://127.0.0.1:8089/v1")
	case u.User != nil:
		return c, errors.New("endpoint.base_url holds credentials: put the key into endpoint.key.file")
	case strings.TrimSpace(c.Model) == "":
		return c, errors.New("endpoint.model is missing: name the model that the endpoint serves")
	case c.Dim < 1 || c.Dim > maxDim:
		return c, fmt.Errorf("endpoint.dim is %d: set the dimension of the model's vectors, 1 to %d", c.Dim, maxDim)
	case c.MaxDistance < 0 || c.MaxDistance > 4:
		return c, fmt.Errorf("endpoint.max_distance is %g: it has to be 0 to 4", c.MaxDistance)
	}
	for _, n := range []struct {
		key   string
		value int64
	}{
		{"batch_texts", int64(c.BatchTexts)}, {"batch_bytes", int64(c.BatchBytes)}, {"max_text_bytes", int64(c.MaxTextBytes)},
		{"attempts", int64(c.Attempts)}, {"max_response_bytes", c.MaxResponseBytes},
		{"timeout", int64(c.Timeout)}, {"retry_wait", int64(c.RetryWait)}, {"max_retry_wait", int64(c.MaxRetryWait)},
	} {
		if n.value < 0 {
			return c, fmt.Errorf("endpoint.%s is below 0: it has to be above 0", n.key)
		}
	}
	return c, nil
}

// maxDim is the largest dimension that is taken.
const maxDim = 8192

// Deps are what the outside is reached by.
type Deps struct {
	// Client sends the requests; nil: one of its own, which knows Config.TLS.
	Client *http.Client
	// Wait returns after d or when ctx ends, whichever is first; nil: by the wall
	// clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Meter measures each try; nil: nobody does.
	Meter *meter.Set
}

// Embedder asks an endpoint. It may be used concurrently.
type Embedder struct {
	cfg    Config
	server remote.Server
	client *http.Client
	wait   func(context.Context, time.Duration) error
	meter  *meter.Set
	key    string
	prefix string
}

// New returns an embedder of documents; Questions gives one of questions. It asks
// nothing yet. Errors: a faulty configuration, a key or certificate that cannot be
// read.
func New(cfg Config, deps Deps) (*Embedder, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	e := &Embedder{
		cfg: cfg, client: deps.Client, wait: deps.Wait, meter: deps.Meter, prefix: cfg.TextPrefix,
		server: remote.Server{Name: "The embedding endpoint", Key: "findata.search.endpoint"},
	}
	if e.key, err = cfg.Key.Read(); err != nil {
		return nil, fmt.Errorf("endpoint.key: %w", err)
	}
	if e.client == nil {
		encrypted, err := cfg.TLS.Config()
		if err != nil {
			return nil, fmt.Errorf("endpoint.tls: %w", err)
		}
		e.client = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: encrypted, ForceAttemptHTTP2: true}}
	}
	if e.wait == nil {
		e.wait = pause.For
	}
	return e, nil
}

// Questions returns the embedder of questions, which is the same but for the
// prefix.
func (e *Embedder) Questions() *Embedder {
	q := *e
	q.prefix = e.cfg.QuestionPrefix
	return &q
}

// Name implements vector.Embedder.
func (e *Embedder) Name() string {
	return fmt.Sprintf("endpoint:%s:%d:%q", e.cfg.Model, e.cfg.Dim, e.cfg.TextPrefix)
}

// Dim implements vector.Embedder.
func (e *Embedder) Dim() int { return e.cfg.Dim }

// Calibration implements vector.Embedder.
func (e *Embedder) Calibration() vector.Calibration {
	return vector.Calibration{Metric: "COSINE", MaxDistance: e.cfg.MaxDistance}
}

// Embed implements vector.Embedder. Blank texts are not sent; their vectors are
// zeros.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var batch []string
	var places []int
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		vectors, err := e.ask(ctx, batch)
		if err != nil {
			return err
		}
		for i, v := range vectors {
			out[places[i]] = v
		}
		batch, places, size = batch[:0], places[:0], 0
		return nil
	}
	for n, text := range texts {
		if strings.TrimSpace(text) == "" {
			out[n] = make([]float32, e.cfg.Dim)
			continue
		}
		text = e.prefix + cut(text, e.cfg.MaxTextBytes)
		if len(batch) == e.cfg.BatchTexts || size+len(text) > e.cfg.BatchBytes {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		batch, places, size = append(batch, text), append(places, n), size+len(text)
	}
	return out, flush()
}

// cut shortens a text to a number of bytes, at a character.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
