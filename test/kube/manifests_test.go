package kube

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
)

// services are the targets of the program that are services.
func services() (names []string) {
	for _, t := range app.Targets() {
		if t.Name != app.All {
			names = append(names, t.Name)
		}
	}
	return names
}

// edge are the services that people call.
var edge = []string{app.Router, app.Analysis}

const (
	component = "app.kubernetes.io/component"
	product   = "app.kubernetes.io/name"
)

func every(t *testing.T, test func(t *testing.T, overlay string, o objects)) {
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			test(t, overlay, render(t, overlay))
		})
	}
}

// TestOneOfEachAService: each service has its Deployment, headless Service, account without
// a token and budget, and nothing has a service that the program has not.
func TestOneOfEachAService(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, _ string, o objects) {
		var want []string
		for _, s := range services() {
			want = append(want, "dibrain-"+s)
		}
		for _, kind := range []string{"Deployment", "Service", "ServiceAccount", "PodDisruptionBudget"} {
			var names []string
			for _, one := range o.of(kind) {
				names = append(names, one.Metadata.Name)
			}
			require.ElementsMatch(t, want, names, kind)
		}
		for _, s := range o.of("Service") {
			require.Equal(t, "None", s.Spec.ClusterIP, "%s: a Service with an address does not balance gRPC", s.Metadata.Name)
		}
		for _, a := range o.of("ServiceAccount") {
			require.NotNil(t, a.Automount)
			require.False(t, *a.Automount)
		}
		for _, b := range o.of("PodDisruptionBudget") {
			require.Equal(t, o.the(t, "Deployment", b.Metadata.Name).Spec.Selector.MatchLabels, b.Spec.Selector.MatchLabels)
		}
	})
}

// TestPods: what each pod has that the program and Pod Security want.
func TestPods(t *testing.T) {
	t.Parallel()
	for _, overlay := range append([]string{"embedded"}, overlays...) {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			o := render(t, overlay)
			for _, d := range o.of("Deployment") {
				pod := d.Spec.Template.Spec
				require.Equal(t, d.Metadata.Name, pod.ServiceAccountName)
				require.False(t, *pod.Automount)
				require.False(t, *pod.ServiceLinks, "variables of other Services are no settings")
				require.Equal(t, true, pod.SecurityContext["runAsNonRoot"])
				require.Equal(t, map[string]any{"type": "RuntimeDefault"}, pod.SecurityContext["seccompProfile"])
				require.Len(t, pod.Spread, 2)
				for _, s := range pod.Spread {
					require.Equal(t, d.Spec.Selector.MatchLabels, s.LabelSelector.MatchLabels)
				}
				require.Len(t, pod.Containers, 1)
				c := pod.Containers[0]
				require.Equal(t, map[string]any{
					"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": map[string]any{"drop": []any{"ALL"}},
				}, c.SecurityContext)
				for _, resource := range []string{"cpu", "memory", "ephemeral-storage"} {
					require.NotEmpty(t, c.Resources.Requests[resource], resource)
				}
				require.NotEmpty(t, c.Resources.Limits["memory"])
				require.Empty(t, c.Resources.Limits["cpu"], "a limit of CPU throttles a process that is asked seldom and works hard")
				cfg := configOf(t, o, d)
				for which, p := range map[string]probe{"startup": c.StartupProbe, "readiness": c.ReadinessProbe, "liveness": c.LivenessProbe} {
					require.NotNil(t, p.GRPC, which)
					require.Equal(t, "0.0.0.0:7071", cfg.Admin.Listen)
					require.Equal(t, 7071, p.GRPC.Port, "kubelets speak no TLS: the admin port answers them")
					require.Equal(t, which != "readiness", p.GRPC.Service == "liveness", which)
				}
				const closing = 10 // seconds: stopTimeout of internal/app
				stops := c.Lifecycle.PreStop.Sleep.Seconds + int((cfg.Limits.DrainDelay + cfg.Limits.DrainTimeout).Seconds()) + closing
				require.Positive(t, c.Lifecycle.PreStop.Sleep.Seconds)
				require.GreaterOrEqual(t, pod.Grace, stops, "calls at work end before the kill")
			}
		})
	}
}

// targetOf is the target of a pod's command, which has to be there.
func targetOf(t *testing.T, d object) string {
	t.Helper()
	for _, a := range d.Spec.Template.Spec.Containers[0].Args {
		if target, is := strings.CutPrefix(a, "--target="); is {
			_, err := app.ParseTargets(target)
			require.NoError(t, err)
			return target
		}
	}
	require.Failf(t, "it has no target", d.Metadata.Name)
	return ""
}

