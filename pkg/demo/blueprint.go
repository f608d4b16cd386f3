package demo

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

//go:embed data sql
var files embed.FS

// country is one of data/countries.yaml, which explains the fields.
type country struct {
	Code      string   `yaml:"code"`
	CID       string   `yaml:"cid"`
	Name      string   `yaml:"name"`
	NameZH    string   `yaml:"name_zh"`
	Synonyms  []string `yaml:"synonyms"`
	IDCRegion string   `yaml:"idc_region"`
	Currency  string   `yaml:"currency"`
	FX        float64  `yaml:"fx"`
	Decimals  int      `yaml:"decimals"`
	Orders    float64  `yaml:"orders"`
	Price     float64  `yaml:"price"`
	Shops     int      `yaml:"shops"`
	SLADays   int      `yaml:"sla_days"`
	IOS       float64  `yaml:"ios"`
	Visits    float64  `yaml:"visits"`
	Cancel    float64  `yaml:"cancel"`
	Usage     float64  `yaml:"usage"`
	Payments  []string `yaml:"payments"`
	Hubs      []string `yaml:"hubs"`
}

// category is one of data/categories.yaml.
type category struct {
	Name     string   `yaml:"name"`
	NameZH   string   `yaml:"name_zh"`
	Synonyms []string `yaml:"synonyms"`
	Group    string   `yaml:"group"`
	Price    float64  `yaml:"price"`
	Sub      []string `yaml:"sub"`
}

// Fact is something planted in the data for an analyst to find.
type Fact struct {
	ID string `yaml:"id"`
	// Params are the numbers that the SQL plants it with.
	Params map[string]float64 `yaml:"params"`
	Text   string             `yaml:"text"`
	TextZH string             `yaml:"text_zh"`
}

// martFile is one of data/marts/*.yaml: a mart and the families of its tables.
type martFile struct {
	Mart struct {
		Name          string   `yaml:"name"`
		Description   string   `yaml:"description"`
		DescriptionZH string   `yaml:"description_zh"`
		Synonyms      []string `yaml:"synonyms"`
		Fallback      bool     `yaml:"fallback"`
	} `yaml:"mart"`
	Owner    string         `yaml:"owner"`
	Families []family       `yaml:"families"`
	Glossary []catalog.Term `yaml:"glossary"`
	Rules    []catalog.Rule `yaml:"rules"`
}

// spread says into how many physical tables a family is cut.
type spread string

const (
	perCountry    spread = "country"     // a table a country
	perDataCentre spread = "data_centre" // a table a data centre, with the countries kept there
	perCompany    spread = "company"     // one table with all countries, in the first data centre
)

// family is a set of tables that differ by country or data centre only.
type family struct {
	Manifest      string   `yaml:"manifest"` // schema.table, the country as {cid}
	Per           spread   `yaml:"per"`
	Topic         string   `yaml:"topic"`     // of ChatBI, beside the mart
	Dataset       bool     `yaml:"dataset"`   // of ChatBI, no Hive table
	In            string   `yaml:"in"`        // data centre; empty: each country's own
	Countries     []string `yaml:"countries"` // codes; empty: all
	Layer         string   `yaml:"layer"`
	Source        string   `yaml:"source"` // work table or view; has a column country unless per company
	OrderBy       []string `yaml:"order_by"`
	ReadyMinute   int      `yaml:"ready_minute"` // minutes past midnight at which yesterday's rows are there
	Late          bool     `yaml:"late"`         // updated late by the planted fact "late"
	StaleDays     int      `yaml:"stale_days"`   // not updated since
	Successor     string   `yaml:"successor"`
	Upstream      []string `yaml:"upstream"` // manifests that it is made from
	Queries       int64    `yaml:"queries"`  // in 30 days, on the busiest variant
	Grain         string   `yaml:"grain"`
	Description   string   `yaml:"description"` // templates; see table.fill
	DescriptionZH string   `yaml:"description_zh"`
	Columns       []column `yaml:"columns"`
}

