// Package layers holds the test of what may import what.
package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/dibrain/dibrain/"

// rule forbids packages to import others. Paths are relative to the module; a
// trailing "/..." covers what is below, a leading "*" of an element any text.
type rule struct {
	from   []string
	not    []string
	except []string // packages of from that may
	why    string
}

// rules are the layers: cmd -> internal -> services -> pkg, and gen at the edges.
var rules = []rule{
	{
		from: []string{"pkg/..."}, not: []string{"services/...", "internal/...", "cmd/..."},
		why: "pkg packages are libraries: they do not know who uses them",
	},
	{
		from: []string{"services/..."}, not: []string{"internal/...", "cmd/..."},
		why: "services are put together by internal/app; they do not know the process",
	},
	{
		from: []string{"internal/..."}, not: []string{"cmd/..."},
		why: "cmd is the outermost layer",
	},
	{
		from: []string{"cmd/..."}, not: []string{"pkg/...", "services/...", "gen/..."},
		why: "main builds the command and runs it, nothing else",
	},
	{
		from: []string{"pkg/..."}, not: []string{"gen/..."},
		except: []string{"pkg/*/*pb", "pkg/*/*rpc", "pkg/rpc"},
		why:    "generated types stay at the edge: translate in a package named …pb, call in one named …rpc",
	},
	{
		from: []string{"gen/..."}, not: []string{"pkg/...", "services/...", "internal/...", "cmd/..."},
		why: "generated code depends on generated code only",
	},
	{
		from: []string{"pkg/...", "services/...", "internal/...", "cmd/dibrain"}, not: []string{"internal/eval", "internal/lab", "services/text2sql/rank/train", "services/text2sql/parse/learn"},
		except: []string{"internal/eval", "internal/lab", "services/text2sql/rank/train", "services/text2sql/parse/learn"},
		why:    "what measures the product and fits its models is no part of it: cmd/dibrain-lab has it",
	},
	{
		from: []string{"pkg/...", "services/...", "internal/...", "cmd/..."}, not: []string{"test/..."},
		why: "the product does not depend on its tests",
	},
}

// transport are packages that the sub-packages of a service leave to service.go.
var transport = rule{
	from: []string{"services/*/*", "services/*/*/..."}, not: []string{"gen/..."},
	// The router's tools are the calls of other services, with schemas derived
	// from their protos.
	except: []string{"services/router/tools"},
	why:    "stages of a service are free of transport: service.go translates",
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestLayers(t *testing.T) {
	t.Parallel()
	packages := list(t)
	require.NotEmpty(t, packages)
	for _, p := range packages {
		for _, r := range append([]rule{transport}, rules...) {
			for _, imported := range r.broken(p) {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, r.why)
			}
		}
		for _, imported := range otherServices(p) {
			t.Errorf("%s imports %s: a service calls another one through its gRPC client", p.ImportPath, imported)
		}
	}
}

func TestRulesBite(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from, imports string
		broken        bool
	}{
		{"pkg/run", "services/router", true},
		{"pkg/run", "gen/dibrain/common/v1", true},
		{"pkg/run/runpb", "gen/dibrain/common/v1", false},
		{"pkg/sql/lineage", "internal/app", true},
		{"services/router", "gen/dibrain/router/v1", false},
		{"services/router/decide", "gen/dibrain/router/v1", true},
		{"services/router", "services/findata", true},
		{"services/router", "services/router/decide", false},
		{"services/router", "internal/config", true},
		{"internal/app", "services/router", false},
		{"internal/app", "gen/dibrain/router/v1", false},
		{"cmd/dibrain", "internal/cli", false},
		{"cmd/dibrain", "pkg/run", true},
	} {
		p := pkg{ImportPath: tc.from, Imports: []string{modulePath + tc.imports}}
		found := otherServices(p)
		for _, r := range append([]rule{transport}, rules...) {
			found = append(found, r.broken(p)...)
		}
		require.Equal(t, tc.broken, len(found) > 0, "%s -> %s", tc.from, tc.imports)
	}
}

func (r rule) broken(p pkg) []string {
	if !matches(r.from, p.ImportPath) || matches(r.except, p.ImportPath) {
		return nil
	}
	var found []string
	for _, imported := range p.Imports {
		if inside, ok := strings.CutPrefix(imported, modulePath); ok && matches(r.not, inside) {
			found = append(found, inside)
		}
	}
	return found
}

func otherServices(p pkg) []string {
	own := serviceOf(p.ImportPath)
	if own == "" {
		return nil
	}
	var found []string
	for _, imported := range p.Imports {
		inside, ok := strings.CutPrefix(imported, modulePath)
		if other := serviceOf(inside); ok && other != "" && other != own {
			found = append(found, inside)
		}
	}
	return found
}

func serviceOf(path string) string {
	rest, ok := strings.CutPrefix(path, "services/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func matches(patterns []string, path string) bool {
	for _, pattern := range patterns {
		if match(strings.Split(pattern, "/"), strings.Split(path, "/")) {
			return true
		}
	}
	return false
}

func match(pattern, path []string) bool {
	for i, part := range pattern {
		if part == "..." {
			return true
		}
		if i >= len(path) || !matchPart(part, path[i]) {
			return false
		}
	}
	return len(pattern) == len(path)
}

// matchPart understands one leading "*".
func matchPart(pattern, part string) bool {
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasSuffix(part, suffix)
	}
	return pattern == part
}

// list asks the go command for the packages of the module, without their tests.
func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var packages []pkg
	for dec := json.NewDecoder(out); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		p.ImportPath = strings.TrimPrefix(p.ImportPath, modulePath)
		packages = append(packages, p)
	}
	require.NoError(t, cmd.Wait())
	return packages
}
