// Command make makes the Helm chart of DI-Brain from deploy/k8s, so that there is one source
// of what is applied. kustomize renders the base with all components, and with all but each
// one in turn: what is missing then is the component's, and stands in the chart under its
// switch. Numbers that operators change become values.
//
//	go run ./deploy/helm/make -out deploy/helm/dibrain
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// components are the switches of the chart, by the folders of deploy/k8s/components.
var components = []string{"autoscaling", "chatbiscaling", "elasticsearch", "gateway", "loki", "milvus", "model", "postgres", "s3", "telemetry", "trino"}

func main() {
	from := flag.String("from", "deploy/k8s", "folder of the manifests")
	out := flag.String("out", "deploy/helm/dibrain", "folder of the chart")
	mod := flag.String("modfile", "tools/go.mod", "module file that pins kustomize")
	flag.Parse()
	if err := run(*from, *out, *mod); err != nil {
		fmt.Fprintln(os.Stderr, "make chart:", err)
		os.Exit(1)
	}
}

func run(from, out, mod string) error {
	all, err := build(from, mod, components)
	if err != nil {
		return err
	}
	merged := map[string]*node{} // by the id of the object
	for id, object := range all {
		merged[id] = plain(object)
	}
	for _, c := range components {
		rest, err := build(from, mod, slices.DeleteFunc(slices.Clone(components), func(other string) bool { return other == c }))
		if err != nil {
			return err
		}
		switched(merged, all, rest, c)
	}
	v := values{}
	files := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(merged)) {
		object, _ := all[id]
		if object == nil {
			return fmt.Errorf("%s is there only without a component: that has no switch", id)
		}
		parametrise(object, merged[id], v)
		name := fileOf(object, merged[id])
		files[name] = append(files[name], document(merged[id]))
	}
	if err := os.RemoveAll(filepath.Join(out, "templates")); err != nil {
		return err
	}
	for name, documents := range files {
		text := "{{- /* Made by deploy/helm/make from deploy/k8s. */}}\n" + strings.Join(documents, "")
		if err := write(filepath.Join(out, "templates", name), text); err != nil {
			return err
		}
	}
	check, err := kustomize(filepath.Join(from, "check"), mod)
	if err != nil {
		return err
	}
	job, err := read(check)
	if err != nil {
		return err
	}
	for _, object := range job {
		n := plain(object)
		parametrise(object, n, v)
		asTest(n, v)
		text := "{{- /* Made by deploy/helm/make from deploy/k8s/check. */}}\n" + document(n)
		if err := write(filepath.Join(out, "templates/tests/check.yaml"), text); err != nil {
			return err
		}
	}
	return v.write(out)
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // part of the repository
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // part of the repository
}

// build renders the base with components.
func build(from, mod string, with []string) (map[string]map[string]any, error) {
	// Beside the manifests, for kustomize takes bases by relative paths.
	dir, err := os.MkdirTemp(from, ".chart-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of ours
	text := "resources: [../base]\ncomponents:\n"
	for _, c := range with {
		text += "  - ../components/" + c + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		return nil, err
	}
	rendered, err := kustomize(dir, mod)
	if err != nil {
		return nil, err
	}
	return read(rendered)
}

func kustomize(dir, mod string) ([]byte, error) {
	cmd := exec.Command("go", "tool", "-modfile="+mod, "kustomize", "build", dir) //nolint:gosec // folders that the operator names
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("kustomize build %s: %w\n%s", dir, err, errs.Bytes())
	}
	return text, nil
}

// read returns objects by kind and name.
func read(text []byte) (map[string]map[string]any, error) {
	found := map[string]map[string]any{}
	documents := yaml.NewDecoder(bytes.NewReader(withoutHashes(text)))
	for {
		var object map[string]any
		err := documents.Decode(&object)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		found[object["kind"].(string)+"/"+get(object, "metadata", "name").(string)] = object
	}
}

// hashed is the name of a ConfigMap with the hash that kustomize gives it; in the chart a
// checksum in the pods' annotations does its work.
var hashed = regexp.MustCompile(`\b(dibrain-(?:config|wiring))-[a-z0-9]{10}\b`)

func withoutHashes(text []byte) []byte { return hashed.ReplaceAll(text, []byte("$1")) }

func get(in any, path ...string) any {
	for _, key := range path {
		m, ok := in.(map[string]any)
		if !ok {
			return nil
		}
		in = m[key]
	}
	return in
}

// fileOf is the template in which an object stands.
func fileOf(object map[string]any, n *node) string {
	component, _ := get(object, "metadata", "labels", "app.kubernetes.io/component").(string)
	switch {
	case slices.Contains(components, n.only):
		return "to-" + n.only + ".yaml"
	case component != "":
		return component + ".yaml"
	case object["kind"] == "ConfigMap":
		return "config.yaml"
	case object["kind"] == "NetworkPolicy":
		return "network.yaml"
	default:
		return "sources.yaml"
	}
}
