package kube

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// typed are the blocks of the page on Kubernetes that a cluster without running pods can
// take, and those for Helm.
var typed = regexp.MustCompile("(?s)```sh needs=(kubernetes|kubernetes-warehouse|helm)\n(.*?)```")

// TestThePageOnKubernetes types the page, from an empty namespace to Ready, the check and
// Helm, with nothing but what the page says is needed. It logs how long that takes.
func TestThePageOnKubernetes(t *testing.T) {
	s := realServer(t)
	text, err := os.ReadFile(filepath.Join(root, "docs/kubernetes.md"))
	require.NoError(t, err)
	for _, namespace := range []string{"dibrain-dev", "dibrain"} {
		s.remove(namespace)
		t.Cleanup(func() { s.removeLater(namespace) })
	}
	s.freeVolumes()
	s.kinds() // the page fetches them from elsewhere

	bin, home := t.TempDir(), t.TempDir()
	dibrain := filepath.Join(bin, "dibrain")
	_, err = output(exec.Command("go", "build", "-o", dibrain, "github.com/dibrain/dibrain/cmd/dibrain"))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(os.Getenv("DIBRAIN_TEST_KUBECTL"), filepath.Join(bin, "kubectl")))
	with := map[string]bool{"kubernetes": true, "kubernetes-warehouse": true}
	if path := os.Getenv("DIBRAIN_TEST_HELM"); path != "" {
		require.NoError(t, os.Symlink(path, filepath.Join(bin, "helm")))
		with["helm"] = true
	}
	// The repository, where secrets can be made beside it.
	place := t.TempDir()
	deploy, err := filepath.Abs(filepath.Join(root, "deploy"))
	require.NoError(t, err)
	require.NoError(t, exec.Command("cp", "-r", deploy, filepath.Join(place, "deploy")).Run())
	for _, file := range []string{"trino-password", "trino-ca.crt", "store.dsn", "postgres-ca.crt"} { // of servers of yours
		require.NoError(t, os.WriteFile(filepath.Join(place, file), []byte("x"), 0o600))
	}

	began := time.Now()
	for _, block := range typed.FindAllStringSubmatch(string(text), -1) {
		if !with[block[1]] {
			continue
		}
		if block[1] == "helm" { // in place of the overlay, with the same secrets
			s.kubectl(nil, "-n", "dibrain-dev", "delete", "job,deployment,service,serviceaccount,configmap,pvc,pdb,networkpolicy", "-l", "app.kubernetes.io/part-of=dibrain", "--timeout=120s")
			s.freeVolumes()
		}
		started := time.Now()
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", block[2])
		cmd.Dir = place
		cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "KUBECONFIG=" + os.Getenv("DIBRAIN_TEST_KUBECONFIG")}
		out, err := cmd.CombinedOutput()
		if block[1] == "kubernetes" && strings.Contains(block[2], " logs ") && err != nil {
			// Simulated kubelets have no logs; all before that has been done.
			require.Contains(t, string(out), "condition met", "%s\n%s", block[2], out)
			err = nil
		}
		require.NoError(t, err, "%s\n%s", block[2], out)
		require.NotContains(t, string(out), "Warning", block[2])
		first, _, _ := strings.Cut(block[2], "\n")
		t.Logf("%5.1f s  %s", time.Since(started).Seconds(), first)
	}
	t.Logf("%5.1f s  all", time.Since(began).Seconds())
}
