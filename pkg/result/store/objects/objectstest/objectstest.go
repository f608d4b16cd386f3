// Package objectstest is a server of object storage for tests. It is gofakes3, which keeps
// objects in memory, behind a check that each request has the signature of the one key that
// it knows: AWS Signature Version 4, as the S3 API documents it.
package objectstest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result/store/objects"
)

// The key that a server knows, and its one bucket.
const (
	KeyID  = "AKIATEST"
	Secret = "a secret of tests"
	Bucket = "results"
	Region = "eu-test-1"
)

// Server is a server that ends with its test.
type Server struct {
	*httptest.Server
	backend *s3mem.Backend

	mu       sync.Mutex
	before   func(w http.ResponseWriter, r *http.Request) (answered bool)
	requests []string // "METHOD path?query", in order
	headers  []http.Header
}

// New starts a server.
func New(t testing.TB) *Server {
	t.Helper()
	s := newServer(t)
	s.Server = httptest.NewServer(s.handler())
	t.Cleanup(s.Close)
	return s
}

// NewTLS starts a server that speaks TLS with a certificate of its own.
func NewTLS(t testing.TB) *Server {
	t.Helper()
	s := newServer(t)
	s.Server = httptest.NewTLSServer(s.handler())
	t.Cleanup(s.Close)
	return s
}

func newServer(t testing.TB) *Server {
	t.Helper()
	s := &Server{backend: s3mem.New()}
	require.NoError(t, s.backend.CreateBucket(Bucket))
	return s
}

func (s *Server) handler() http.Handler {
	served := gofakes3.New(s.backend, gofakes3.WithTimeSkewLimit(0), gofakes3.WithIntegrityCheck(true)).Server()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests, s.headers = append(s.requests, r.Method+" "+r.URL.RequestURI()), append(s.headers, r.Header.Clone())
		before := s.before
		s.mu.Unlock()
		if before != nil && before(w, r) {
			return
		}
		if err := signed(r); err != nil {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>SignatureDoesNotMatch</Code><Message>%v</Message></Error>`, err)
			return
		}
		served.ServeHTTP(w, r)
	})
}

// Before lets f answer requests instead of the server, those for which it returns true;
// nil: none.
func (s *Server) Before(f func(w http.ResponseWriter, r *http.Request) (answered bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// Requests are those that came, "METHOD path?query", with their headers.
func (s *Server) Requests() ([]string, []http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests), slices.Clone(s.headers)
}

// Names are the names of all objects, in order.
func (s *Server) Names(t testing.TB) (names []string) {
	t.Helper()
	list, err := s.backend.ListBucket(Bucket, &gofakes3.Prefix{}, gofakes3.ListBucketPage{})
	require.NoError(t, err)
	for _, o := range list.Contents {
		names = append(names, o.Key)
	}
	return names
}

// Object reads an object.
func (s *Server) Object(t testing.TB, name string) []byte {
	t.Helper()
	o, err := s.backend.GetObject(Bucket, name, nil)
	require.NoError(t, err)
	defer o.Contents.Close() //nolint:errcheck // it was read
	all, err := io.ReadAll(o.Contents)
	require.NoError(t, err)
	return all
}

// Put writes an object.
func (s *Server) Put(t testing.TB, name, text string) {
	t.Helper()
	_, err := s.backend.PutObject(Bucket, name, map[string]string{"Last-Modified": "Mon, 02 Jan 2006 15:04:05 GMT"}, strings.NewReader(text), int64(len(text)), &gofakes3.PutConditions{})
	require.NoError(t, err)
}

// Config is that of a client of the server, at another address where one is given.
func (s *Server) Config(address string) objects.Config {
	if address == "" {
		address = s.URL
	}
	return objects.Config{
		Endpoint: address, Bucket: Bucket, Prefix: "dibrain/", Region: Region, PathStyle: true,
		Keys:          func() (string, string, error) { return KeyID, Secret, nil },
		AnswerTimeout: 5 * time.Second, Timeout: 10 * time.Second, UploadTimeout: 20 * time.Second, Attempts: 3, Failures: 3, ProbeAfter: time.Second,
	}
}

// signed holds a request against its signature.
func signed(r *http.Request) error {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	if !ok {
		return fmt.Errorf("the request is not signed")
	}
	said := make(map[string]string)
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		said[name] = value
	}
	scope := strings.SplitN(said["Credential"], "/", 2)
	if len(scope) != 2 || scope[0] != KeyID {
		return fmt.Errorf("the key is not known")
	}
	fields := strings.Split(scope[1], "/") // day, region, service, aws4_request
	if len(fields) != 4 || fields[1] != Region {
		return fmt.Errorf("it is signed for another region")
	}
	var headers strings.Builder
	for name := range strings.SplitSeq(said["SignedHeaders"], ";") {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		headers.WriteString(name + ":" + strings.Join(strings.Fields(value), " ") + "\n")
	}
	query := strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20")
	canonical := strings.Join([]string{
		r.Method, (&url.URL{Path: r.URL.Path}).EscapedPath(), query, headers.String(), said["SignedHeaders"], r.Header.Get("X-Amz-Content-Sha256"),
	}, "\n")
	sum := sha256.Sum256([]byte(canonical))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), scope[1], hex.EncodeToString(sum[:])}, "\n")
	key := []byte("AWS4" + Secret)
	for _, step := range append(fields, text) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(step))
		key = mac.Sum(nil)
	}
	if !hmac.Equal([]byte(hex.EncodeToString(key)), []byte(said["Signature"])) {
		return fmt.Errorf("the signature is another one")
	}
	return nil
}