// environment is what the pod's container has in its environment.
func environment(t *testing.T, o objects, d object) (env []string) {
	t.Helper()
	c := d.Spec.Template.Spec.Containers[0]
	values := map[string]string{}
	for _, from := range c.EnvFrom {
		maps.Copy(values, o.the(t, "ConfigMap", from.ConfigMapRef.Name).Data)
	}
	for _, e := range c.Env {
		values[e.Name] = e.Value
	}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		env = append(env, k+"="+values[k])
	}
	return env
}

// configOf is the configuration of a pod, which the program has to take for its target.
func configOf(t *testing.T, o objects, d object) config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	for _, v := range d.Spec.Template.Spec.Volumes {
		if v.ConfigMap != nil && v.Name == "config" {
			text, ok := o.the(t, "ConfigMap", v.ConfigMap.Name).Data["config.yaml"]
			require.True(t, ok)
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		}
	}
	cfg, err := config.Load(config.Options{File: file, Environ: environment(t, o, d)})
	require.NoError(t, err, d.Metadata.Name)
	return cfg
}

// TestConfigurations: each pod has a configuration that its target takes, on addresses that
// the cluster reaches, with each file in a volume.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	for _, overlay := range append([]string{"embedded"}, overlays...) {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			o := render(t, overlay)
			for _, d := range o.of("Deployment") {
				target := targetOf(t, d)
				c := configOf(t, o, d)
				var peers []config.Peer
				if target != app.All {
					for _, name := range app.Callees(target) {
						peer := c.Peer(name)
						require.Equal(t, "dns:///dibrain-"+name+":7070", peer.Address, "%s: the name of the headless Service", target)
						peers = append(peers, peer)
					}
				}
				require.NoError(t, c.Verify(t.Context(), peers), d.Metadata.Name)
				require.False(t, c.Auth.InsecurePlaintext, "the shipped overlays speak TLS themselves")
				want := auth.ModeServices
				if target == app.All || slices.Contains(edge, target) {
					want = auth.ModeToken
				}
				require.Equal(t, want, auth.Mode(c.Auth.Mode), target)
				_, err := filepath.Abs(c.DataDir)
				require.NoError(t, err)

				mounts := map[string]bool{}
				for _, m := range d.Spec.Template.Spec.Containers[0].VolumeMounts {
					mounts[m.MountPath] = true
				}
				require.True(t, mounts[c.DataDir])
				require.True(t, mounts["/tmp"])
				for _, name := range []string{
					c.TLS.CertFile, c.TLS.KeyFile, c.TLS.CAFile, c.Auth.HopKeysFile, c.Auth.TokenFile, c.Store.DSNFile, c.LLM.APIKeyFile,
				} {
					require.True(t, name == "" || mounts[path.Dir(name)], "%s is in no volume", name)
				}
				// One pod of what keeps files, and none of it beside another.
				several := d.Spec.Replicas == nil || *d.Spec.Replicas > 1
				for _, v := range d.Spec.Template.Spec.Volumes {
					if v.Name == "data" && v.Claim != nil {
						require.False(t, several, d.Metadata.Name)
						require.Equal(t, "Recreate", d.Spec.Strategy.Type, "%s: two pods would have the files open", d.Metadata.Name)
					}
				}
				if several {
					require.Equal(t, "RollingUpdate", d.Spec.Strategy.Type, d.Metadata.Name)
					require.True(t, c.Replicas > 1 || target == app.FixSQL || target == app.Logify, "%s: the program has to know, for it refuses what it cannot", d.Metadata.Name)
				}
			}
		})
	}
}

// TestKeysOfAPodAreItsOwn: the secret of hop keys is mounted with the key of one service.
func TestKeysOfAPodAreItsOwn(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, _ string, o objects) {
		for _, d := range o.of("Deployment") {
			for _, v := range d.Spec.Template.Spec.Volumes {
				if v.Secret != nil && v.Secret.SecretName == "dibrain-hop" {
					require.Len(t, v.Secret.Items, 1, "all keys would be in the pod")
					require.Equal(t, targetOf(t, d)+".yaml", v.Secret.Items[0].Key)
				}
			}
		}
	})
}

