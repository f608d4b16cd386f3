// Package kube holds the manifests of deploy/ to what the program is: what kustomize and
// helm make of them is read as an API server would read it, given to a real one where there
// is one, and the pods' own commands are run as processes.
package kube

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const (
	root     = "../.."
	manifest = root + "/deploy/k8s"
)

// overlays are those that have one Deployment a service; "embedded" has one pod.
var overlays = []string{"dev", "staging", "production"}

// object is what is applied: any kind, with what the tests read of it.
type object struct {
	APIVersion string            `yaml:"apiVersion"`
	Kind       string            `yaml:"kind"`
	Metadata   metadata          `yaml:"metadata"`
	Spec       spec              `yaml:"spec"`
	Data       map[string]string `yaml:"data"`
	Automount  *bool             `yaml:"automountServiceAccountToken"`
}

type metadata struct {
	Name        string            `yaml:"name"`
	Namespace   string            `yaml:"namespace"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// spec has the fields of all kinds that are read.
type spec struct {
	Replicas *int `yaml:"replicas"`
	Selector struct {
		MatchLabels map[string]string `yaml:"matchLabels"`
	} `yaml:"selector"`
	Strategy struct {
		Type string `yaml:"type"`
	} `yaml:"strategy"`
	Template struct {
		Metadata metadata `yaml:"metadata"`
		Spec     podSpec  `yaml:"spec"`
	} `yaml:"template"`
	// CronJob.
	JobTemplate struct {
		Spec struct {
			Template struct {
				Metadata metadata `yaml:"metadata"`
				Spec     podSpec  `yaml:"spec"`
			} `yaml:"template"`
		} `yaml:"spec"`
	} `yaml:"jobTemplate"`
	Concurrency string `yaml:"concurrencyPolicy"`
	// NetworkPolicy.
	PodSelector selector `yaml:"podSelector"`
	PolicyTypes []string `yaml:"policyTypes"`
	Ingress     []rule   `yaml:"ingress"`
	Egress      []rule   `yaml:"egress"`
	// Service.
	ClusterIP string `yaml:"clusterIP"`
	// HorizontalPodAutoscaler.
	MinReplicas int `yaml:"minReplicas"`
	MaxReplicas int `yaml:"maxReplicas"`
	ScaleTarget struct {
		Kind string `yaml:"kind"`
		Name string `yaml:"name"`
	} `yaml:"scaleTargetRef"`
}

type selector struct {
	MatchLabels      map[string]string `yaml:"matchLabels"`
	MatchExpressions []struct {
		Key, Operator string
		Values        []string
	} `yaml:"matchExpressions"`
}

// takes tells whether the selector takes pods with these labels.
func (s selector) takes(labels map[string]string) bool {
	for k, v := range s.MatchLabels {
		if labels[k] != v {
			return false
		}
	}
	for _, e := range s.MatchExpressions {
		if e.Operator != "In" || !slices.Contains(e.Values, labels[e.Key]) {
			return false
		}
	}
	return true
}

type rule struct {
	From  []peer `yaml:"from"`
	To    []peer `yaml:"to"`
	Ports []struct {
		Port any `yaml:"port"`
	} `yaml:"ports"`
}

type peer struct {
	PodSelector       *selector      `yaml:"podSelector"`
	NamespaceSelector *selector      `yaml:"namespaceSelector"`
	IPBlock           map[string]any `yaml:"ipBlock"`
}

type podSpec struct {
	ServiceAccountName string         `yaml:"serviceAccountName"`
	Automount          *bool          `yaml:"automountServiceAccountToken"`
	ServiceLinks       *bool          `yaml:"enableServiceLinks"`
	Grace              int            `yaml:"terminationGracePeriodSeconds"`
	SecurityContext    map[string]any `yaml:"securityContext"`
	Spread             []struct {
		LabelSelector selector `yaml:"labelSelector"`
	} `yaml:"topologySpreadConstraints"`
	Containers []container `yaml:"containers"`
	Volumes    []volume    `yaml:"volumes"`
}

type container struct {
	Name    string   `yaml:"name"`
	Image   string   `yaml:"image"`
	Command []string `yaml:"command"`
	Args    []string `yaml:"args"`
	EnvFrom []struct {
		ConfigMapRef struct {
			Name string `yaml:"name"`
		} `yaml:"configMapRef"`
	} `yaml:"envFrom"`
	Env []struct {
		Name      string `yaml:"name"`
		Value     string `yaml:"value"`
		ValueFrom *struct {
			SecretKeyRef struct {
				Name string `yaml:"name"`
				Key  string `yaml:"key"`
			} `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	} `yaml:"env"`
	StartupProbe   probe `yaml:"startupProbe"`
	ReadinessProbe probe `yaml:"readinessProbe"`
	LivenessProbe  probe `yaml:"livenessProbe"`
	Lifecycle      struct {
		PreStop struct {
			Sleep struct {
				Seconds int `yaml:"seconds"`
			} `yaml:"sleep"`
		} `yaml:"preStop"`
	} `yaml:"lifecycle"`
	Resources struct {
		Requests, Limits map[string]string
	} `yaml:"resources"`
	SecurityContext map[string]any `yaml:"securityContext"`
	VolumeMounts    []mount        `yaml:"volumeMounts"`
}

