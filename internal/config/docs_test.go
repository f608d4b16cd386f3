package config

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/configuration.md anew")

const (
	modulePath = "github.com/dibrain/dibrain/"
	root       = "../.."
)

// comments finds the comments of struct fields in the source of their packages.
type comments map[string]map[string]string // package path -> "Type.Field" -> text

func (c comments) of(t *testing.T, owner reflect.Type, field string) string {
	t.Helper()
	pkg := owner.PkgPath()
	if c[pkg] == nil {
		c[pkg] = make(map[string]string)
		dir := filepath.Join(root, strings.TrimPrefix(pkg, modulePath))
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, dir)
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					c.note(pkg, spec)
				}
				return true
			})
		}
	}
	return c[pkg][owner.Name()+"."+field]
}

// note keeps the comments of a struct; a field without one shares that of the
// field before it, as "MaxRows and MaxBytes of one result".
func (c comments) note(pkg string, spec *ast.TypeSpec) {
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	last := ""
	for _, f := range structure.Fields.List {
		text := strings.Join(strings.Fields(f.Doc.Text()), " ")
		if text == "" {
			text = strings.Join(strings.Fields(f.Comment.Text()), " ")
		}
		if text == "" {
			text = last
		}
		last = text
		for _, name := range f.Names {
			c[pkg][spec.Name.Name+"."+name.Name] = text
		}
	}
}

func reference(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Configuration

<!-- Made by go test ./internal/config -update from the comments of the structs. -->

Values come from, the later over the earlier: defaults; a YAML file (` + "`--config`, `DIBRAIN_CONFIG`" + `, else
` + "`dibrain/config.yaml`" + ` in the XDG configuration home); variables; flags. A key is written
as nested YAML (` + "`auth: {mode: token}`" + `) or as a variable (` + "`DIBRAIN_AUTH_MODE=token`" + `). Unknown
keys are errors. ` + "`dibrain config print`" + ` shows what is in force and where it comes from;
` + "`dibrain serve --target=… --verify-config`" + ` checks it and starts nothing.

Tracing follows the standard ` + "`OTEL_*`" + ` variables and is off without them.
`)
	found, section := make(comments), "-"
	for _, f := range Default().Fields() {
		name, _, nested := strings.Cut(f.Key, ".")
		if !nested {
			name = ""
		}
		if name != section {
			section = name
			title := "General"
			if name != "" {
				title = "`" + name + "`"
			}
			fmt.Fprintf(&b, "\n## %s\n\n| Key | Default | Meaning |\n|---|---|---|\n", title)
		}
		text := found.of(t, f.owner, f.name)
		require.NotEmpty(t, text, "%s has no comment on %s.%s", f.Key, f.owner, f.name)
		value := f.Text()
		if value != "" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Key, value, strings.ReplaceAll(text, "|", `\|`))
	}
	return b.String()
}

func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(root, "docs", "configuration.md")
	want := reference(t)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, want == string(got), "docs/configuration.md is stale; run: go test ./internal/config -update")
}

func TestVariablesOfKeysDiffer(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	for _, f := range Default().Fields() {
		require.Empty(t, seen[EnvName(f.Key)], f.Key)
		seen[EnvName(f.Key)] = f.Key
	}
}
