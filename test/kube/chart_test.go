package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const chart = root + "/deploy/helm/dibrain"

// TestTheChartIsMadeOfTheManifests: the chart in the repository is what its maker makes now.
func TestTheChartIsMadeOfTheManifests(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	_, err := output(exec.Command("go", "run", "../../deploy/helm/make", "-from", manifest, "-out", out, "-modfile", filepath.Join(root, "tools/go.mod")))
	require.NoError(t, err)
	files := func(dir string) map[string]string {
		found := map[string]string{}
		for _, pattern := range []string{"values.yaml", "values.schema.json", "templates/*.yaml", "templates/*/*.yaml"} {
			names, err := filepath.Glob(filepath.Join(dir, pattern))
			require.NoError(t, err)
			for _, name := range names {
				text, err := os.ReadFile(name)
				require.NoError(t, err)
				rel, err := filepath.Rel(dir, name)
				require.NoError(t, err)
				found[rel] = string(text)
			}
		}
		return found
	}
	want := files(out)
	require.Greater(t, len(want), 10)
	require.Equal(t, want, files(chart), "deploy/helm/dibrain is not current: go run ./deploy/helm/make")
}

// helm runs the tool that DIBRAIN_TEST_HELM names; the full run of CI builds it.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	path := os.Getenv("DIBRAIN_TEST_HELM")
	if path == "" {
		t.Skip("no Helm: go build -C tools/helm -o … helm.sh/helm/v3/cmd/helm makes it; DIBRAIN_TEST_HELM names it")
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+t.TempDir(), "HELM_CONFIG_HOME="+t.TempDir(), "HELM_DATA_HOME="+t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), errors.New(err.Error() + ": " + errs.String())
	}
	require.NotContains(t, errs.String(), "Warning")
	return out.String(), nil
}

// hashedName is the name of a ConfigMap of kustomize, which ends with its hash; the chart
// has a checksum in the pods' annotations instead.
var hashedName = regexp.MustCompile(`^(dibrain-(?:config|wiring))-[a-z0-9]{10}$`)

// alike returns objects by kind and name, without what the two tools say in ways of their
// own: namespaces, hashes, and the order of what has names.
func alike(t *testing.T, text string) map[string]any {
	t.Helper()
	found := map[string]any{}
	documents := yaml.NewDecoder(strings.NewReader(text))
	for {
		var one map[string]any
		err := documents.Decode(&one)
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		if one == nil || one["kind"] == "Namespace" {
			continue
		}
		metadata := one["metadata"].(map[string]any)
		delete(metadata, "namespace")
		kind := one["kind"].(string)
		if metadata["annotations"] != nil && kind == "Job" { // the hook of `helm test`
			continue
		}
		normal := normalised(one).(map[string]any)
		if data, ok := normal["data"].(map[string]any); ok && data["config.yaml"] != nil {
			var config map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(data["config.yaml"].(string)), &config))
			data["config.yaml"] = config
		}
		found[kind+"/"+normal["metadata"].(map[string]any)["name"].(string)] = normal
	}
}

func normalised(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, inner := range v {
			if k == "checksum/config" {
				continue
			}
			out[k] = normalised(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = normalised(v[i])
		}
		slices.SortStableFunc(out, func(a, b any) int { return strings.Compare(nameIn(a), nameIn(b)) })
		return out
	case string:
		return hashedName.ReplaceAllString(v, "$1")
	default:
		return v
	}
}

// nameIn is what an element of a list is known by; what has no name keeps its place.
func nameIn(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	for _, key := range []string{"mountPath", "name"} {
		if s, ok := m[key].(string); ok {
			return s
		}
	}
	return ""
}

// TestTheChartRendersTheSameObjects: what Helm makes of the chart with the values of an
// overlay is what kustomize makes of the overlay.
func TestTheChartRendersTheSameObjects(t *testing.T) {
	t.Parallel()
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			text, err := helm(t, "template", "dibrain", chart, "--values", filepath.Join(chart, "values-"+overlay+".yaml"), "--kube-version", "1.35.4")
			require.NoError(t, err)
			got, want := alike(t, text), alike(t, string(render(t, overlay).text))
			for id, object := range want {
				require.Equal(t, object, got[id], id)
			}
			require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
		})
	}
	t.Run("the base and each component", func(t *testing.T) {
		t.Parallel()
		for _, name := range switches(t) {
			needed := map[string][]string{"autoscaling": {"postgres"}, "s3": {"postgres"}, "chatbiscaling": {"postgres", "s3"}}[name]
			with := append(slices.Clone(needed), name)
			args := []string{"template", "dibrain", chart, "--kube-version", "1.35.4", "--set", "image.repository=dibrain"}
			for _, c := range with {
				args = append(args, "--set", c+".enabled=true")
			}
			text, err := helm(t, args...)
			require.NoError(t, err, name)
			direct, err := kustomize(overlayWith(t, with...))
			require.NoError(t, err)
			got, want := alike(t, text), alike(t, strings.ReplaceAll(string(direct), "image: dibrain\n", "image: dibrain:dev\n"))
			for id, object := range want {
				require.Equal(t, object, got[id], "%s: %s", name, id)
			}
			require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)), name)
		}
	})
}

