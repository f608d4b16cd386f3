package objects_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/result/store/filestest"
	"github.com/dibrain/dibrain/pkg/result/store/objects"
	"github.com/dibrain/dibrain/pkg/result/store/objects/objectstest"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

func open(t *testing.T, c objects.Config) *objects.Objects {
	t.Helper()
	o, err := objects.New(c)
	require.NoError(t, err)
	return o
}

func put(t *testing.T, o *objects.Objects, id, text string) error {
	t.Helper()
	up, err := o.Create(t.Context(), id)
	require.NoError(t, err)
	_, err = up.Write([]byte(text))
	require.NoError(t, err)
	return up.Commit(t.Context())
}

func TestFiles(t *testing.T) {
	t.Parallel()
	filestest.Run(t, func(t *testing.T) store.Files {
		t.Helper()
		return open(t, objectstest.New(t).Config(""))
	})
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	filestest.Run(t, func(t *testing.T) store.Files { return store.Directory(t.TempDir()) })
}

// TestEachRequestIsSigned, with the key of the moment; a wrong one is told to the operator,
// and never shown.
func TestEachRequestIsSigned(t *testing.T) {
	t.Parallel()
	s := objectstest.New(t)
	c := s.Config("")
	var wrong atomic.Bool
	var now atomic.Int64
	c.Clock = func() time.Time { return time.Unix(now.Load(), 0) }
	c.Keys = func() (string, string, error) {
		if wrong.Load() {
			return objectstest.KeyID, "another secret", nil
		}
		return objectstest.KeyID, objectstest.Secret, nil
	}
	o := open(t, c)
	require.NoError(t, put(t, o, "res_1", "rows"))
	_, headers := s.Requests()
	require.NotEmpty(t, headers)
	for _, h := range headers {
		require.Contains(t, h.Get("Authorization"), "Credential="+objectstest.KeyID+"/")
		require.Contains(t, h.Get("Authorization"), "/"+objectstest.Region+"/s3/aws4_request")
	}
	wrong.Store(true)
	require.NoError(t, put(t, o, "res_2", "rows"), "keys are asked again after a minute")
	now.Store(61)
	err := put(t, o, "res_3", "rows")
	require.Equal(t, objects.ReasonUnavailable, fault.ReasonOf(err))
	require.Contains(t, fault.OperatorText(err), "results.s3.access_key_id")
	require.NotContains(t, fault.OperatorText(err), "another secret")
	require.Equal(t, []string{"dibrain/res_1.arrow", "dibrain/res_2.arrow"}, s.Names(t))
	require.Error(t, o.Ready(t.Context()))
	wrong.Store(false)
	now.Store(200)
	require.NoError(t, o.Ready(t.Context()))

	c.Keys = func() (string, string, error) { return "", "", errors.New("no such file") }
	o = open(t, c)
	require.Error(t, put(t, o, "res_4", "rows"))
}

// TestOnlyWhatIsAsked: a page is one ranged request, and nothing beside the prefix is
// listed or removed.
func TestOnlyWhatIsAsked(t *testing.T) {
	t.Parallel()
	s := objectstest.New(t)
	o := open(t, s.Config(""))
	for _, name := range []string{"res_other.arrow", "dibrain/notes.arrow", "dibrain/res_9.txt", "dibrain/deep/res_9.arrow", "dibrain/res_1.arrow"} {
		s.Put(t, name, "0123456789")
	}
	var ids []string
	require.NoError(t, o.List(t.Context(), func(id string) error { ids = append(ids, id); return nil }))
	require.Equal(t, []string{"res_1"}, ids)
	before, _ := s.Requests()
	part, size, err := o.Read(t.Context(), "res_1", 2, 3)
	require.NoError(t, err)
	require.Equal(t, "234", string(part))
	require.EqualValues(t, 10, size)
	after, headers := s.Requests()
	require.Equal(t, []string{"GET /results/dibrain/res_1.arrow"}, after[len(before):])
	require.Equal(t, "bytes=2-4", headers[len(headers)-1].Get("Range"))
}

// TestWhatAKilledUploadLeaves: parts of an upload that did not come to its end are listed,
// and removed.
func TestWhatAKilledUploadLeaves(t *testing.T) {
	t.Parallel()
	s := objectstest.New(t)
	core, err := minio.NewCore(strings.TrimPrefix(s.URL, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(objectstest.KeyID, objectstest.Secret, ""), Region: objectstest.Region, BucketLookup: minio.BucketLookupPath,
	})
	require.NoError(t, err)
	_, err = core.NewMultipartUpload(t.Context(), objectstest.Bucket, "dibrain/res_half.arrow", minio.PutObjectOptions{})
	require.NoError(t, err)
	o := open(t, s.Config(""))
	list := func() (ids []string) {
		require.NoError(t, o.List(t.Context(), func(id string) error { ids = append(ids, id); return nil }))
		return ids
	}
	require.Equal(t, []string{"res_half"}, list())
	require.NoError(t, o.Remove(t.Context(), "res_half"))
	require.Empty(t, list())
}

