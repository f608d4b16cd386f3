//go:build linux

package kube

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// image is the root file system of the image, made once for the package.
var image = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "dibrain-image-")
	if err != nil {
		return "", err
	}
	made = append(made, dir)
	binary := filepath.Join(dir, "dibrain")
	build := exec.Command("go", "build", "-o", binary, "github.com/dibrain/dibrain/cmd/dibrain")
	if _, err := output(build); err != nil {
		return "", err
	}
	files := filepath.Join(dir, "root")
	_, err = output(exec.Command("go", "run", "github.com/dibrain/dibrain/deploy/docker/rootfs", "-binary", binary, "-root", files))
	return files, err
})

// made are folders that go when the package's tests are over.
var made []string

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range made {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// node runs the pods of an overlay as processes: the image's files, the container's command,
// environment, volumes and names, in user and mount namespaces. Only the addresses differ:
// each pod has one of loopback in place of an interface of its own.
type node struct {
	t       *testing.T
	o       objects
	dir     string
	image   string
	network string // the first three numbers of the pods' addresses
	pods    []*pod
	token   string
	mu      sync.Mutex
}

// pod is one process.
type pod struct {
	name    string
	address string // IP
	of      object
	cmd     *exec.Cmd
	log     *lockedBuffer
	exited  chan struct{}
	gone    bool // it is no address of its Service any more, or not yet
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// networks counts the nodes of this process, for addresses of their own.
var networks atomic.Int32

// newNode needs namespaces and Debian, as CI has them.
func newNode(t *testing.T, o objects) *node {
	t.Helper()
	if out, err := exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			require.NoError(t, err, "%s", out)
		}
		t.Skipf("user namespaces are needed: %v %s", err, out)
	}
	files, err := image()
	require.NoError(t, err)
	n := &node{t: t, o: o, dir: t.TempDir(), image: files}
	n.network = fmt.Sprintf("127.%d.%d", 64+os.Getpid()%128, networks.Add(1))
	n.secrets()
	return n
}

// secrets makes what docs/kubernetes.md tells people to make, by the same commands.
func (n *node) secrets() {
	t := n.t
	write := func(secret, key string, text []byte) {
		dir := filepath.Join(n.dir, "secrets", secret)
		require.NoError(t, os.MkdirAll(dir, 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(dir, key), text, 0o600))
	}
	names := []string{"localhost"}
	for _, s := range services() {
		names = append(names, "dibrain-"+s)
	}
	cert, key, ca := certificates(t, names)
	write("dibrain-tls", "tls.crt", cert)
	write("dibrain-tls", "tls.key", key)
	write("dibrain-tls", "ca.crt", ca)
	secret := make([]byte, 32)
	_, err := rand.Read(secret)
	require.NoError(t, err)
	hop := filepath.Join(n.dir, "hop.key")
	require.NoError(t, os.WriteFile(hop, []byte(base64.StdEncoding.EncodeToString(secret)), 0o600))
	for _, s := range services() {
		keys, err := n.tool("config", "hop-keys", "--target", s)
		require.NoError(t, err)
		write("dibrain-hop", s+".yaml", []byte(keys))
	}
	entry, token, err := n.both("config", "new-token", "--principal", "alice")
	require.NoError(t, err)
	write("dibrain-tokens", "tokens.yaml", []byte("tokens:\n"+entry))
	for _, word := range strings.Fields(token) {
		if strings.HasPrefix(word, "dib_") {
			n.token = word
		}
	}
	require.NotEmpty(t, n.token, token)
	write("dibrain-check", "token", []byte(n.token))
	if os.Getenv("DIBRAIN_TEST_POSTGRES") != "" {
		write("dibrain-postgres", "dsn", []byte(postgrestest.DSN(t)))
	}
}

// tool runs the program on this machine, as an operator does.
func (n *node) tool(args ...string) (string, error) {
	out, _, err := n.both(args...)
	return out, err
}