// TestNetworkPoliciesAreTheArrows: between two services the policies let a call through, on
// both sides, when the program makes such calls, and else not.
func TestNetworkPoliciesAreTheArrows(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, _ string, o objects) {
		labels := func(service string) map[string]string {
			return o.the(t, "Deployment", "dibrain-"+service).Spec.Template.Metadata.Labels
		}
		// open tells whether a policy of one side lets the other side through. A peer of
		// people, which is any pod of the namespace, is not counted as an arrow.
		open := func(of, other string, inward bool) bool {
			isolated, lets := false, false
			for _, p := range o.of("NetworkPolicy") {
				kind, rules := "Egress", p.Spec.Egress
				if inward {
					kind, rules = "Ingress", p.Spec.Ingress
				}
				if !slices.Contains(p.Spec.PolicyTypes, kind) || !p.Spec.PodSelector.takes(labels(of)) {
					continue
				}
				isolated = true
				for _, r := range rules {
					for _, peer := range slices.Concat(r.From, r.To) {
						if peer.NamespaceSelector == nil && peer.PodSelector != nil && peer.PodSelector.MatchLabels[product] != "" &&
							peer.PodSelector.takes(labels(other)) {
							require.Len(t, r.Ports, 1)
							require.Equal(t, 7070, r.Ports[0].Port)
							lets = true
						}
					}
				}
			}
			require.True(t, isolated, "%s: what no policy takes is open to everybody", of)
			return lets
		}
		for _, from := range services() {
			for _, to := range services() {
				if from == to {
					continue
				}
				calls := slices.Contains(app.Callees(from), to)
				require.Equal(t, calls, open(from, to, false), "%s may call %s", from, to)
				require.Equal(t, calls, open(to, from, true), "%s may be called by %s", to, from)
			}
			people := false
			for _, p := range o.of("NetworkPolicy") {
				for _, r := range p.Spec.Ingress {
					people = people || p.Spec.PodSelector.takes(labels(from)) && slices.ContainsFunc(r.From, func(p peer) bool {
						return p.NamespaceSelector != nil && p.NamespaceSelector.MatchLabels["dibrain-client"] == "true"
					})
				}
			}
			require.Equal(t, slices.Contains(edge, from), people, "%s is reached by people", from)
		}
	})
}

// TestRunnersOfPythonBuild: both ways to run the runner are applied by themselves, into a
// namespace of their own that no pod leaves by the network.
func TestRunnersOfPythonBuild(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"deployment", "claims"} {
		text, err := kustomize(filepath.Join(manifest, "components", "python-runner", way))
		require.NoError(t, err)
		o, err := read(text)
		require.NoError(t, err)
		require.NotEmpty(t, o.of("Namespace"), way)
		policies := o.of("NetworkPolicy")
		require.NotEmpty(t, policies, way)
		for _, p := range policies {
			require.Empty(t, p.Spec.Egress, way)
		}
	}
}

// switches are the components that an overlay, or a value of the chart, takes in.
func switches(t *testing.T) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(manifest, "components", "*"))
	require.NoError(t, err)
	for _, dir := range found {
		name := filepath.Base(dir)
		if name != "state" && name != "sources" && name != "python-runner" { // parts of the base; what is applied by itself
			names = append(names, name)
		}
	}
	require.NotEmpty(t, names)
	return names
}

// TestEachComponentBuilds: a component can be taken into the smallest overlay, and what it
// tells each service is a configuration.
func TestEachComponentBuilds(t *testing.T) {
	t.Parallel()
	for _, name := range switches(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := kustomize(overlayWith(t, name))
			require.NoError(t, err)
			o, err := read(text)
			require.NoError(t, err)
			for _, d := range o.of("Deployment") {
				configOf(t, o, d)
			}
			require.Greater(t, len(o.all), 40)
			require.NotEqual(t, string(render(t, "dev").text), string(text))
		})
	}
}

