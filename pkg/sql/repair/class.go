package repair

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed classes.yaml
var classesFile []byte

// Class is a class of mistakes.
type Class struct {
	ID string `yaml:"-"`
	// Code is Trino's name of the error that it repairs.
	Code string `yaml:"code"`
	// En and Zh say what was changed; {before}, {after} and {name} stand for values.
	En string `yaml:"en"`
	Zh string `yaml:"zh"`
	// Certain says when a repair of this class is certain, for people.
	Certain string `yaml:"certain"`
	// Example is a statement before and after, over the tables of the tests.
	Example [2]string `yaml:"example"`
}

var classes = sync.OnceValues(func() (map[string]Class, error) {
	var all map[string]Class
	if err := yaml.Unmarshal(classesFile, &all); err != nil {
		return nil, fmt.Errorf("read classes.yaml: %w", err)
	}
	for id, c := range all {
		c.ID = id
		all[id] = c
	}
	return all, nil
})

// Classes returns all classes by their ids.
func Classes() ([]Class, error) {
	all, err := classes()
	var out []Class
	for _, c := range all {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Class) int { return strings.Compare(a.ID, b.ID) })
	return out, err
}

// classOf is a class by its id; a test holds that every id in use has one.
func classOf(id string) Class {
	all, err := classes()
	if c, ok := all[id]; ok && err == nil {
		return c
	}
	return Class{ID: id}
}

func (c Class) say(l lang.Language, args map[string]string) string {
	pairs := make([]string, 0, 2*len(args))
	for name, value := range args {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(l.Pick(c.En, c.Zh))
}
