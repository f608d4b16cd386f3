package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// values are those of values.yaml, by their paths.
type values map[string]any

// set remembers a default and returns the template text that reads the value.
func (v values) set(path string, value any) string {
	v[path] = value
	return ".Values." + path
}

// quoted reads a value as a string, inline reads one as JSON, on one line.
func quoted(path string) string { return "{{ " + path + " | quote }}" }
func inline(path string) string { return "{{ " + path + " | toJson }}" }

// parametrise puts values in place of what operators change.
func parametrise(object map[string]any, n *node, v values) {
	name, _ := get(object, "metadata", "name").(string)
	component, _ := get(object, "metadata", "labels", "app.kubernetes.io/component").(string)
	service := "services." + component
	switch object["kind"] {
	case "Deployment":
		deployment(object, n, v, service)
	case "CronJob":
		n.at("spec", "schedule").raw = quoted(v.set("trino.ingest.schedule", get(object, "spec", "schedule")))
		pod := n.at("spec", "jobTemplate", "spec", "template", "spec")
		container(pod, v)
		written := get(object, "spec", "jobTemplate", "spec", "template", "spec", "containers").([]any)[0].(map[string]any)
		for _, key := range []string{"args", "resources"} {
			pod.keys["containers"].list[0].keys[key].raw = inline(v.set("trino.ingest."+key, written[key]))
		}
	case "Job":
		container(n.at("spec", "template", "spec"), v)
		args := n.at("spec", "template", "spec", "containers").list[0].keys["args"].list
		args[len(args)-1].raw = quoted(v.set("check.question", args[len(args)-1].scalar))
	case "PersistentVolumeClaim":
		path := service + ".storage"
		if component == "" {
			path = "sources.storage"
			n.at("spec", "accessModes").list[0].raw = quoted(v.set(path+".accessMode", "ReadWriteMany"))
		}
		size := n.at("spec", "resources", "requests", "storage")
		size.raw = quoted(v.set(path+".size", size.scalar))
		class := &node{raw: quoted(v.set(path+".storageClass", ""))}
		class.only = path + ".storageClass"
		n.at("spec").keys["storageClassName"] = class
	case "HorizontalPodAutoscaler":
		for _, bound := range []string{"minReplicas", "maxReplicas"} {
			count := n.at("spec", bound)
			count.raw = "{{ " + v.set(service+".autoscaling."+bound, count.scalar) + " }}"
		}
	case "ConfigMap":
		config(name, n, v)
	case "NetworkPolicy":
		if to, is := strings.CutPrefix(name, "dibrain-to-"); is {
			to, _, _ = strings.Cut(to, "-") // the rest says from where
			for _, rule := range n.at("spec", "egress").list {
				rule.keys["to"].raw = "{{ range " + v.set(to+".networks", []any{"0.0.0.0/0", "::/0"}) + " }}"
				rule.keys["to"] = &node{raw: "\n{{- range .Values." + to + ".networks }}\n        - ipBlock: {cidr: {{ . | quote }}}\n{{- end }}"}
				var ports []any
				for _, p := range rule.keys["ports"].list {
					ports = append(ports, p.keys["port"].scalar)
				}
				v[to+".ports"] = ports
				rule.keys["ports"] = &node{raw: "\n{{- range .Values." + to + ".ports }}\n        - {port: {{ . }}, protocol: TCP}\n{{- end }}"}
			}
		}
	}
}

