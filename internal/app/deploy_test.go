package app_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/demo"
)

// workload is what a Deployment or a StatefulSet says of its pods.
type workload struct {
	Kind string `yaml:"kind"`
	Spec struct {
		Replicas int `yaml:"replicas"`
		Template struct {
			Spec struct {
				TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
				Containers                    []struct {
					Args         []string `yaml:"args"`
					VolumeMounts []struct {
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				} `yaml:"containers"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

func readWorkload(t *testing.T, file string) workload {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../../deploy/k8s", file))
	require.NoError(t, err)
	documents := yaml.NewDecoder(bytes.NewReader(raw))
	for {
		var w workload
		err := documents.Decode(&w)
		require.False(t, errors.Is(err, io.EOF), "%s has no workload", file)
		require.NoError(t, err, file)
		if w.Kind == "Deployment" || w.Kind == "StatefulSet" {
			require.Len(t, w.Spec.Template.Spec.Containers, 1)
			return w
		}
	}
}

// pods says which configuration of the overlays is whose, by the path below deploy/k8s.
// A patch tells the arguments in place of those of the file before it.
func pods() map[string][]string {
	return map[string][]string{
		"overlays/embedded/config.yaml":   {"base/statefulset.yaml"},
		"overlays/postgres/config.yaml":   {"overlays/postgres/router.yaml"},
		"overlays/postgres/services.yaml": {"base/statefulset.yaml", "overlays/postgres/services.patch.yaml"},
	}
}

// The overlays are what people deploy: their configuration has to be one that a
// process takes, on an address that the whole cluster reaches.
func TestOverlaysServeWithTLSAndMakeNoDemo(t *testing.T) {
	t.Parallel()
	overlays, err := filepath.Glob("../../deploy/k8s/overlays/*/config.yaml")
	require.NoError(t, err)
	for _, file := range overlays {
		require.Contains(t, pods(), strings.TrimPrefix(filepath.ToSlash(file), "../../deploy/k8s/"))
	}
	for file, of := range pods() {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			c, err := config.Load(config.Options{File: filepath.Join("../../deploy/k8s", file)})
			require.NoError(t, err)
			pod := readWorkload(t, of[0])
			container := pod.Spec.Template.Spec.Containers[0]
			args := readWorkload(t, of[len(of)-1]).Spec.Template.Spec.Containers[0].Args
			targets := targetsOf(t, args)
			var peers []config.Peer
			for _, name := range []string{app.FindData, app.Text2SQL, app.FixSQL, app.ChatBI, app.Knowledge} {
				if strings.HasPrefix(targets, app.Router) {
					peers = append(peers, c.Peer(name))
				}
			}
			require.NoError(t, c.Verify(t.Context(), peers))
			require.Equal(t, pod.Spec.Replicas, c.Replicas)
			require.False(t, c.Auth.InsecurePlaintext, "the shipped overlay speaks TLS itself")
			require.NotEqual(t, demo.Name, c.Source, "a process makes the demo when it is what is asked by default")
			require.Greater(t, float64(pod.Spec.Template.Spec.TerminationGracePeriodSeconds), (c.Limits.DrainDelay + c.Limits.DrainTimeout).Seconds(),
				"streams end before the kill")

			named := []string{c.TLS.CertFile, c.TLS.KeyFile, c.Auth.HopKeyFile}
			if auth.Mode(c.Auth.Mode) == auth.ModeToken {
				named = append(named, c.Auth.TokenFile)
			}
			if c.Store.Kind == config.StorePostgres {
				named = append(named, c.Store.DSNFile)
			}
			if c.TLS.CAFile != "" {
				named = append(named, c.TLS.CAFile)
			}
			mounts := map[string]bool{}
			for _, m := range container.VolumeMounts {
				mounts[m.MountPath] = true
			}
			for _, name := range named {
				require.NotEmpty(t, name)
				require.True(t, mounts[path.Dir(name)], "%s is in no volume", name)
			}
		})
	}
}

// targetsOf are the targets of a pod's command, which have to be there.
func targetsOf(t *testing.T, args []string) string {
	t.Helper()
	for _, a := range args {
		if targets, is := strings.CutPrefix(a, "--target="); is {
			_, err := app.ParseTargets(targets)
			require.NoError(t, err)
			return targets
		}
	}
	return app.All
}
