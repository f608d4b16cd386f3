package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// verdict of a check.
type verdict int

const (
	good verdict = iota
	remark
	bad
)

// finding is what a check found, and what to do about it.
type finding struct {
	verdict verdict
	what    string // what was looked at
	found   string
	advice  string // empty when there is nothing to do
}

func newDoctorCommand(f *Factory) *cobra.Command {
	var (
		asJSON bool
		target string
		only   string
		bundle string
	)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check data directory, stores, sources, layers, policy, search, model, ports and config, and say what to do",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			targets, err := app.ParseTargets(target)
			if err != nil {
				return err
			}
			if only != "" {
				store, err := openStore(f)
				if err != nil {
					return err
				}
				if _, err := store.Current(only); fault.ReasonOf(err) == source.ReasonUnknown {
					return err // what else is wrong with it is a finding
				}
			}
			if bundle != "" {
				var findings bytes.Buffer
				checked := doctorJSON(cmd.Context(), &findings, f, targets, only)
				if err := writeBundle(cmd.Context(), f, bundle, findings.String()); err != nil {
					return err
				}
				if _, err := fmt.Fprintf(f.IO.Out, "%s: for whoever helps you; look through it before you send it\n", bundle); err != nil {
					return err
				}
				return checked
			}
			if asJSON {
				return doctorJSON(cmd.Context(), f.IO.Out, f, targets, only)
			}
			return runDoctor(cmd.Context(), f, targets, only, func(found finding) { printFinding(f, found) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON, when all are there")
	cmd.Flags().StringVar(&bundle, "bundle", "", "write the findings, the configuration, versions and a running server's state to this zip file, with secrets taken out")
	cmd.Flags().StringVar(&only, "source", "", "look at this source alone, beside what is no source's (default: all sources)")
	cmd.Flags().StringVar(&target, "target", app.All, "services that the configuration is for, as serve takes them")
	return cmd
}

func printFinding(f *Factory, found finding) {
	mark := f.style().Good("ok  ")
	switch found.verdict {
	case remark:
		mark = f.style().Warn("note")
	case bad:
		mark = f.style().Bad("bad ")
	}
	fmt.Fprintf(f.IO.Out, "%s  %-16s %s\n", mark, found.what, found.found)
	if found.advice != "" {
		fmt.Fprintf(f.IO.Out, "%24s→ %s\n", "", found.advice)
	}
}

func doctorJSON(ctx context.Context, out io.Writer, f *Factory, targets []string, only string) error {
	type line struct {
		Check   string `json:"check"`
		Verdict string `json:"verdict"` // ok, note or bad
		Found   string `json:"found"`
		Advice  string `json:"advice,omitempty"`
	}
	var findings []line
	err := runDoctor(ctx, f, targets, only, func(found finding) {
		verdict := map[verdict]string{good: "ok", remark: "note", bad: "bad"}[found.verdict]
		findings = append(findings, line{found.what, verdict, found.found, found.advice})
	})
	written := writeOwnJSON(out, struct {
		Healthy  bool   `json:"healthy"`
		Findings []line `json:"findings"`
	}{err == nil, findings})
	return errors.Join(err, written)
}

// runDoctor tells each finding as it is made; the error is for those that are bad. only is
// the one source to look at; empty: all are.
func runDoctor(ctx context.Context, f *Factory, targets []string, only string, tell func(finding)) error {
	unhealthy := false
	report := func(found finding) {
		unhealthy = unhealthy || found.verdict == bad
		tell(found)
	}
	report(finding{what: "version", found: fmt.Sprintf("%s, %s, %s/%s", f.Build.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)})
	cfg, err := f.Config()
	if err != nil {
		for _, found := range mistakes(err) {
			report(found)
		}
		return exitWith(exitFailure)
	}
	for _, found := range checkConfig(ctx, *cfg, targets) {
		report(found)
	}
	of := sourceChecks{f, only}
	for _, check := range []func(context.Context, *config.Config) []finding{checkDataDir, of.checkSources, checkStore, checkResults, checkPorts, checkServing, checkIdentity, checkPolicy, checkUnknownCost, of.checkCorrections, of.checkLayers, checkSearch, checkModel, f.checkPython} {
		for _, found := range check(ctx, cfg) {
			report(found)
		}
	}
	if unhealthy {
		return exitWith(exitFailure)
	}
	return nil
}

// checkConfig is what serve --verify-config checks, with a finding for each mistake.
func checkConfig(ctx context.Context, cfg config.Config, targets []string) []finding {
	if err := app.Verify(ctx, cfg, targets); err != nil {
		return mistakes(err)
	}
	return []finding{{good, "configuration", "valid for target " + strings.Join(targets, ","), ""}}
}

// mistakes makes a finding of each error that is joined in err.
func mistakes(err error) []finding {
	errs := []error{err}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		errs = joined.Unwrap()
	}
	found := make([]finding, 0, len(errs))
	for _, e := range errs {
		found = append(found, finding{bad, "configuration", fault.OperatorText(e), "docs/configuration.md has every key and its values"})
	}
	return found
}

func checkDataDir(_ context.Context, cfg *config.Config) []finding {
	what := "data directory"
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return []finding{{bad, what, err.Error(), "make it writable, or choose another with --data-dir"}}
	}
	probe, err := os.CreateTemp(cfg.DataDir, ".doctor-*")
	if err != nil {
		return []finding{{bad, what, err.Error(), "make it writable, or choose another with --data-dir"}}
	}
	name := probe.Name()
	if err := errors.Join(probe.Close(), os.Remove(name)); err != nil {
		return []finding{{bad, what, err.Error(), "check the file system"}}
	}
	var bytes int64
	err = filepath.WalkDir(cfg.DataDir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		return []finding{{remark, what, err.Error(), "check its permissions"}}
	}
	return []finding{{good, what, fmt.Sprintf("%s, writable, %.1f MB", cfg.DataDir, float64(bytes)/1e6), ""}}
}

