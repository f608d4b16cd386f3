package dbt

import (
	"bytes"
	"encoding/json"
	"time"
)

// manifest is what is read of a manifest.json.
type manifest struct {
	Metadata struct {
		Form string `json:"dbt_schema_version"`
	} `json:"metadata"`
	Nodes   map[string]*node  `json:"nodes"`
	Sources map[string]*node  `json:"sources"`
	Groups  map[string]*group `json:"groups"`
}

// node is a model, seed, snapshot, source or test.
type node struct {
	Kind        string         `json:"resource_type"`
	Package     string         `json:"package_name"`
	Database    string         `json:"database"`
	Schema      string         `json:"schema"`
	Name        string         `json:"name"`
	Alias       string         `json:"alias"`
	Identifier  string         `json:"identifier"` // of a source's table
	SourceName  string         `json:"source_name"`
	SourceText  string         `json:"source_description"`
	Description string         `json:"description"`
	Columns     orderedColumns `json:"columns"`
	Tags        []string       `json:"tags"`
	Meta        map[string]any `json:"meta"`
	SourceMeta  map[string]any `json:"source_meta"`
	Group       string         `json:"group"`
	PrimaryKey  []string       `json:"primary_key"`
	Constraints []constraint   `json:"constraints"`
	Deprecated  *time.Time     `json:"deprecation_date"`
	DependsOn   struct {
		Nodes []string `json:"nodes"`
	} `json:"depends_on"`
	Config struct {
		Materialized string         `json:"materialized"`
		Meta         map[string]any `json:"meta"`
		Group        string         `json:"group"`
	} `json:"config"`

	// Of a test:
	Attached   string `json:"attached_node"`
	ColumnName string `json:"column_name"`
	Test       *struct {
		Name string         `json:"name"`
		Args map[string]any `json:"kwargs"`
	} `json:"test_metadata"`
}

type column struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Type        string       `json:"data_type"`
	Constraints []constraint `json:"constraints"`
}

// constraint is of a column, or with Columns of a model.
type constraint struct {
	Type      string   `json:"type"`
	Columns   []string `json:"columns"`
	To        string   `json:"to"` // ref('customers'), since dbt 1.9
	ToColumns []string `json:"to_columns"`
}

type group struct {
	Name  string `json:"name"`
	Owner struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	} `json:"owner"`
}

// orderedColumns are columns in the order in which the manifest has them, which is
// the order in which somebody described them.
type orderedColumns []column

// UnmarshalJSON implements json.Unmarshaler.
func (c *orderedColumns) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var one column
		if err := d.Decode(&one); err != nil {
			return err
		}
		if name, ok := key.(string); ok && one.Name == "" {
			one.Name = name
		}
		*c = append(*c, one)
	}
	return nil
}

// docs is what is read of a catalog.json.
type docs struct {
	Nodes   map[string]*documented `json:"nodes"`
	Sources map[string]*documented `json:"sources"`
}

type documented struct {
	Metadata struct {
		Type    string `json:"type"`
		Comment string `json:"comment"`
		Owner   string `json:"owner"`
	} `json:"metadata"`
	Columns map[string]struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Comment string `json:"comment"`
		Index   int    `json:"index"`
	} `json:"columns"`
	Stats map[string]struct {
		Value any `json:"value"`
	} `json:"stats"`
}