func (n *node) both(args ...string) (out, errs string, err error) {
	cmd := exec.Command(filepath.Join(n.image, "usr/local/bin/dibrain"), args...)
	cmd.Env = []string{"HOME=" + n.dir, "PATH=" + os.Getenv("PATH"), "DIBRAIN_DATA_DIR=" + filepath.Join(n.dir, "operator"), "DIBRAIN_AUTH_HOP_KEY_FILE=" + filepath.Join(n.dir, "hop.key")}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// certificates are one for all names, and its authority.
func certificates(t *testing.T, names []string) (cert, key, ca []byte) {
	t.Helper()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	caDER, err := x509.CreateCertificate(rand.Reader, authority, authority, caKey.Public(), caKey)
	require.NoError(t, err)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "dibrain"}, DNSNames: names,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, authority, leafKey.Public(), caKey)
	require.NoError(t, err)
	keyDER, err := x509.MarshalECPrivateKey(leafKey)
	require.NoError(t, err)
	encode := func(kind string, der []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	return encode("CERTIFICATE", leafDER), encode("EC PRIVATE KEY", keyDER), encode("CERTIFICATE", caDER)
}

// schedule gives a Deployment's pods addresses; they get into the names of the cluster.
func (n *node) schedule(d object, replicas int) (pods []*pod) {
	for range replicas {
		p := &pod{
			name: fmt.Sprintf("%s-%d", d.Metadata.Name, len(n.pods)), of: d,
			address: fmt.Sprintf("%s.%d", n.network, len(n.pods)+1),
		}
		n.pods = append(n.pods, p)
		pods = append(pods, p)
	}
	return pods
}

// names writes what the cluster's DNS says: a headless Service's name has its pods' addresses.
func (n *node) names(of ...*pod) string {
	var text strings.Builder
	text.WriteString("127.0.0.1 localhost\n")
	for _, p := range of {
		fmt.Fprintf(&text, "%s %s\n", p.address, p.of.Metadata.Name)
	}
	file := filepath.Join(n.dir, "hosts")
	require.NoError(n.t, os.WriteFile(file, []byte(text.String()), 0o600)) // in place: it is mounted
	return file
}

// volume is the folder of a pod's volume.
func (n *node) volume(name string, v volume) string {
	t := n.t
	var dir string
	switch {
	case v.ConfigMap != nil:
		dir = filepath.Join(n.dir, "configs", v.ConfigMap.Name)
		require.NoError(t, os.MkdirAll(dir, 0o750))
		for key, text := range n.o.the(t, "ConfigMap", v.ConfigMap.Name).Data {
			require.NoError(t, os.WriteFile(filepath.Join(dir, key), []byte(text), 0o600))
		}
	case v.Secret != nil && len(v.Secret.Items) > 0:
		dir = filepath.Join(n.dir, "mounts", name, v.Name)
		require.NoError(t, os.MkdirAll(dir, 0o750))
		for _, item := range v.Secret.Items {
			text, err := os.ReadFile(filepath.Join(n.dir, "secrets", v.Secret.SecretName, item.Key))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, item.Path), text, 0o600))
		}
	case v.Secret != nil:
		dir = filepath.Join(n.dir, "secrets", v.Secret.SecretName)
		require.DirExists(t, dir, "the page on Kubernetes does not tell to make this secret")
	case v.Claim != nil:
		dir = filepath.Join(n.dir, "claims", v.Claim.ClaimName)
	case v.EmptyDir != nil:
		dir = filepath.Join(n.dir, "empty", name, v.Name)
	default:
		require.Failf(t, "a volume of a kind that is not known", "%s: %s", name, v.Name)
	}
	require.NoError(t, os.MkdirAll(dir, 0o750))
	return dir
}

