package fixsql

import (
	"embed"
	"fmt"

	"go.yaml.in/yaml/v3"
)

//go:embed rules/*.yaml words.yaml
var files embed.FS

// tables are the rules that are data.
type tables struct {
	tokens    tokenRules
	functions map[string][]functionRule // by lower-case name, in order
}

type tokenRules struct {
	Marks []struct {
		From, To, Dialect string
	} `yaml:"marks"`
	Infix          []infixRule      `yaml:"infix"`
	IntervalUnits  []string         `yaml:"interval_units"`
	IntervalLonger map[string][]any `yaml:"interval_longer"`
}

type infixRule struct {
	Words   []string `yaml:"words"`
	To      string   `yaml:"to"`
	Dialect string   `yaml:"dialect"`
	Right   string   `yaml:"right"` // "type": the right side is a type's name
}

type functionRule struct {
	Name    string         `yaml:"name"`
	Args    *int           `yaml:"args"`
	When    map[int]string `yaml:"when"`
	To      string         `yaml:"to"`
	Dialect string         `yaml:"dialect"`
}

func loadTables() (*tables, error) {
	t := &tables{functions: map[string][]functionRule{}}
	if err := readYAML("rules/tokens.yaml", &t.tokens); err != nil {
		return nil, err
	}
	var list []functionRule
	if err := readYAML("rules/functions.yaml", &list); err != nil {
		return nil, err
	}
	for _, f := range list {
		t.functions[f.Name] = append(t.functions[f.Name], f)
	}
	return t, nil
}

func readYAML(name string, into any) error {
	raw, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
