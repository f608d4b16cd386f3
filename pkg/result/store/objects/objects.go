// Package objects keeps the rows of results in object storage that speaks the S3 API, for
// processes of several machines.
//
// A result is written to a file of this machine while its rows come, so that nothing of it
// is sent that does not come to its end, and uploaded when it is whole; a page is one ranged
// read of the batch that it is in. The checksums that the index has hold for what comes back.
package objects

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"

	"github.com/dibrain/dibrain/pkg/circuit"
	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// Values of Config.Encryption: the server encrypts what it keeps with keys of its own, or
// with a key of its key management service.
const (
	EncryptAES = "AES256"
	EncryptKMS = "aws:kms"
)

// Config says where the objects are and what may be asked of the server.
type Config struct {
	// Endpoint is the address of the server, such as https://s3.eu-central-1.amazonaws.com.
	Endpoint string
	// Bucket has to be there. Prefix begins the names of all objects; only those are listed
	// and removed.
	Bucket, Prefix string
	// Region is what requests are signed for.
	Region string
	// PathStyle names the bucket in the path of an address, not in its host.
	PathStyle bool
	// CAFile is a PEM file of the authorities of the server; empty: those of this machine.
	CAFile string
	// Keys returns the access key and its secret. They are asked again after a minute, so
	// that new ones count.
	Keys func() (id, secret string, err error)
	// Encryption is empty, EncryptAES or EncryptKMS; KMSKey is the id of the latter's key.
	Encryption, KMSKey string
	// SpoolDir is where a result lies while its rows come; empty: the temporary folder.
	SpoolDir string
	// AnswerTimeout bounds the wait for the beginning of an answer, Timeout one request with
	// all its tries, and UploadTimeout an upload with all its tries.
	AnswerTimeout, Timeout, UploadTimeout time.Duration
	// Attempts is how often a request is tried in all where the server does not answer.
	Attempts int
	// Failures is after how many requests in a row without an answer the server is asked no
	// more, and ProbeAfter how long that lasts before it is tried again.
	Failures   int
	ProbeAfter time.Duration
	// Clock defaults to time.Now.
	Clock func() time.Time
	// Meter measures requests, each with all its tries; nil: nobody does.
	Meter *meter.Set
}

const (
	// partSize is from how many bytes on a result is uploaded in parts, and their size.
	partSize = 64 << 20
	// keysFor is how long keys are used before they are asked for again.
	keysFor = time.Minute
	// firstPause lies before the second try of a request; each further pause is twice as
	// long.
	firstPause = 100 * time.Millisecond
	// dialTimeout bounds the making of a connection.
	dialTimeout = 5 * time.Second
)

// Objects implements store.Files.
type Objects struct {
	config  Config
	client  *minio.Core
	circuit *circuit.Breaker
	sse     encrypt.ServerSide // nil: as the bucket says
	known   atomic.Bool        // the bucket was seen
}

// New returns the files of a bucket. It asks the server nothing yet.
func New(c Config) (*Objects, error) {
	u, err := url.Parse(c.Endpoint)
	if strings.Contains(c.Endpoint, "@") { // it is not shown: there may be a password in it
		return nil, errors.New("the address of the server has a name or password before its host: write https://HOST, and the key where it belongs")
	}
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("%q is no address of a server: write https://HOST or https://HOST:PORT", c.Endpoint)
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext,
		MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: dialTimeout,
		ResponseHeaderTimeout: c.AnswerTimeout, ExpectContinueTimeout: time.Second,
		DisableCompression: true, // a part of an object is what it is
	}
	if c.CAFile != "" {
		pool, err := authorities(c.CAFile)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	lookup := minio.BucketLookupDNS // the library's own choice takes the path for all servers but those that it knows
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.NewCore(u.Host, &minio.Options{
		Creds: credentials.New(&keys{ask: c.Keys, clock: c.Clock}), Secure: u.Scheme == "https", Transport: transport,
		Region: c.Region, BucketLookup: lookup, MaxRetries: 1, // the tries are made here
	})
	if err != nil {
		return nil, err
	}
	o := &Objects{config: c, client: client, circuit: circuit.New(c.Failures, c.ProbeAfter, c.Clock)}
	switch c.Encryption {
	case "":
	case EncryptAES:
		o.sse = encrypt.NewSSE()
	case EncryptKMS:
		if o.sse, err = encrypt.NewSSEKMS(c.KMSKey, nil); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("encryption %q is not known: use %s or %s, or leave it empty", c.Encryption, EncryptAES, EncryptKMS)
	}
	return o, nil
}

func authorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", file)
	}
	return pool, nil
}

// keys are those of a configuration, for as long as keysFor.
type keys struct {
	ask   func() (id, secret string, err error)
	clock func() time.Time
	until time.Time // of the library's lock
}

// Retrieve implements credentials.Provider.
func (k *keys) Retrieve() (credentials.Value, error) {
	id, secret, err := k.ask()
	if err != nil {
		return credentials.Value{}, err
	}
	k.until = k.clock().Add(keysFor)
	return credentials.Value{AccessKeyID: id, SecretAccessKey: secret, SignerType: credentials.SignatureV4}, nil
}

// RetrieveWithCredContext implements credentials.Provider.
func (k *keys) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return k.Retrieve()
}

// IsExpired implements credentials.Provider.
func (k *keys) IsExpired() bool { return !k.clock().Before(k.until) }

func (o *Objects) name(id string) string { return o.config.Prefix + store.FileName(id) }

// Create implements store.Files.
func (o *Objects) Create(_ context.Context, id string) (store.Upload, error) {
	f, err := os.CreateTemp(o.config.SpoolDir, ".result-*")
	if err != nil {
		return nil, err
	}
	// Its name goes at once: the system frees what a killed process has left.
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &upload{of: o, id: id, file: f}, nil
}

// upload is a result that lies in a file of this machine.
type upload struct {
	of    *Objects
	id    string
	file  *os.File
	bytes int64
}

// Write implements io.Writer.
func (u *upload) Write(p []byte) (int, error) {
	n, err := u.file.Write(p)
	u.bytes += int64(n)
	return n, err
}

// Commit implements store.Upload: it sends the file.
func (u *upload) Commit(ctx context.Context) error {
	defer u.Abort()
	return u.of.asking(ctx, meter.OpUpload, "upload a result", u.of.config.UploadTimeout, func(ctx context.Context) error {
		options := minio.PutObjectOptions{
			ContentType: "application/vnd.apache.arrow.file", PartSize: partSize, NumThreads: 1, ServerSideEncryption: u.of.sse,
		}
		// A section has no Close, which the client would call.
		_, err := u.of.client.Client.PutObject(ctx, u.of.config.Bucket, u.of.name(u.id), io.NewSectionReader(u.file, 0, u.bytes), u.bytes, options)
		return err
	})
}

// Abort implements store.Upload.
func (u *upload) Abort() { _ = u.file.Close() } // closed already after Commit

// Read implements store.Files.
func (o *Objects) Read(ctx context.Context, id string, from, n int64) (part []byte, size int64, err error) {
	if n < 1 {
		return nil, 0, nil // no part of a result is empty
	}
	err = o.asking(ctx, meter.OpRead, "read a result", o.config.Timeout, func(ctx context.Context) error {
		var options minio.GetObjectOptions
		if err := options.SetRange(from, from+n-1); err != nil {
			return err
		}
		body, _, header, err := o.client.GetObject(ctx, o.config.Bucket, o.name(id), options)
		if err != nil {
			return err
		}
		defer body.Close() //nolint:errcheck // it was read
		if part, err = io.ReadAll(io.LimitReader(body, n)); err != nil {
			return err
		}
		_, total, _ := strings.Cut(header.Get("Content-Range"), "/")
		if size, err = strconv.ParseInt(total, 10, 64); err != nil {
			return fmt.Errorf("%w: it answered a part of an object without saying which", errNonsense)
		}
		return nil
	})
	switch minio.ToErrorResponse(err).Code {
	case minio.NoSuchKey:
		return nil, 0, fs.ErrNotExist
	case minio.InvalidRange: // it is shorter
		return nil, 0, nil
	}
	return part, size, err
}

// errNonsense is of a server that answers what no object storage does.
var errNonsense = errors.New("the server does not speak the S3 API")