type probe struct {
	GRPC *struct {
		Port    int    `yaml:"port"`
		Service string `yaml:"service"`
	} `yaml:"grpc"`
}

type mount struct {
	Name      string `yaml:"name"`
	MountPath string `yaml:"mountPath"`
	SubPath   string `yaml:"subPath"`
	ReadOnly  bool   `yaml:"readOnly"`
}

type volume struct {
	Name      string `yaml:"name"`
	ConfigMap *struct {
		Name string `yaml:"name"`
	} `yaml:"configMap"`
	Secret *struct {
		SecretName string `yaml:"secretName"`
		Items      []struct {
			Key  string `yaml:"key"`
			Path string `yaml:"path"`
		} `yaml:"items"`
	} `yaml:"secret"`
	Claim *struct {
		ClaimName string `yaml:"claimName"`
	} `yaml:"persistentVolumeClaim"`
	EmptyDir map[string]any `yaml:"emptyDir"`
}

// objects are what a tool printed.
type objects struct {
	text []byte
	all  []object
}

func read(text []byte) (o objects, err error) {
	o.text = text
	documents := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var one object
		err := documents.Decode(&one)
		if errors.Is(err, io.EOF) {
			return o, nil
		}
		if err != nil {
			return o, err
		}
		if one.Kind != "" {
			o.all = append(o.all, one)
		}
	}
}

// of returns the objects of a kind.
func (o objects) of(kind string) (found []object) {
	for _, one := range o.all {
		if one.Kind == kind {
			found = append(found, one)
		}
	}
	return found
}

// the returns one object, which has to be there.
func (o objects) the(t *testing.T, kind, name string) object {
	t.Helper()
	for _, one := range o.of(kind) {
		if one.Metadata.Name == name {
			return one
		}
	}
	require.Failf(t, "it is missing", "%s %s", kind, name)
	return object{}
}

// rendered remembers what kustomize made of an overlay.
var rendered sync.Map

// render returns what kustomize makes of an overlay.
func render(t *testing.T, overlay string) objects {
	t.Helper()
	made, _ := rendered.LoadOrStore(overlay, sync.OnceValues(func() (objects, error) {
		text, err := kustomize(filepath.Join(manifest, "overlays", overlay))
		if err != nil {
			return objects{}, err
		}
		return read(text)
	}))
	o, err := made.(func() (objects, error))()
	require.NoError(t, err, overlay)
	require.NotEmpty(t, o.all)
	return o
}

// kustomize runs the pinned tool; its build is cached as any other.
func kustomize(dir string) ([]byte, error) {
	cmd := exec.Command("go", "tool", "-modfile="+filepath.Join(root, "tools/go.mod"), "kustomize", "build", dir)
	cmd.Env = append(os.Environ(), "GOFLAGS=") // the cache of CI's own step
	return output(cmd)
}

func output(cmd *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, errs.Bytes())
	}
	return out, nil
}