// TestEncryptionIsAskedFor with each upload.
func TestEncryptionIsAskedFor(t *testing.T) {
	t.Parallel()
	for encryption, want := range map[string][2]string{"": {"", ""}, objects.EncryptAES: {"AES256", ""}, objects.EncryptKMS: {"aws:kms", "key-1"}} {
		s := objectstest.New(t)
		c := s.Config("")
		c.Encryption, c.KMSKey = encryption, "key-1"
		require.NoError(t, put(t, open(t, c), "res_1", "rows"))
		requests, headers := s.Requests()
		i := slices.IndexFunc(requests, func(r string) bool { return strings.HasPrefix(r, "PUT ") })
		require.Equal(t, want, [2]string{headers[i].Get("X-Amz-Server-Side-Encryption"), headers[i].Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id")})
	}
	c := objectstest.New(t).Config("")
	c.Encryption = "rot13"
	_, err := objects.New(c)
	require.ErrorContains(t, err, "AES256 or aws:kms")
}

// TestTheServerIsKnownByItsAuthority: without it nothing is sent.
func TestTheServerIsKnownByItsAuthority(t *testing.T) {
	t.Parallel()
	s := objectstest.NewTLS(t)
	c := s.Config("")
	c.Attempts = 1
	require.Error(t, put(t, open(t, c), "res_1", "rows"))
	require.Empty(t, s.Names(t))
	c.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	_, err := objects.New(c)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(c.CAFile, []byte("none"), 0o600))
	_, err = objects.New(c)
	require.ErrorContains(t, err, "no certificate")
	require.NoError(t, os.WriteFile(c.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	require.NoError(t, put(t, open(t, c), "res_1", "rows"))
	require.Equal(t, "rows", string(s.Object(t, "dibrain/res_1.arrow")))
}

// TestAddressesThatAreNone are refused.
func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "host:9000", "ftp://host", "https://host/bucket", "https://"} {
		_, err := objects.New(objects.Config{Endpoint: address, Bucket: "b"})
		require.ErrorContains(t, err, "write https://HOST", address)
	}
}

// TestAServerThatFails is tried a few times, then left alone, and asked again after a while;
// what people and probes are told says so. What it refuses is not tried again.
func TestAServerThatFails(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"out of order": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"it hangs up": func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = c.Close()
			}
		},
		"no answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"rubbish": func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(c, "SSH-2.0-teapot\r\n\r\n")
				_ = c.Close()
			}
		},
		"half an answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "4")
			w.Header().Set("Content-Range", "bytes 0-3/10")
			w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, "01")
		},
		"another server's": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
			_, _ = io.WriteString(w, "<html>welcome</html>")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := objectstest.New(t)
			c := s.Config("")
			var now atomic.Int64
			c.Clock = func() time.Time { return time.Unix(1000+now.Load(), 0) }
			c.Attempts, c.Failures, c.ProbeAfter, c.AnswerTimeout = 2, 2, 10*time.Second, 100*time.Millisecond
			o := open(t, c)
			s.Put(t, "dibrain/res_1.arrow", "0123456789")
			read := func() error {
				_, _, err := o.Read(t.Context(), "res_1", 0, 4)
				return err
			}
			require.NoError(t, read())
			require.NoError(t, o.Ready(t.Context()))
			s.Before(func(w http.ResponseWriter, r *http.Request) bool {
				answer(w, r)
				return true
			})
			sent, _ := s.Requests()
			for range 2 {
				err := read()
				require.Equal(t, objects.ReasonUnavailable, fault.ReasonOf(err), "%v", err)
				require.Positive(t, fault.FromStatus(err).RetryAfter)
			}
			tried, _ := s.Requests()
			require.Contains(t, []int{4, 5}, len(tried)-len(sent), "two tries each; net/http makes one more where a connection that it kept is closed")
			err := read()
			require.ErrorContains(t, err, "does not answer since 00:16:40 UTC")
			require.ErrorContains(t, o.Ready(t.Context()), "does not answer since")
			again, _ := s.Requests()
			require.Len(t, again, len(tried), "it is left alone")
			s.Before(nil)
			require.Error(t, read())
			now.Store(11)
			require.NoError(t, o.Ready(t.Context()), "a probe tries")
			require.NoError(t, read())
		})
	}
}

// TestWhatIsRefusedIsNotTriedAgain, and says what to look at.
func TestWhatIsRefusedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	s := objectstest.New(t)
	c := s.Config("")
	c.Bucket = "none"
	o := open(t, c)
	err := put(t, o, "res_1", "rows")
	require.Equal(t, objects.ReasonUnavailable, fault.ReasonOf(err))
	require.Contains(t, fault.OperatorText(err), "there is no such bucket")
	requests, _ := s.Requests()
	require.Len(t, requests, 1)
	require.Contains(t, fault.OperatorText(o.Ready(t.Context())), "there is no such bucket")
}

