package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// executeSemantic runs "semantic" in a data directory without sources.
func executeSemantic(t *testing.T, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	dir := t.TempDir()
	f := &Factory{
		IO:      &IO{In: strings.NewReader(""), Out: &out, Err: &errs, Width: func() int { return 80 }},
		Environ: []string{"XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir},
		Getenv:  func(string) string { return "" },
		Clock:   func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
	}
	code := Main(t.Context(), f, append([]string{"semantic"}, args...))
	return result{code: code, out: out.String(), err: errs.String()}
}

const (
	goodLayer = "metrics:\n  - {id: sales, names: {en: sales, zh: 销售额}, table: shop.orders, expr: SUM(amount), time: day}\n"
	badLayer  = "metrics:\n  - {id: sales, names: {en: sales}, table: shop.orders, expr: SUM(amount}\n"
	twoNames  = goodLayer + "  - {id: turnover, names: {en: Sales}, table: shop.orders, expr: SUM(amount), time: day}\n"
)

func TestSemanticCheck(t *testing.T) {
	t.Parallel()
	good, bad, doubtful := writeSQL(t, map[string]string{"a.yaml": goodLayer}), writeSQL(t, map[string]string{"a.yaml": badLayer}), writeSQL(t, map[string]string{"a.yaml": twoNames})
	for name, c := range map[string]struct {
		args []string
		code int
		out  string
	}{
		"valid":           {[]string{good}, 0, ""},
		"mistakes":        {[]string{bad}, 1, "a.yaml:2: "},
		"warnings":        {[]string{doubtful}, 0, "a.yaml:3: warning: "},
		"strict":          {[]string{doubtful, "--strict"}, 1, "warning"},
		"JSON":            {[]string{good, "--json"}, 0, `"problems": []`},
		"no folder":       {[]string{filepath.Join(good, "none")}, 2, ""},
		"a file":          {[]string{filepath.Join(good, "a.yaml")}, 2, ""},
		"unknown source":  {[]string{good, "--source", "nowhere"}, 2, ""},
		"nothing to look": {nil, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := executeSemantic(t, append([]string{"check"}, c.args...)...)
			require.Equal(t, c.code, got.code, got.out+got.err)
			require.Contains(t, got.out, c.out)
		})
	}
	var report checkReport
	require.NoError(t, json.Unmarshal([]byte(executeSemantic(t, "check", "--json", bad).out), &report))
	require.False(t, report.Valid)
	require.Equal(t, 2, report.Problems[0].Line)
}

func TestSemanticShow(t *testing.T) {
	t.Parallel()
	good := writeSQL(t, map[string]string{"a.yaml": goodLayer})
	got := executeSemantic(t, "show", "sales", "--folder", good)
	require.Equal(t, "sales\nIt is SUM(amount) of table shop.orders. Dates are compared with day.\n\nSELECT\n  day AS time,\n  SUM(amount) AS sales\nFROM shop.orders\nGROUP BY day\nORDER BY time\n", got.out)
	require.Contains(t, executeSemantic(t, "show", "sales", "--folder", good, "--lang", "zh").out, "销售额\n取自表 shop.orders")
	require.Contains(t, executeSemantic(t, "show", "--folder", good).out, "sales")
	require.Contains(t, executeSemantic(t, "show", "sales", "--folder", good, "--json").out, `"sql": "SELECT`)
	require.NotContains(t, executeSemantic(t, "show", "--folder", good, "--mart", "Other", "--json").out, "sales")
	require.Equal(t, 2, executeSemantic(t, "show", "gmv", "--folder", good).code)
	require.Equal(t, 2, executeSemantic(t, "show", "sales", "--folder", good, "--lang", "fr").code)
	require.Contains(t, executeSemantic(t, "show", "--folder", writeSQL(t, map[string]string{"a.yaml": badLayer})).err, "a.yaml:2: ")
}

func TestSemanticDiff(t *testing.T) {
	t.Parallel()
	before := writeSQL(t, map[string]string{"a.yaml": goodLayer})
	after := writeSQL(t, map[string]string{"a.yaml": strings.Replace(goodLayer, "SUM(amount)", "SUM(paid)", 1)})
	got := executeSemantic(t, "diff", before, after)
	require.Equal(t, "changed metric sales, expr   (answers change)\n  - SUM(amount)\n  + SUM(paid)\n", got.out)
	require.Equal(t, 0, got.code)
	require.Equal(t, 1, executeSemantic(t, "diff", before, after, "--exit-code").code)
	require.Empty(t, executeSemantic(t, "diff", before, before, "--exit-code").out)
	require.Contains(t, executeSemantic(t, "diff", before, after, "--json").out, `"numbers": true`)
	require.Equal(t, 2, executeSemantic(t, "diff", before, filepath.Join(after, "none")).code)
}

func TestSemanticDiffOfRevisions(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", repo, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	layer := filepath.Join(repo, "layers", "shop")
	file := filepath.Join(layer, "orders", "a.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
	require.NoError(t, os.WriteFile(file, []byte(goodLayer), 0o600))
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	require.NoError(t, os.WriteFile(file, []byte(twoNames), 0o600))
	got := executeSemantic(t, "diff", "HEAD:"+layer, layer)
	require.Equal(t, "added metric turnover   (answers change)\n  + SUM(amount)\n", got.out, got.err)
	unknown := executeSemantic(t, "diff", "nowhere:"+layer, layer)
	require.Equal(t, 2, unknown.code)
	require.Contains(t, unknown.err, "git cannot read")
}

func TestSemanticImport(t *testing.T) {
	t.Parallel()
	cube := filepath.Join(writeSQL(t, map[string]string{"m.yaml": "cubes:\n  - {name: orders, sql_table: shop.orders, measures: [{name: count, type: count}, {name: s, type: string}]}\n"}), "m.yaml")
	got := executeSemantic(t, "import", "cube", cube, "--mart", "Order")
	require.Equal(t, 0, got.code, got.err)
	require.Contains(t, got.out, "mart: Order\nmetrics:\n  - id: count\n")
	require.Contains(t, got.err, "left out: measure orders.s: ")
	out := filepath.Join(t.TempDir(), "layer", "a.yaml")
	require.Equal(t, 0, executeSemantic(t, "import", "cube", cube, "--out", out).code)
	require.Equal(t, 0, executeSemantic(t, "check", filepath.Dir(out)).code)
	require.Equal(t, 2, executeSemantic(t, "import", "cube", cube, "--out", out).code, "nothing is overwritten")
	require.Equal(t, 2, executeSemantic(t, "import", "dbt", cube).code)
}

func TestSemanticSchema(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, string(semantic.Schema()), executeSemantic(t, "schema").out)
}

func TestWriteMarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	layer := &semantic.Layer{
		Countries: []semantic.Country{{Code: "SG", CID: "sg"}},
		Metrics:   []semantic.Metric{{ID: "a", Names: semantic.Text{EN: "A"}, Table: "s.t", Expr: "SUM(x)", Mart: "Customer Service"}},
	}
	paths, err := writeMarts(dir, "draft.yaml", draftHead, layer)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "draft.yaml"), filepath.Join(dir, "customer_service", "draft.yaml")}, paths)
	read, err := semantic.Load(dir)
	require.NoError(t, err)
	require.Equal(t, "Customer Service", read.Metrics[0].Mart)
	_, err = writeMarts(dir, "draft.yaml", draftHead, layer)
	require.ErrorContains(t, err, "is there already")
}
