package policy

import (
	"regexp"
	"strings"
)

// pattern is an anchored regular expression in RE2 syntax. Most are a name or a
// few names; those are compared without the machine.
type pattern struct {
	names  []string // when it is name|name|name
	any    bool     // when it is .*
	fold   bool     // compare without case: names of the catalog
	regexp *regexp.Regexp
}

// newPattern reads a pattern. Names of regions, schemas and tables are compared
// without case, as Presto does; principals, groups and sources with it.
func newPattern(text string, fold bool) (*pattern, error) {
	p := &pattern{fold: fold, any: text == ".*"}
	if p.any {
		return p, nil
	}
	if !strings.ContainsAny(text, `\.+*?()[]{}^$`) {
		p.names = strings.Split(text, "|")
		return p, nil
	}
	flags := ""
	if fold {
		flags = "(?i)"
	}
	// By itself first: "a)|(b" is none, and between the anchors it would escape them.
	_, err := regexp.Compile(text)
	if err == nil {
		p.regexp, err = regexp.Compile(flags + `\A(?:` + text + `)\z`)
	}
	return p, err
}

func (p *pattern) fits(name string) bool {
	if p == nil || p.any {
		return true
	}
	if p.regexp != nil {
		return p.regexp.MatchString(name)
	}
	for _, n := range p.names {
		if n == name || p.fold && strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}
