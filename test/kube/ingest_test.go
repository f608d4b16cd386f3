package kube

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheWarehouseIsReadOnASchedule: where tables are on Trino there is a job that reads them
// anew, one at a time, under the same security as the services, that reaches Trino and nothing
// else, and writes where the services read.
func TestTheWarehouseIsReadOnASchedule(t *testing.T) {
	t.Parallel()
	for _, overlay := range []string{"staging", "production"} {
		o := render(t, overlay)
		job := o.the(t, "CronJob", "dibrain-ingest")
		require.Equal(t, "Forbid", job.Spec.Concurrency)
		pod, chatbi := job.Spec.JobTemplate.Spec.Template, o.the(t, "Deployment", "dibrain-chatbi").Spec.Template
		require.Equal(t, chatbi.Spec.SecurityContext, pod.Spec.SecurityContext)
		require.False(t, *pod.Spec.Automount)
		mine, its := pod.Spec.Containers[0], chatbi.Spec.Containers[0]
		require.Equal(t, its.Image, mine.Image)
		require.Equal(t, its.SecurityContext, mine.SecurityContext)
		require.NotEmpty(t, mine.Resources.Limits["memory"])
		for _, mount := range mine.VolumeMounts {
			if mount.Name == "sources" || mount.Name == "trino" {
				require.Contains(t, its.VolumeMounts, mount, "the statements of the services run by what the job writes")
			}
		}
		for _, volume := range pod.Spec.Volumes {
			if volume.Name == "sources" || volume.Name == "trino" {
				require.Contains(t, chatbi.Spec.Volumes, volume)
			}
		}
		var policies []string
		for _, p := range o.of("NetworkPolicy") {
			if p.Spec.PodSelector.takes(pod.Metadata.Labels) {
				policies = append(policies, p.Metadata.Name)
			}
		}
		require.ElementsMatch(t, []string{"dibrain", "dibrain-to-trino"}, policies)
		for _, s := range o.of("Service") {
			require.NotEqual(t, s.Metadata.Name, "dibrain-"+pod.Metadata.Labels["app.kubernetes.io/component"], "nobody calls it")
		}
	}
}

// TestTheJobReadsAServer runs the job's own command as a process, with its files and addresses
// put in place of those of the cluster, twice: the second run finds what is as it was. In what it
// wrote a table is found.
func TestTheJobReadsAServer(t *testing.T) {
	t.Parallel()
	server := os.Getenv("DIBRAIN_TEST_TRINO_TLS")
	if server == "" {
		t.Skip("no Trino: test/servers/trino-start starts one, see test/servers/README.md")
	}
	dir := t.TempDir()
	data, secret, binary := filepath.Join(dir, "data"), filepath.Join(dir, "secret"), filepath.Join(dir, "dibrain")
	_, err := output(exec.Command("go", "build", "-o", binary, "github.com/dibrain/dibrain/cmd/dibrain"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(secret, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(secret, "password"), []byte(os.Getenv("DIBRAIN_TEST_TRINO_PASSWORD")), 0o600))
	authority, err := os.ReadFile(os.Getenv("DIBRAIN_TEST_TRINO_CA"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(secret, "ca.crt"), authority, 0o600))

	c := render(t, "production").the(t, "CronJob", "dibrain-ingest").Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	here := strings.NewReplacer("/etc/dibrain-trino", secret, "https://trino.example.com:8443", server, "svc_dibrain", "svc_agent")
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Env = []string{"HOME=" + dir, "TZ=UTC", "XDG_CONFIG_HOME=/nonexistent"}
		for _, e := range c.Env {
			cmd.Env = append(cmd.Env, e.Name+"="+strings.Replace(e.Value, "/var/lib/dibrain", data, 1))
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
		return string(out)
	}
	var args []string
	for _, a := range c.Args {
		args = append(args, here.Replace(a))
	}
	args = append(args, "--catalog=tpch", "--schema=tiny", "--no-stats") // of the test server's tables some
	require.Contains(t, run(args...), "source warehouse: 8 tables")
	require.Contains(t, run(args...), "0 tables are new, 0 have changed, 0 are gone, 8 are as they were")
	require.Contains(t, run("find", "nations", "--source", "warehouse"), "tpch.tiny.nation")
}
