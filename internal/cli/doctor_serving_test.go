package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDoctorTellsWhatARunningServerLacks: a server that goes on in spite of something
// says so on its admin port, and doctor passes it on.
func TestDoctorTellsWhatARunningServerLacks(t *testing.T) {
	t.Parallel()
	for text, complains := range map[string]bool{
		"ready\n": false,
		"ready\nchatbi is degraded: source demo: 1 of 4 processes of the embedded engine were killed and have not ended\n": true,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
		t.Cleanup(server.Close)
		got := execute(t, []string{"DIBRAIN_ADMIN_LISTEN=" + strings.TrimPrefix(server.URL, "http://")}, "doctor")
		require.Equal(t, complains, strings.Contains(got.out, "source demo: 1 of 4 processes"), got.out)
		require.Equal(t, complains, got.code == exitFailure, got.out)
	}
}