func deployment(object map[string]any, n *node, v values, service string) {
	spec := n.at("spec")
	replicas := 1
	name := strings.TrimPrefix(get(object, "metadata", "name").(string), "dibrain-")
	switch {
	case slices.Contains([]string{"router", "analysis", "findata", "text2sql", "knowledge"}, name): // one with files, more over PostgreSQL
		spec.keys["replicas"] = &node{
			raw: "{{ if .Values.postgres.enabled }}{{ " + v.set(service+".replicas", 2) + " }}{{ else }}1{{ end }}", never: "autoscaling",
		}
	case name == "chatbi": // one with files, more over object storage
		spec.keys["replicas"] = &node{
			raw: "{{ if .Values.s3.enabled }}{{ " + v.set(service+".replicas", 2) + " }}{{ else }}1{{ end }}", never: "chatbiscaling",
		}
	case slices.Contains([]string{"fixsql", "logify"}, name):
		spec.keys["replicas"] = &node{raw: "{{ " + v.set(service+".replicas", replicas) + " }}", never: "autoscaling"}
	}
	pod := n.at("spec", "template", "spec")
	container(pod, v)
	first := pod.keys["containers"].list[0]
	first.keys["resources"] = &node{raw: inline(v.set(service+".resources", get(object, "spec", "template", "spec", "containers").([]any)[0].(map[string]any)["resources"]))}
	annotations := n.at("spec", "template", "metadata", "annotations")
	annotations.keys["checksum/config"] = &node{raw: `{{ include (print $.Template.BasePath "/config.yaml") . | sha256sum }}`}
	for _, key := range []string{"nodeSelector", "tolerations"} {
		var empty any = map[string]any{}
		if key == "tolerations" {
			empty = []any{}
		}
		pod.keys[key] = &node{raw: inline(v.set("pods."+key, empty)), only: "pods." + key}
	}
}

// container sets what all pods share.
func container(pod *node, v values) {
	v.set("image.repository", "dibrain")
	v.set("image.tag", "dev")
	pod.keys["containers"].list[0].keys["image"] = &node{raw: `"{{ .Values.image.repository }}:{{ .Values.image.tag }}"`}
	pod.keys["imagePullSecrets"] = &node{raw: inline(v.set("image.pullSecrets", []any{})), only: "image.pullSecrets"}
}

// config lets operators write config.yaml as values, and set what a component's wiring says.
func config(name string, n *node, v values) {
	if name == "dibrain-config" {
		v.set("config", map[string]any{"source": "warehouse"})
		n.keys["data"] = &node{raw: "\n  config.yaml: |\n{{ .Values.config | toYaml | indent 4 }}"}
		return
	}
	data := n.at("data")
	for key, value := range data.keys {
		if value.only != "" {
			value.raw = quoted("index .Values." + value.only + ".settings " + fmt.Sprintf("%q", key))
			settings, _ := v[value.only+".settings"].(map[string]any)
			if settings == nil {
				settings = map[string]any{}
				v[value.only+".settings"] = settings
			}
			settings[key] = value.scalar
		}
	}
}

// asTest makes of the job that asks a question what `helm test` runs.
func asTest(n *node, v values) {
	_ = v
	n.at("metadata").keys["annotations"] = plain(map[string]any{
		"helm.sh/hook": "test", "helm.sh/hook-delete-policy": "before-hook-creation",
	})
}

// write writes values.yaml and its schema beside the templates.
func (v values) write(out string) error {
	for _, c := range components {
		v[c+".enabled"] = false
	}
	tree := map[string]any{}
	for _, path := range slices.Sorted(maps.Keys(v)) {
		into := tree
		keys := strings.Split(path, ".")
		for _, k := range keys[:len(keys)-1] {
			next, ok := into[k].(map[string]any)
			if !ok {
				next = map[string]any{}
				into[k] = next
			}
			into = next
		}
		into[keys[len(keys)-1]] = v[path]
	}
	text, err := yaml.Marshal(tree)
	if err != nil {
		return err
	}
	head := "# Made by deploy/helm/make from deploy/k8s. docs/kubernetes.md says what each value is for;\n# `config` is docs/configuration.md's file.\n"
	if err := write(filepath.Join(out, "values.yaml"), head+string(text)); err != nil {
		return err
	}
	schema, err := schemaOf(tree)
	if err != nil {
		return err
	}
	return write(filepath.Join(out, "values.schema.json"), schema)
}