// TestTheChartRefusesWhatCannotBe: the schema tells a slip of the pen before anything is
// applied.
func TestTheChartRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{
		"services.router.replica=3":             "replica",
		"services.router.replicas=0":            "replicas",
		"postgres.enable=true":                  "enable",
		"autoscaling.enabled=true":              "postgres",
		"s3.enabled=true":                       "postgres",
		"chatbiscaling.enabled=true":            "s3",
		"trino.networks={10.0.0.1}":             "networks",
		"trino.ports={no}":                      "ports",
		"services.findata.storage.size=big":     "size",
		"telemetry.settings.endpoint=elsewhere": "endpoint",
		"image.tag=":                            "tag",
	} {
		_, err := helm(t, "template", "dibrain", chart, "--kube-version", "1.35.4", "--set", set)
		require.ErrorContains(t, err, "values don't meet the specifications of the schema", set)
		require.ErrorContains(t, err, want, set)
	}
	_, err := helm(t, "lint", chart, "--strict")
	require.NoError(t, err)
}

// TestHelmTestAsksAQuestion: `helm test` runs the command of the job that is run as a process
// in TestPodsAnswerAsProcesses, with the question of the values.
func TestHelmTestAsksAQuestion(t *testing.T) {
	t.Parallel()
	text, err := helm(t, "template", "dibrain", chart, "--kube-version", "1.35.4", "--show-only", "templates/tests/check.yaml", "--set", "check.question=Why?")
	require.NoError(t, err)
	made, err := read([]byte(text))
	require.NoError(t, err)
	job := made.the(t, "Job", "dibrain-check")
	require.Equal(t, "test", job.Metadata.Annotations["helm.sh/hook"])
	direct, err := kustomize(filepath.Join(manifest, "check"))
	require.NoError(t, err)
	other, err := read(direct)
	require.NoError(t, err)
	want := other.the(t, "Job", "dibrain-check").Spec.Template.Spec
	want.Containers[0].Args[len(want.Containers[0].Args)-1] = "Why?"
	require.Equal(t, want, job.Spec.Template.Spec)
}

// TestTheChartOnAnAPIServer installs the chart, tests it and upgrades it on a real API server
// under Pod Security "restricted".
func TestTheChartOnAnAPIServer(t *testing.T) {
	s := realServer(t)
	s.kinds()
	o := render(t, "production")
	namespace := s.namespace(o)
	s.kubectl([]byte(namespaceText(t, o)), "apply", "-f", "-")
	s.secrets(namespace, o)
	s.kubectl(nil, "-n", namespace, "create", "secret", "generic", "dibrain-check", "--from-literal=token=x")
	with := func(args ...string) []string {
		return append(args, "--kubeconfig", os.Getenv("DIBRAIN_TEST_KUBECONFIG"), "--namespace", namespace)
	}
	_, err := helm(t, with("install", "dibrain", chart, "--values", filepath.Join(chart, "values-production.yaml"), "--wait", "--timeout", "4m")...)
	require.NoError(t, err)
	s.available(namespace, o)
	_, err = helm(t, with("test", "dibrain", "--timeout", "2m")...)
	require.NoError(t, err)
	generation := func() string {
		return s.kubectl(nil, "-n", namespace, "get", "deployment/dibrain-router", "-o", "jsonpath={.metadata.generation}")
	}
	before := generation()
	_, err = helm(t, with("upgrade", "dibrain", chart, "--values", filepath.Join(chart, "values-production.yaml"), "--set", "config.log.level=debug", "--wait", "--timeout", "4m")...)
	require.NoError(t, err)
	require.NotEqual(t, before, generation(), "other settings make other pods")
	out, err := helm(t, with("get", "values", "dibrain", "-o", "json")...)
	require.NoError(t, err)
	var set map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &set))
	require.Contains(t, set, "config")
	_, err = helm(t, with("rollback", "dibrain", "1", "--wait", "--timeout", "4m")...)
	require.NoError(t, err)
	_, err = helm(t, with("uninstall", "dibrain", "--wait", "--timeout", "2m")...)
	require.NoError(t, err)
}