// sourceChecks are the checks that look at each source, or at one.
type sourceChecks struct {
	*Factory
	only string // empty: all
}

// names of the sources that are looked at.
func (s sourceChecks) names(store *source.Store) ([]string, error) {
	if s.only != "" {
		return []string{s.only}, nil
	}
	return store.Names()
}

func (s sourceChecks) checkSources(ctx context.Context, cfg *config.Config) []finding {
	store, err := source.Open(cfg.DataDir)
	if err != nil {
		return []finding{{bad, "sources", fault.OperatorText(err), ""}}
	}
	names, err := s.names(store)
	if err != nil {
		return []finding{{bad, "sources", fault.OperatorText(err), ""}}
	}
	if len(names) == 0 {
		return []finding{{remark, "sources", "none yet", `"dibrain ask" makes the demo, "dibrain ingest" brings your own data`}}
	}
	var found []finding
	for _, name := range names {
		found = append(found, s.checkSource(ctx, store, name))
	}
	return found
}

// engineDeadline bounds opening one source's engine.
const engineDeadline = 10 * time.Second

func (f *Factory) checkSource(ctx context.Context, store *source.Store, name string) finding {
	what := "source " + name
	generation, err := store.Current(name)
	if err != nil {
		return finding{bad, what, fault.OperatorText(err), ""}
	}
	snapshot, err := generation.Snapshot()
	if err != nil {
		return finding{bad, what, fault.OperatorText(err), ""}
	}
	ctx, cancel := context.WithTimeout(ctx, engineDeadline)
	defer cancel()
	start := time.Now()
	if generation.Engine == source.EngineTrino {
		said := plural(len(snapshot.Tables), "table", "tables")
		for _, cluster := range generation.Trino.ClusterNames() {
			took, nodes, err := askTrino(ctx, generation, cluster)
			if err != nil {
				text := fault.OperatorText(err)
				if len(generation.Trino.Clusters) > 0 {
					text = cmp.Or(cluster, source.MainCluster) + ": " + text
				}
				return finding{bad, what, text, "ingest it again when the server can be asked: docs/trino.md"}
			}
			said += fmt.Sprintf(", on %s, answers in %d ms", generation.Trino.At(cluster).URL, took.Milliseconds()) + nodesInWords(nodes)
		}
		return finding{good, what, said, ""}
	}
	if generation.Engine == source.EngineNone {
		return finding{good, what, plural(len(snapshot.Tables), "table", "tables") + ", described only: found and explained, nothing runs on them", ""}
	}
	engine, err := duckdb.Open(ctx, duckdb.Config{
		Launcher: f.launcher(), Databases: generation.DatabasePaths(), DefaultRegion: generation.Manifest.DefaultRegion, DefaultSchema: generation.Manifest.DefaultSchema,
	})
	if err != nil {
		return finding{bad, what, fault.OperatorText(err), "bring the source in again"}
	}
	took := time.Since(start)
	if err := engine.Close(); err != nil {
		return finding{bad, what, err.Error(), ""}
	}
	return finding{good, what, fmt.Sprintf("%s, opens in %d ms", plural(len(snapshot.Tables), "table", "tables"), took.Milliseconds()), ""}
}