// TestAKeyOfThePrefixIsEnough: readiness asks for nothing beyond it, whether objects are there
// or not.
func TestAKeyOfThePrefixIsEnough(t *testing.T) {
	t.Parallel()
	s := objectstest.New(t)
	s.Before(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("prefix") == "dibrain/" || strings.HasPrefix(r.URL.Path, "/"+objectstest.Bucket+"/dibrain/") {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	require.NoError(t, open(t, s.Config("")).Ready(t.Context()))
	s.Put(t, "dibrain/res_1.arrow", "1")
	s.Put(t, "dibrain/res_2.arrow", "2")
	before, _ := s.Requests()
	require.NoError(t, open(t, s.Config("")).Ready(t.Context()))
	after, _ := s.Requests()
	require.Len(t, after, len(before)+1)
	require.Contains(t, after[len(before)], "max-keys=1&")
}

// TestTheBucketIsInTheHost where its addresses are not said to have it in the path.
func TestTheBucketIsInTheHost(t *testing.T) {
	t.Parallel()
	s := objectstest.New(t)
	c := s.Config("http://storage.invalid:1")
	c.PathStyle, c.Attempts = false, 1
	err := open(t, c).Ready(t.Context())
	require.Error(t, err)
	require.Contains(t, fault.OperatorText(err)+fmt.Sprint(errors.Unwrap(err)), "http://"+objectstest.Bucket+".storage.invalid:1/")
}

// TestWhoGoesAway ends the request, and is not held against the server.
func TestWhoGoesAway(t *testing.T) {
	t.Parallel()
	s := objectstest.New(t)
	c := s.Config("")
	c.Failures = 1
	o := open(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	s.Before(func(_ http.ResponseWriter, r *http.Request) bool {
		cancel()
		<-r.Context().Done()
		return true
	})
	_, _, err := o.Read(ctx, "res_1", 0, 1)
	require.ErrorIs(t, err, context.Canceled)
	s.Before(nil)
	require.NoError(t, put(t, o, "res_1", "rows"))
}

// TestNothingOfASpooledResultStays on this machine, whatever comes of it.
func TestNothingOfASpooledResultStays(t *testing.T) {
	t.Parallel()
	s := objectstest.New(t)
	c := s.Config("")
	c.SpoolDir = t.TempDir()
	o := open(t, c)
	up, err := o.Create(t.Context(), "res_1")
	require.NoError(t, err)
	_, err = up.Write([]byte("rows"))
	require.NoError(t, err)
	left, err := os.ReadDir(c.SpoolDir)
	require.NoError(t, err)
	require.Empty(t, left, "a killed process leaves nothing")
	require.NoError(t, up.Commit(t.Context()))
	require.Equal(t, "rows", string(s.Object(t, "dibrain/res_1.arrow")))
	c.SpoolDir = filepath.Join(c.SpoolDir, "none")
	_, err = open(t, c).Create(t.Context(), "res_2")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestRequestsAreMeasured: each request once, with all its tries; what a working server says of
// an object says nothing against it.
func TestRequestsAreMeasured(t *testing.T) {
	t.Parallel()
	s := objectstest.New(t)
	set, read := metertest.New(t)
	c := s.Config("")
	c.Meter, c.Attempts, c.AnswerTimeout, c.Timeout = set, 2, time.Minute, time.Minute
	o := open(t, c)
	require.NoError(t, put(t, o, "res_1", "rows"))
	_, _, err := o.Read(t.Context(), "res_1", 0, 4)
	require.NoError(t, err)
	_, _, err = o.Read(t.Context(), "res_2", 0, 4)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, _, err = o.Read(t.Context(), "res_1", 9, 4)
	require.NoError(t, err)
	require.NoError(t, o.Remove(t.Context(), "res_1"))
	require.NoError(t, o.List(t.Context(), func(string) error { return nil }))
	s.Before(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	require.Error(t, o.Remove(t.Context(), "res_1"))
	s.Before(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
	gone, done := context.WithCancel(t.Context())
	done()
	require.Error(t, o.Remove(gone, "res_1"))
	c.Timeout = 50 * time.Millisecond
	require.Error(t, open(t, c).Ready(t.Context()))

	measured := map[string]float64{}
	for series, n := range read() {
		if strings.HasPrefix(series, "dibrain_dependency_") {
			measured[series] = n
		}
	}
	of := func(operation, result string) string {
		return `dibrain_dependency_seconds{dependency="object_storage",operation="` + operation + `",result="` + result + `"}`
	}
	require.Equal(t, map[string]float64{
		of("upload", "ok"): 1, of("read", "ok"): 1, of("read", "refused"): 2, of("remove", "ok"): 1, of("list", "ok"): 1,
		of("remove", "failed"): 1, of("remove", "cancelled"): 1, of("list", "timeout"): 1,
		`dibrain_dependency_in_flight{dependency="object_storage"}`: 0,
	}, measured)
}