// TestWhoMayBeSeveralGrowsWithItsLoad: in production each service but chatbi, whose results are
// on a volume, and chatbi too where they are shared; how many pods there are is then the
// autoscaler's to say.
func TestWhoMayBeSeveralGrowsWithItsLoad(t *testing.T) {
	t.Parallel()
	shared, err := kustomize(overlayWith(t, "postgres", "autoscaling", "s3", "chatbiscaling"))
	require.NoError(t, err)
	withResults, err := read(shared)
	require.NoError(t, err)
	for but, o := range map[string]objects{"chatbi": render(t, "production"), "nobody": withResults} {
		grow := map[string]bool{}
		for _, h := range o.of("HorizontalPodAutoscaler") {
			require.Equal(t, "Deployment", h.Spec.ScaleTarget.Kind)
			require.Equal(t, h.Metadata.Name, h.Spec.ScaleTarget.Name)
			require.Equal(t, 2, h.Spec.MinReplicas)
			require.Greater(t, h.Spec.MaxReplicas, h.Spec.MinReplicas)
			grow[h.Spec.ScaleTarget.Name] = true
		}
		for _, service := range services() {
			d := o.the(t, "Deployment", "dibrain-"+service)
			require.Equal(t, service != but, grow[d.Metadata.Name], service)
			require.Equal(t, service == but, d.Spec.Replicas != nil, "%s: another apply would take back what the autoscaler says", service)
			if c := configOf(t, o, d); service == but || c.Store.Kind == config.StorePostgres {
				c.Replicas = 2
				err := app.Verify(t.Context(), c, []string{service})
				require.Equal(t, service == but, strings.Contains(fmt.Sprint(err), "replicas is 2"), "%s: %v", service, err)
			}
		}
	}
}

// TestResultsInObjectStorage: chatbi is several pods that keep nothing, and reach the database
// and object storage; of the others the router alone reaches it.
func TestResultsInObjectStorage(t *testing.T) {
	t.Parallel()
	text, err := kustomize(overlayWith(t, "postgres", "s3"))
	require.NoError(t, err)
	o, err := read(text)
	require.NoError(t, err)
	for _, claim := range o.of("PersistentVolumeClaim") {
		require.NotEqual(t, "dibrain-chatbi", claim.Metadata.Name)
	}
	d := o.the(t, "Deployment", "dibrain-chatbi")
	require.Equal(t, 2, *d.Spec.Replicas)
	require.Equal(t, "RollingUpdate", d.Spec.Strategy.Type)
	ports := map[string]map[int]bool{}
	for _, service := range services() {
		d := o.the(t, "Deployment", "dibrain-"+service)
		c := configOf(t, o, d)
		err := app.Verify(t.Context(), c, []string{service})
		require.ErrorContains(t, err, "hop", "its files are missing here, and nothing else")
		require.NotContains(t, err.Error(), "CONFIG_INVALID")
		require.NotContains(t, err.Error(), "replicas")
		mounts := map[string]bool{}
		for _, m := range d.Spec.Template.Spec.Containers[0].VolumeMounts {
			mounts[m.MountPath] = true
		}
		several := slices.Contains([]string{"chatbi", "router"}, service)
		require.Equal(t, several, c.Results.Kind == config.ResultsS3, service)
		require.Equal(t, several, mounts["/etc/dibrain-s3"], service)
		if several {
			require.Equal(t, "/etc/dibrain-s3", path.Dir(c.Results.S3.AccessKeyIDFile))
			require.Equal(t, "/etc/dibrain-s3", path.Dir(c.Results.S3.SecretAccessKeyFile))
			require.Equal(t, "/etc/dibrain-postgres", path.Dir(c.Store.DSNFile))
		}
		ports[service] = map[int]bool{}
		for _, p := range o.of("NetworkPolicy") {
			if !strings.HasPrefix(p.Metadata.Name, "dibrain-to-") || !p.Spec.PodSelector.takes(d.Spec.Template.Metadata.Labels) {
				continue
			}
			for _, r := range p.Spec.Egress {
				for _, port := range r.Ports {
					ports[service][port.Port.(int)] = true
				}
			}
		}
	}
	require.Equal(t, map[int]bool{443: true, 5432: true}, ports["chatbi"])
	require.Equal(t, map[int]bool{443: true, 5432: true}, ports["router"])
	require.Equal(t, map[int]bool{5432: true}, ports["analysis"])
	require.Equal(t, map[int]bool{5432: true}, ports["findata"])
	require.Empty(t, ports["logify"])
}

// overlayWith is an overlay of the base and components, as somebody writes one of one's own.
func overlayWith(t *testing.T, components ...string) string {
	t.Helper()
	dir := t.TempDir()
	rel := func(to string) string {
		abs, err := filepath.Abs(filepath.Join(manifest, to))
		require.NoError(t, err)
		r, err := filepath.Rel(dir, abs)
		require.NoError(t, err)
		return r
	}
	var text strings.Builder
	text.WriteString("resources: [" + rel("base") + "]\ncomponents:\n")
	for _, c := range components {
		text.WriteString("  - " + rel("components/"+c) + "\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text.String()), 0o600))
	return dir
}
