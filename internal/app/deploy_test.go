package app_test

import (
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/demo"
)

// The overlays are what people deploy: their configuration has to be one that a
// process takes, on an address that the whole cluster reaches.
func TestOverlaysServeWithTLSAndMakeNoDemo(t *testing.T) {
	t.Parallel()
	overlays, err := filepath.Glob("../../deploy/k8s/overlays/*/config.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, overlays)
	pod, err := os.ReadFile("../../deploy/k8s/base/statefulset.yaml")
	require.NoError(t, err)
	for _, file := range overlays {
		c, err := config.Load(config.Options{File: file})
		require.NoError(t, err, file)
		require.NoError(t, c.Verify(t.Context(), nil), file)
		require.False(t, c.Auth.InsecurePlaintext, "%s: the shipped overlay speaks TLS itself", file)
		require.NotEqual(t, demo.Name, c.Source, "%s: a process makes the demo when it is what is asked by default", file)
		for _, named := range []string{c.TLS.CertFile, c.TLS.KeyFile, c.Auth.TokenFile, c.Auth.HopKeyFile} {
			require.NotEmpty(t, named, file)
			require.Contains(t, string(pod), "mountPath: "+path.Dir(named)+",", "%s names a file that no volume has", file)
		}
	}
}
