package trino_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every example that has no mistake is valid on a real Trino.
func TestExamplesOnARealServer(t *testing.T) {
	t.Parallel()
	server := os.Getenv("DIBRAIN_TEST_TRINO")
	if server == "" {
		t.Skip("start a Trino with test/servers/trino-start and set DIBRAIN_TEST_TRINO to its address")
	}
	for _, name := range dialectNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, examples := examplesOf(t, name)
			for _, e := range examples {
				if e.Want == "" || e.Unread || e.Invalid != "" {
					continue
				}
				require.Empty(t, validate(t, server, e.Want), e.Want)
			}
		})
	}
}

// user may read the tables of tpch on the test server.
const user = "admin"

// validate returns the message of a statement's error, empty for a valid one.
func validate(t *testing.T, server, sql string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/v1/statement", strings.NewReader("EXPLAIN (TYPE VALIDATE) "+sql))
	require.NoError(t, err)
	request.Header.Set("X-Trino-User", user)
	request.Header.Set("X-Trino-Catalog", "tpch")
	request.Header.Set("X-Trino-Schema", "tiny")
	for {
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		var answer struct {
			NextURI string `json:"nextUri"`
			Error   *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		err = json.NewDecoder(response.Body).Decode(&answer)
		require.NoError(t, response.Body.Close())
		require.NoError(t, err)
		switch {
		case answer.Error != nil:
			return answer.Error.Message
		case answer.NextURI == "":
			return ""
		}
		request, err = http.NewRequestWithContext(t.Context(), http.MethodGet, answer.NextURI, nil)
		require.NoError(t, err)
		request.Header.Set("X-Trino-User", user)
	}
}
