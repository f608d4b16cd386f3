package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result/store/objects/objectstest"
)

// TestDoctorAsksTheBucket: doctor lists below the prefix with chat BI's own key, writes
// nothing there, says what is wrong, and nothing of the secret.
func TestDoctorAsksTheBucket(t *testing.T) {
	t.Parallel()
	dir, server := t.TempDir(), objectstest.New(t)
	env := func(endpoint, bucket, secret string) []string {
		return []string{
			"DIBRAIN_STORE_KIND=postgres", "DIBRAIN_STORE_DSN=postgres://ann@127.0.0.1:1/d?sslmode=disable", "DIBRAIN_RESULTS_KIND=s3",
			"DIBRAIN_RESULTS_S3_ENDPOINT=" + endpoint, "DIBRAIN_RESULTS_S3_BUCKET=" + bucket, "DIBRAIN_RESULTS_S3_PREFIX=prod/", "DIBRAIN_RESULTS_S3_REGION=" + objectstest.Region,
			"DIBRAIN_RESULTS_S3_PATH_STYLE=true", "DIBRAIN_RESULTS_S3_ATTEMPTS=1",
			"DIBRAIN_RESULTS_S3_ACCESS_KEY_ID=" + objectstest.KeyID, "DIBRAIN_RESULTS_S3_SECRET_ACCESS_KEY=" + secret,
		}
	}
	found := examined(t, dir, env(server.URL, objectstest.Bucket, objectstest.Secret)...)["results"]
	require.Len(t, found, 1)
	require.Regexp(t, "^ok bucket results at "+server.URL+", below prod/, lists in [0-9]+ ms$", found[0])
	asked, _ := server.Requests()
	require.Len(t, asked, 1)
	require.True(t, strings.HasPrefix(asked[0], http.MethodGet+" /results/?"), asked)

	for want, of := range map[string][]string{
		"there is no such bucket: make it":                  env(server.URL, "nowhere", objectstest.Secret),
		"the key is refused (SignatureDoesNotMatch)":        env(server.URL, objectstest.Bucket, "top-secret-3"),
		"look whether the server of results.s3.endpoint":    env("http://127.0.0.1:1", objectstest.Bucket, "top-secret-3"),
		"has a name or password before its host":            env("http://ann:top-secret-3@127.0.0.1:1", objectstest.Bucket, "top-secret-4"),
		"results.s3.secret_access_key_file has to hold it,": append(env(server.URL, objectstest.Bucket, ""), "DIBRAIN_RESULTS_S3_SECRET_ACCESS_KEY_FILE="+filepath.Join(dir, "none")),
	} {
		found := examined(t, dir, of...)["results"]
		require.Len(t, found, 1, want)
		require.True(t, strings.HasPrefix(found[0], "bad "), found)
		require.Contains(t, found[0], want)
		bundle := filepath.Join(t.TempDir(), "b.zip")
		for _, command := range [][]string{{"doctor"}, {"doctor", "--bundle", bundle}} {
			got := execute(t, of, append(command, "--data-dir", dir)...)
			require.Equal(t, exitFailure, got.code, command)
			require.NotContains(t, got.out+got.err, "top-secret", command)
		}
		for name, text := range unzipped(t, bundle) {
			require.NotContains(t, text, "top-secret", name)
		}
	}
}

// TestDoctorAsksTheFolderOfResults: one that is shared has to be there, one of this machine is
// made; chat BI has to be able to write in both.
func TestDoctorAsksTheFolderOfResults(t *testing.T) {
	t.Parallel()
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "mounted")
	require.Equal(t, []string{"ok in the data directory, for one chatbi"}, examined(t, dir)["results"])
	own := []string{"DIBRAIN_RESULTS_DIRECTORY=" + folder}
	shared := append([]string{"DIBRAIN_STORE_KIND=postgres", "DIBRAIN_STORE_DSN=postgres://ann@127.0.0.1:1/d?sslmode=disable", "DIBRAIN_RESULTS_SHARED=true"}, own...)
	require.Equal(t, []string{"ok folder " + folder + ", made with the first result"}, examined(t, dir, own...)["results"])
	found := examined(t, dir, shared...)["results"]
	require.Len(t, found, 1)
	require.Contains(t, found[0], "bad The shared folder with the rows of results is not there")
	require.Contains(t, found[0], folder)

	require.NoError(t, os.Mkdir(folder, 0o700))
	require.Equal(t, []string{"ok shared folder " + folder + ", writable"}, examined(t, dir, shared...)["results"])
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left, "doctor leaves nothing")
	require.NoError(t, os.Remove(folder))
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	require.Contains(t, examined(t, dir, own...)["results"][0], "bad ")
}
