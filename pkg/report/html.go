package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

var (
	//go:embed assets/echarts.min.js.gz
	echarts []byte // Apache ECharts 6.1.0, as npm has it; licence in echarts.LICENSE
	//go:embed assets/page.html.tmpl
	pageTemplate string
	//go:embed assets/page.css
	pageStyle string
	//go:embed assets/page.js
	pageScript string
)

// page is what the template gets.
type page struct {
	view
	Policy  string
	Style   template.CSS
	Scripts []template.JS
}

// HTML writes a document as one page that needs nothing else: the library that draws the
// charts is inside, and the page's content security policy lets it load nothing and run
// nothing but its own scripts, which are named by their hashes.
func HTML(w io.Writer, d Document, o Options) error {
	v, err := newView(d, o.withDefaults())
	if err != nil {
		return err
	}
	p := page{view: v, Style: template.CSS(pageStyle)} //nolint:gosec // a file of the repository
	if slices.ContainsFunc(v.Sections, func(s sectionView) bool { return s.Chart != nil }) {
		library, err := unpack(echarts)
		if err != nil {
			return err
		}
		p.Scripts = []template.JS{template.JS(library), template.JS(pageScript)} //nolint:gosec // files of the repository
	}
	p.Policy = policy(p.Style, p.Scripts)
	t, err := template.New("page").Funcs(template.FuncMap{"named": named}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// namedTable is what the template of a table gets.
type namedTable struct {
	Name  string
	Table *tableView
}

func named(name string, t *tableView) namedTable { return namedTable{name, t} }

func unpack(packed []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", fmt.Errorf("read the chart library: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("read the chart library: %w", err)
	}
	return string(text), nil
}

// policy is the content security policy of a page.
func policy(style template.CSS, scripts []template.JS) string {
	allowed := func(texts ...string) string {
		if len(texts) == 0 {
			return "'none'"
		}
		var hashes []string
		for _, text := range texts {
			sum := sha256.Sum256([]byte(text))
			hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		}
		return strings.Join(hashes, " ")
	}
	var run []string
	for _, s := range scripts {
		run = append(run, string(s))
	}
	return "default-src 'none'; script-src " + allowed(run...) + "; style-src " + allowed(string(style)) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}