// Remove implements store.Files. What is there of an upload that did not come to its end
// goes too.
func (o *Objects) Remove(ctx context.Context, id string) error {
	return o.asking(ctx, meter.OpRemove, "remove a result", o.config.Timeout, func(ctx context.Context) error {
		if err := o.client.RemoveObject(ctx, o.config.Bucket, o.name(id), minio.RemoveObjectOptions{}); err != nil {
			return err
		}
		return unlessNone(o.client.RemoveIncompleteUpload(ctx, o.config.Bucket, o.name(id)))
	})
}

// unlessNone takes it for no error that there are no uploads: so some servers say it.
func unlessNone(err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchUpload {
		return nil
	}
	return err
}

// List implements store.Files.
func (o *Objects) List(ctx context.Context, each func(id string) error) error {
	ids := make(map[string]bool)
	err := o.asking(ctx, meter.OpList, "list results", o.config.Timeout, func(ctx context.Context) error {
		clear(ids)
		ctx, done := context.WithCancel(ctx) // ends the listing where it is not read to its end
		defer done()
		for object := range o.client.Client.ListObjects(ctx, o.config.Bucket, minio.ListObjectsOptions{Prefix: o.config.Prefix}) {
			if object.Err != nil {
				return object.Err
			}
			o.add(ids, object.Key)
		}
		for part := range o.client.ListIncompleteUploads(ctx, o.config.Bucket, o.config.Prefix, true) {
			if err := unlessNone(part.Err); err != nil {
				return err
			}
			o.add(ids, part.Key)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for id := range ids {
		if err := each(id); err != nil {
			return err
		}
	}
	return nil
}

// add notes the result that an object is of, if it is one's.
func (o *Objects) add(ids map[string]bool, name string) {
	name, ok := strings.CutPrefix(name, o.config.Prefix)
	if id, is := store.ResultOf(name); ok && is && !strings.Contains(id, "/") {
		ids[id] = true
	}
}

// Ready implements store.Files. The server is asked until the bucket was seen, and where it
// did not answer before; each second otherwise would cost more than it tells.
func (o *Objects) Ready(ctx context.Context) error {
	if _, open := o.circuit.Open(); o.known.Load() && !open {
		return nil
	}
	return o.asking(ctx, meter.OpList, "look for the bucket", o.config.Timeout, func(ctx context.Context) error {
		// A key that is good below the prefix alone may list there, and not ask for the bucket.
		for object := range o.client.ListObjectsIter(ctx, o.config.Bucket, minio.ListObjectsOptions{Prefix: o.config.Prefix, MaxKeys: 1}) {
			if object.Err != nil {
				return object.Err
			}
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		o.known.Store(true)
		return nil
	})
}

// asking measures a request.
func (o *Objects) asking(ctx context.Context, of meter.Operation, doing string, limit time.Duration, do func(context.Context) error) error {
	answered := o.config.Meter.Ask(ctx, meter.ObjectStorage, of)
	err := o.inTurn(ctx, doing, limit, do)
	answered(ended(err))
	return err
}

// inTurn asks the server where it is not left alone, bounds the request by time and by
// tries, and tells what went wrong.
func (o *Objects) inTurn(ctx context.Context, doing string, limit time.Duration, do func(context.Context) error) error {
	if wait, ok := o.circuit.Allow(); !ok {
		return o.alone(doing, wait)
	}
	bounded, done := context.WithTimeoutCause(ctx, limit, errSlow)
	defer done()
	var err error
	for try, wait := 1, firstPause; ; try, wait = try+1, 2*wait {
		if err = do(bounded); err == nil {
			o.circuit.Done(circuit.Healthy)
			return nil
		}
		if try >= o.config.Attempts || !away(err) || pause.For(bounded, wait) != nil {
			break
		}
	}
	if ctx.Err() == nil && bounded.Err() != nil {
		err = errors.Join(errSlow, err)
	}
	switch {
	case ctx.Err() != nil:
		o.circuit.Done(circuit.Unclear)
		return fmt.Errorf("%s: %w", doing, errors.Join(ctx.Err(), err))
	case away(err):
		o.circuit.Done(circuit.Broken)
	default:
		o.circuit.Done(circuit.Healthy)
	}
	return o.fault(doing, err)
}