// command is what a container runtime makes of a container: a root file system that cannot
// be written, with the volumes in it.
func (n *node) command(ctx context.Context, name string, s podSpec, env []string) *exec.Cmd {
	t := n.t
	c := s.Containers[0]
	require.Empty(t, c.Command, "the image's entry point runs")
	root := filepath.Join(n.dir, "roots", name)
	require.NoError(t, os.MkdirAll(filepath.Dir(root), 0o750))
	if _, err := os.Stat(root); err != nil {
		out, err := exec.Command("cp", "-al", n.image, root).CombinedOutput()
		if err != nil { // another file system
			require.NoError(t, os.RemoveAll(root))
			out, err = exec.Command("cp", "-a", n.image, root).CombinedOutput()
		}
		require.NoError(t, err, "%s", out)
	}
	script := []string{"set -e", "mount --bind " + root + " " + root}
	mounts := slices.Clone(c.VolumeMounts)
	slices.SortStableFunc(mounts, func(a, b mount) int { // as runtimes do: what is within comes later
		return strings.Count(a.MountPath, "/") - strings.Count(b.MountPath, "/")
	})
	var after []string
	for _, m := range mounts {
		at := slices.IndexFunc(s.Volumes, func(v volume) bool { return v.Name == m.Name })
		require.GreaterOrEqual(t, at, 0, "%s: there is no volume %s", name, m.Name)
		from := filepath.Join(n.volume(name, s.Volumes[at]), m.SubPath)
		require.NoError(t, os.MkdirAll(from, 0o750))
		to := filepath.Join(root, m.MountPath)
		require.NoError(t, os.MkdirAll(to, 0o750))
		after = append(after, "mkdir -p "+to, "mount --bind "+from+" "+to)
		if m.ReadOnly {
			after = append(after, "mount -o remount,bind,ro "+to)
		}
	}
	for _, dir := range []string{"proc", "dev"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o750))
		after = append(after, "mount --rbind /"+dir+" "+filepath.Join(root, dir))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "etc/hosts"), nil, 0o600))
	after = append(after, "mount --bind "+filepath.Join(n.dir, "hosts")+" "+filepath.Join(root, "etc/hosts"))
	if c.SecurityContext["readOnlyRootFilesystem"] == true {
		script = append(script, "mount -o remount,bind,ro "+root)
	}
	script = append(script, after...)
	script = append(script, `exec chroot `+root+` /usr/local/bin/dibrain "$@"`)
	args := append([]string{"--user", "--map-root-user", "--mount", "sh", "-c", strings.Join(script, "\n"), "dibrain"}, c.Args...)
	cmd := exec.CommandContext(ctx, "unshare", args...)
	cmd.Env = append([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DIBRAIN_DATA_DIR=/var/lib/dibrain", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"}, env...)
	return cmd
}

// start starts pods and waits until their probes say that they are ready.
func (n *node) start(pods ...*pod) {
	t := n.t
	for _, p := range pods {
		env := append(environment(t, n.o, p.of), "DIBRAIN_LISTEN="+p.address+":7070", "DIBRAIN_ADMIN_LISTEN="+p.address+":7071")
		p.log, p.exited = &lockedBuffer{}, make(chan struct{})
		p.cmd = n.command(context.Background(), p.name, p.of.Spec.Template.Spec, env)
		p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
		require.NoError(t, p.cmd.Start())
		cmd, exited := p.cmd, p.exited
		go func() {
			_ = cmd.Wait()
			close(exited)
		}()
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			<-exited
		})
	}
	for _, p := range pods {
		n.ready(p)
	}
}

// ready waits for the readiness probe, as a kubelet does.
func (n *node) ready(p *pod) {
	t := n.t
	c := p.of.Spec.Template.Spec.Containers[0]
	require.Eventually(t, func() bool {
		select {
		case <-p.exited:
			t.Fatalf("%s ended before it was ready:\n%s", p.name, p.log)
		default:
		}
		return probes(t, p.address, c.ReadinessProbe) == healthv1.HealthCheckResponse_SERVING
	}, 2*time.Minute, 20*time.Millisecond, "%s did not become ready:\n%s", p.name, p.log)
	require.Equal(t, healthv1.HealthCheckResponse_SERVING, probes(t, p.address, c.LivenessProbe))
}