type column struct {
	Name      string `yaml:"name"`
	Type      string `yaml:"type"` // Presto
	Expr      string `yaml:"expr"` // over the source; empty: the column of that name
	EN        string `yaml:"en"`
	ZH        string `yaml:"zh"`
	Key       bool   `yaml:"key"`
	Partition bool   `yaml:"partition"`
	Personal  bool   `yaml:"personal"` // no samples
	Ref       string `yaml:"ref"`      // manifest.column that it points to
}

// source returns the SQL that gives the column's values.
func (c column) source() string {
	if c.Expr != "" {
		return c.Expr
	}
	return printer.Quote(c.Name)
}

// blueprint is all that the company is made from.
type blueprint struct {
	countries  []country
	categories []category
	facts      []Fact
	marts      []martFile
}

// loadBlueprint reads the embedded data. Its errors are mistakes in these files.
func loadBlueprint() (*blueprint, error) {
	var b blueprint
	for path, into := range map[string]any{
		"data/countries.yaml":  &b.countries,
		"data/categories.yaml": &b.categories,
		"data/facts.yaml":      &b.facts,
	} {
		if err := decode(path, into); err != nil {
			return nil, err
		}
	}
	paths, err := fs.Glob(files, "data/marts/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the demo's marts: %w", err)
	}
	for _, path := range paths {
		var m martFile
		if err := decode(path, &m); err != nil {
			return nil, err
		}
		for _, f := range m.Families {
			if err := f.check(); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		b.marts = append(b.marts, m)
	}
	return &b, nil
}

func decode(path string, into any) error {
	text, err := files.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the demo's %s: %w", path, err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("read the demo's %s: %w", path, err)
	}
	return nil
}

func (f family) check() error {
	schema, name, ok := strings.Cut(f.Manifest, ".")
	switch {
	case !ok || schema == "" || name == "":
		return fmt.Errorf("family %q: the manifest is schema.table", f.Manifest)
	case f.Per != perCountry && f.Per != perDataCentre && f.Per != perCompany:
		return fmt.Errorf("family %s: per is %q, not country, data_centre or company", f.Manifest, f.Per)
	case (f.Per == perCountry) != strings.Contains(name, "{cid}"):
		return fmt.Errorf("family %s: a table per country has {cid} in its name, and no other has", f.Manifest)
	case f.Source == "" || f.Grain == "" || f.Description == "" || f.DescriptionZH == "":
		return fmt.Errorf("family %s: source, grain, description and description_zh are needed", f.Manifest)
	}
	for _, c := range f.Columns {
		if c.Name == "" || c.Type == "" || c.EN == "" || c.ZH == "" {
			return fmt.Errorf("family %s: column %q needs name, type, en and zh", f.Manifest, c.Name)
		}
	}
	return nil
}

// fact returns a parameter of a planted fact, 0 where there is none.
func (b *blueprint) fact(id, param string) float64 {
	for _, f := range b.facts {
		if f.ID == id {
			return f.Params[param]
		}
	}
	return 0
}

// regions returns the data centres in the order of their first country.
func (b *blueprint) regions() []string {
	var regions []string
	seen := map[string]bool{}
	for _, c := range b.countries {
		if !seen[c.IDCRegion] {
			seen[c.IDCRegion] = true
			regions = append(regions, c.IDCRegion)
		}
	}
	return regions
}

// Regions returns the demo's data centres in the order of their first country.
func Regions() ([]string, error) {
	b, err := loadBlueprint()
	if err != nil {
		return nil, err
	}
	return b.regions(), nil
}

// Facts returns what is planted in the data, for documentation and for tests of
// those who look for it.
func Facts() ([]Fact, error) {
	var facts []Fact
	if err := decode("data/facts.yaml", &facts); err != nil {
		return nil, err
	}
	return facts, nil
}
