package fixsql

import (
	"fmt"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// Config of the service. The zero value of a field means its default.
type Config struct {
	// DefaultSource is asked where a request names no source.
	DefaultSource string `koanf:"default_source"`
	// MaxRounds bounds how often a statement is checked again after a repair: a
	// repair may uncover an error that the first one hid.
	MaxRounds int `koanf:"max_rounds"`
	// MaxChanges bounds the changes of one repair.
	MaxChanges int `koanf:"max_changes"`
	// MaxDiagnostics bounds the errors that one answer lists.
	MaxDiagnostics int `koanf:"max_diagnostics"`
	// MaxSuggestions bounds the candidates of one diagnostic.
	MaxSuggestions int `koanf:"max_suggestions"`
}

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	if c.DefaultSource == "" {
		c.DefaultSource = "demo"
	}
	for _, limit := range []struct {
		key       string
		value     *int
		otherwise int
	}{
		{"max_rounds", &c.MaxRounds, 8},
		{"max_changes", &c.MaxChanges, 200},
		{"max_diagnostics", &c.MaxDiagnostics, 100},
		{"max_suggestions", &c.MaxSuggestions, 5},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < 1 {
			return c, fmt.Errorf("fixsql.%s is %d: it has to be at least 1", limit.key, *limit.value)
		}
	}
	return c, nil
}

// Deps are what the service works with.
type Deps struct {
	// Catalog is findata's: what it does not describe, the asker may not read.
	Catalog findatav1.CatalogServiceClient
}