// probes asks as a kubelet does: without TLS, by gRPC health.
func probes(t *testing.T, address string, p probe) healthv1.HealthCheckResponse_ServingStatus {
	t.Helper()
	conn, err := grpc.NewClient(net.JoinHostPort(address, fmt.Sprint(p.GRPC.Port)), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	response, err := healthv1.NewHealthClient(conn).Check(ctx, &healthv1.HealthCheckRequest{Service: p.GRPC.Service})
	if err != nil {
		return healthv1.HealthCheckResponse_UNKNOWN
	}
	return response.GetStatus()
}

// check runs the job that asks a question, with another question where one is given.
func (n *node) check(question string) (string, error) {
	text, err := kustomize(filepath.Join(manifest, "check"))
	require.NoError(n.t, err)
	jobs, err := read(text)
	require.NoError(n.t, err)
	s := jobs.the(n.t, "Job", "dibrain-check").Spec.Template.Spec
	c := s.Containers[0]
	if question != "" {
		s.Containers[0].Args[len(c.Args)-1] = question
	}
	require.Equal(n.t, "dibrain-check", c.Env[0].ValueFrom.SecretKeyRef.Name)
	ctx, cancel := context.WithTimeout(n.t.Context(), 2*time.Minute)
	defer cancel()
	out, err := n.command(ctx, "dibrain-check", s, []string{c.Env[0].Name + "=" + n.token}).CombinedOutput()
	return string(out), err
}

// TestPodsAnswerAsProcesses starts every pod of an overlay as the kubelet would, with the
// image's files and nothing else, and asks a question by the job that people check with.
func TestPodsAnswerAsProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts eight processes")
	}
	t.Parallel()
	n := newNode(t, render(t, "dev"))
	for _, d := range n.o.of("Deployment") {
		n.schedule(d, *d.Spec.Replicas)
	}
	n.names(n.pods...)
	began := time.Now()
	n.start(n.pods...)
	t.Logf("%d pods ready after %s", len(n.pods), time.Since(began).Round(time.Millisecond))

	out, err := n.check("What was the GMV in Singapore yesterday?")
	require.NoError(t, err, "%s\n%s", out, n.logs())
	require.Contains(t, out, "GMV")
	out, err = n.check("")
	require.NoError(t, err, "%s\n%s", out, n.logs())
	require.Contains(t, out, "order", "the check's own question")
	for _, p := range n.pods {
		t.Logf("%s: %s", p.name, memory(p.cmd.Process.Pid))
	}

	// A caller without a token is told so, and nothing else.
	n.token = "dib_none"
	out, err = n.check("What was the GMV in Singapore yesterday?")
	require.Error(t, err)
	require.NotContains(t, out, "GMV")

	for _, p := range n.pods {
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	}
	for _, p := range n.pods {
		select {
		case <-p.exited:
			assert.Zero(t, p.cmd.ProcessState.ExitCode(), "%s\n%s", p.name, p.log)
		case <-time.After(time.Minute):
			t.Fatalf("%s does not end:\n%s", p.name, p.log)
		}
	}
}

func (n *node) logs() string {
	var text strings.Builder
	for _, p := range n.pods {
		lines := strings.Split(strings.TrimSpace(p.log.String()), "\n")
		fmt.Fprintf(&text, "--- %s\n%s\n", p.name, strings.Join(lines[max(0, len(lines)-8):], "\n"))
	}
	return text.String()
}

// memory is what a process has had at most, and has of its own.
func memory(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return err.Error()
	}
	var said []string
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); name == "VmHWM" || name == "RssAnon" {
			said = append(said, name+" "+strings.TrimSpace(value))
		}
	}
	return strings.Join(said, ", ")
}
