package kube

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gatewayAPI has the definitions of the kinds of component gateway.
const gatewayAPI = "sigs.k8s.io/gateway-api@v1.4.0"

// server is a real API server, with its controllers and simulated kubelets.
type server struct{ t *testing.T }

// realServer skips without one; `eval "$(test/servers/kube-start env)"` starts it. It takes
// minutes to build, so that CI starts it in its full run.
func realServer(t *testing.T) server {
	t.Helper()
	if os.Getenv("DIBRAIN_TEST_KUBECONFIG") == "" {
		t.Skip(`no Kubernetes: eval "$(test/servers/kube-start env)" starts one`)
	}
	return server{t}
}

// try runs kubectl.
func (s server) try(stdin []byte, args ...string) (out, errs string, err error) {
	cmd := exec.CommandContext(s.t.Context(), os.Getenv("DIBRAIN_TEST_KUBECTL"), append([]string{"--kubeconfig", os.Getenv("DIBRAIN_TEST_KUBECONFIG")}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// kubectl runs it and holds that it says no warning.
func (s server) kubectl(stdin []byte, args ...string) string {
	s.t.Helper()
	out, errs, err := s.try(stdin, args...)
	require.NoError(s.t, err, "kubectl %s\n%s%s", strings.Join(args, " "), out, errs)
	require.NotContains(s.t, errs, "Warning", "kubectl %s", strings.Join(args, " "))
	return out
}

// kinds brings the kinds that a cluster with a gateway has.
func (s server) kinds() {
	s.t.Helper()
	out, err := output(exec.Command("go", "mod", "download", "-json", gatewayAPI))
	require.NoError(s.t, err)
	var module struct{ Dir string }
	require.NoError(s.t, json.Unmarshal(out, &module))
	for _, file := range []string{"grpcroutes", "backendtlspolicies"} {
		s.kubectl(nil, "apply", "--server-side", "-f", filepath.Join(module.Dir, "config/crd/standard/gateway.networking.k8s.io_"+file+".yaml"))
		s.kubectl(nil, "wait", "--for=condition=Established", "crd/"+file+".gateway.networking.k8s.io", "--timeout=60s")
	}
}

// secrets makes what an overlay's pods mount, with nothing in it: nobody reads it here.
func (s server) secrets(namespace string, o objects) {
	s.t.Helper()
	wanted := map[string][]string{}
	for _, d := range slices.Concat(o.of("Deployment"), o.of("CronJob")) {
		for _, v := range slices.Concat(d.Spec.Template.Spec.Volumes, d.Spec.JobTemplate.Spec.Template.Spec.Volumes) {
			if v.Secret == nil {
				continue
			}
			keys := wanted[v.Secret.SecretName]
			for _, item := range v.Secret.Items {
				keys = append(keys, item.Key)
			}
			wanted[v.Secret.SecretName] = keys
		}
	}
	for name, keys := range wanted {
		args := []string{"-n", namespace, "create", "secret", "generic", name, "--from-literal=none=none"}
		for _, k := range keys {
			args = append(args, "--from-literal="+k+"=x")
		}
		s.kubectl(nil, args...)
	}
}

// namespace is the one of an overlay, empty and with its Pod Security.
func (s server) namespace(o objects) string {
	s.t.Helper()
	name := o.of("Namespace")[0].Metadata.Name
	s.remove(name)
	s.freeVolumes()
	s.t.Cleanup(func() { server{s.t}.removeLater(name) })
	return name
}

func (s server) remove(namespace string) {
	s.kubectl(nil, "delete", "namespace", namespace, "--ignore-not-found", "--timeout=120s")
}

// removeLater is for cleaning up, when the test's context has ended.
func (s server) removeLater(namespace string) {
	_ = exec.Command(os.Getenv("DIBRAIN_TEST_KUBECTL"), "--kubeconfig", os.Getenv("DIBRAIN_TEST_KUBECONFIG"),
		"delete", "namespace", namespace, "--ignore-not-found", "--wait=false").Run()
}

// freeVolumes lets volumes be claimed again whose claims are gone: nothing is on them.
func (s server) freeVolumes() {
	for name := range strings.FieldsSeq(s.kubectl(nil, "get", "pv", "-o", `jsonpath={.items[?(@.status.phase=="Released")].metadata.name}`)) {
		s.kubectl(nil, "patch", "pv", name, "--type=json", "-p", `[{"op":"remove","path":"/spec/claimRef"}]`)
	}
}

// apply applies objects in the order in which a person does: the namespace, the secrets,
// the overlay.
func (s server) apply(o objects) (namespace string) {
	s.t.Helper()
	namespace = s.namespace(o)
	s.kubectl([]byte(namespaceText(s.t, o)), "apply", "-f", "-")
	s.secrets(namespace, o)
	s.kubectl(o.text, "apply", "-f", "-")
	return namespace
}

// namespaceText is the overlay's own document of its namespace.
func namespaceText(t *testing.T, o objects) string {
	t.Helper()
	for doc := range strings.SplitSeq(string(o.text), "\n---\n") {
		if strings.Contains(doc, "\nkind: Namespace\n") {
			return doc
		}
	}
	require.Fail(t, "there is no namespace")
	return ""
}

// available waits until each Deployment has the pods that it wants.
func (s server) available(namespace string, o objects) {
	s.t.Helper()
	for _, d := range o.of("Deployment") {
		s.kubectl(nil, "-n", namespace, "rollout", "status", "deployment/"+d.Metadata.Name, "--timeout=180s")
	}
}

// TestOverlaysOnAnAPIServer applies every overlay under Pod Security "restricted", without a
// warning, and waits until its Deployments are ready.
func TestOverlaysOnAnAPIServer(t *testing.T) {
	s := realServer(t)
	s.kinds()
	for _, overlay := range append([]string{"embedded"}, overlays...) {
		t.Run(overlay, func(t *testing.T) { // one after another: two have the same namespace
			s := server{t}
			o := render(t, overlay)
			namespace := s.apply(o)
			s.available(namespace, o)
			for _, h := range o.of("HorizontalPodAutoscaler") {
				s.kubectl(nil, "-n", namespace, "wait", "deployment/"+h.Metadata.Name, fmt.Sprintf("--for=jsonpath={.status.readyReplicas}=%d", h.Spec.MinReplicas), "--timeout=120s")
			}
			s.mayNothing(namespace, o)
			s.refusesOthers(namespace)
			if overlay == "production" {
				s.drains(namespace, o)
			}
		})
	}
}

// mayNothing: the accounts of the pods have no right on the cluster but what everybody has,
// and no token.
func (s server) mayNothing(namespace string, o objects) {
	s.t.Helper()
	for _, d := range o.of("Deployment") {
		account := "system:serviceaccount:" + namespace + ":" + d.Spec.Template.Spec.ServiceAccountName
		for _, what := range [][]string{
			{"get", "secrets"}, {"list", "pods"}, {"create", "pods"}, {"get", "configmaps"}, {"create", "pods/exec"}, {"update", "deployments.apps"}, {"*", "*"},
		} {
			out, _, err := s.try(nil, append([]string{"-n", namespace, "auth", "can-i", "--as=" + account}, what...)...)
			require.Error(s.t, err, "%s %v", account, what)
			require.Equal(s.t, "no", strings.TrimSpace(out), "%s %v", account, what)
		}
		_, errs, err := s.try(nil, "-n", namespace, "get", "secrets", "--as="+account)
		require.Error(s.t, err)
		require.Contains(s.t, errs, "forbidden")
	}
	volumes := s.kubectl(nil, "-n", namespace, "get", "pods", "-o", "jsonpath={.items[*].spec.volumes[*].projected}")
	require.Empty(s.t, volumes, "a token is in a pod")
}

// refusesOthers: the namespace takes no pod that is less bound than these.
func (s server) refusesOthers(namespace string) {
	s.t.Helper()
	_, errs, err := s.try(nil, "-n", namespace, "run", "loose", "--image=dibrain:dev", "--dry-run=server")
	require.Error(s.t, err)
	require.Contains(s.t, errs, `violates PodSecurity "restricted:latest"`)
}

// drains empties one node as an operator does; budgets hold, and all is ready on the other.
func (s server) drains(namespace string, o objects) {
	s.t.Helper()
	nodes := strings.Fields(s.kubectl(nil, "get", "nodes", "-o", "jsonpath={.items[*].metadata.name}"))
	require.Greater(s.t, len(nodes), 1)
	for _, h := range o.of("HorizontalPodAutoscaler") {
		on := strings.Fields(s.kubectl(nil, "-n", namespace, "get", "pods", "-l", "app.kubernetes.io/component="+strings.TrimPrefix(h.Metadata.Name, "dibrain-"), "-o", "jsonpath={.items[*].spec.nodeName}"))
		slices.Sort(on)
		require.Greater(s.t, len(slices.Compact(on)), 1, "%s: its pods are not spread", h.Metadata.Name)
	}
	defer s.kubectl(nil, "uncordon", nodes[0])
	_, errs, err := s.try(nil, "drain", nodes[0], "--delete-emptydir-data", "--timeout=120s")
	require.NoError(s.t, err, errs)
	s.available(namespace, o)
	require.NotContains(s.t, s.kubectl(nil, "-n", namespace, "get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}"), nodes[0])
}

// TestAChangeOfTheConfigurationRollsOut: another configuration makes other pods, and the way
// back is there.
func TestAChangeOfTheConfigurationRollsOut(t *testing.T) {
	s := realServer(t)
	before := render(t, "dev")
	namespace := s.apply(before)
	s.available(namespace, before)
	template := func() string {
		return s.kubectl(nil, "-n", namespace, "get", "deployment/dibrain-router", "-o", "jsonpath={.spec.template}")
	}
	first := template()
	dir := t.TempDir()
	overlay, err := filepath.Abs(filepath.Join(manifest, "overlays/dev"))
	require.NoError(t, err)
	rel, err := filepath.Rel(dir, overlay)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("source: demo\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(
		"namespace: "+namespace+"\nresources: ["+rel+"]\nconfigMapGenerator:\n  - {name: dibrain-config, behavior: replace, files: [config.yaml]}\n"), 0o600))
	text, err := kustomize(dir)
	require.NoError(t, err)
	after, err := read(text)
	require.NoError(t, err)
	s.kubectl(after.text, "apply", "-f", "-")
	s.available(namespace, after)
	require.NotEqual(t, first, template(), "pods that run go on with the settings of before")
	s.kubectl(nil, "-n", namespace, "rollout", "undo", "deployment/dibrain-router")
	s.available(namespace, before)
	require.Equal(t, first, template())
}

// TestChecksNeedNothingElse: the job that asks a question is taken under the same Pod Security.
func TestChecksNeedNothingElse(t *testing.T) {
	s := realServer(t)
	o := render(t, "dev")
	namespace := s.apply(o)
	s.kubectl(nil, "-n", namespace, "create", "secret", "generic", "dibrain-check", "--from-literal=token=x")
	text, err := kustomize(filepath.Join(manifest, "check"))
	require.NoError(t, err)
	s.kubectl(text, "-n", namespace, "create", "-f", "-")
	s.kubectl(nil, "-n", namespace, "wait", "job/dibrain-check", "--for=condition=Complete", "--timeout=120s")
}