// nodesInWords says how many workers a cluster has; of one node there is nothing to say.
func nodesInWords(n trino.Nodes) string {
	if n.Active+n.Other == 0 {
		return ""
	}
	words := "; " + plural(n.Active, "worker is active", "workers are active")
	if n.Other > 0 {
		words += ", " + plural(n.Other, "other takes no work", "others take no work")
	}
	return words
}

// askTrino asks a server of a source for its catalogs, as the service's user, and how long
// that takes; then for its workers, where the user may know them.
func askTrino(ctx context.Context, g *source.Generation, cluster string) (took time.Duration, nodes trino.Nodes, err error) {
	cfg := trino.ConfigOf(g)
	cfg.Log = slog.New(slog.DiscardHandler) // the answer is the finding
	cfg.Connection = cfg.Connection.At(cluster)
	cfg.Connection.Regions = map[string]source.TrinoPlace{"system": {Catalog: "system"}}
	start := time.Now()
	engine, err := trino.Open(ctx, cfg)
	if err != nil {
		return 0, trino.Nodes{}, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	rows, err := engine.Metadata(ctx, run.Principal{}, meta.Catalogs(), warehouse.Options{Timeout: engineDeadline, Tag: "doctor"})
	if err != nil {
		return 0, trino.Nodes{}, err
	}
	took = time.Since(start)
	if err := rows.Close(); err != nil {
		return 0, trino.Nodes{}, err
	}
	nodes, _ = engine.Nodes(ctx) // who may not read them is told nothing of them
	return took, nodes, nil
}

func checkPorts(ctx context.Context, cfg *config.Config) []finding {
	var found []finding
	for _, port := range []struct{ what, address string }{{"gRPC port", cfg.Listen}, {"admin port", cfg.Admin.Listen}} {
		if port.address == "" {
			continue
		}
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", port.address)
		if err != nil {
			found = append(found, finding{remark, port.what, fmt.Sprintf("%s is taken (%v)", port.address, err), "fine if that is your running dibrain; else choose another address, see docs/configuration.md"})
			continue
		}
		_ = listener.Close()
		found = append(found, finding{good, port.what, port.address + " is free", ""})
	}
	return found
}

// maxComplaint bounds what is read of a running server's readiness.
const maxComplaint = 4 << 10

// checkServing asks the server that runs on the admin port, if one does, what is
// wrong with it.
func checkServing(ctx context.Context, cfg *config.Config) []finding {
	if cfg.Admin.Listen == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, engineDeadline)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+cfg.Admin.Listen+"/readyz", nil)
	if err != nil {
		return nil
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil // no server runs there, which is no complaint
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxComplaint))
	if err != nil {
		return nil
	}
	word, complaints, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if word != "ready" && word != "not ready" {
		return nil // another program listens there; checkPorts tells of it
	}
	var found []finding
	for line := range strings.Lines(complaints) {
		found = append(found, finding{bad, "running server", strings.TrimSpace(line), "see the server's log; start it again when the cause is gone"})
	}
	return found
}

func checkIdentity(ctx context.Context, cfg *config.Config) []finding {
	if cfg.Auth.Mode == "local" {
		return []finding{{good, "identity", "mode local: everybody is this machine's user, loopback only", ""}}
	}
	if cfg.Auth.Mode == string(auth.ModeServices) {
		return []finding{{good, "identity", "mode services: other services of the deployment only", ""}}
	}
	if cfg.Auth.Mode == string(auth.ModeOIDC) {
		signIn, err := auth.OpenOIDC(cfg.Auth.OIDC.Edge(nil), nil)
		if err == nil {
			err = signIn.State(ctx)
		}
		if err != nil {
			return []finding{{bad, "identity", fault.OperatorText(err), "see auth.oidc, and whether the issuer can be reached from here"}}
		}
		return []finding{{good, "identity", "mode oidc: " + cfg.Auth.OIDC.Issuer, ""}}
	}
	if cfg.Auth.TokenFile == "" {
		return []finding{{good, "identity", "mode token: those of dibrain token create", ""}}
	}
	if _, err := auth.OpenTokenFile(cfg.Auth.TokenFile, auth.TokenOptions{}); err != nil {
		return []finding{{bad, "identity", err.Error(), "make an entry with: dibrain config new-token"}}
	}
	return []finding{{good, "identity", "mode token: " + cfg.Auth.TokenFile, ""}}
}
