package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// Bounds of a file; it is written by people.
const (
	maxBytes = 4 << 20
	maxRules = 10_000
)

// Problem is a mistake in a policy's file.
type Problem struct {
	File    string
	Line    int // from 1; 0 where the file as a whole is meant
	Message string
}

// Error returns file:line: message.
func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ": " + p.Message
}

// Problems is all that is wrong with a file.
type Problems []Problem

// Error lists the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Parse reads a policy. file is its name for messages. With any mistake there is
// no policy: the error is a Problems with all of them.
//
//	rules:
//	  - name: customers of bob        # in messages; "rule 1" where absent
//	    user: bob|carol               # who: RE2 patterns over the whole name
//	    group: analysts
//	    source: demo                  # what: as above
//	    catalog: sg                   # the region
//	    schema: mp_.*
//	    table: dwd_order
//	    access: read                  # or deny
//	    views: allow                  # or refuse, the default
//	    filter: seller = current_user # a condition; rows without it do not exist
//	    purpose: your own orders      # said to the asker
//	    partitions: [grass_date]      # one of them has to be restricted
//	    columns:
//	      - name: phone
//	        mask: "'***' || substr(phone, -4)"
//	        purpose: the last four digits
//	      - name: margin
//	        access: deny
//	        if_present: true          # no mistake where a table has it not
func Parse(file string, text []byte, options ...Option) (*Policy, error) {
	r := reader{file: file}
	sum := sha256.Sum256(text)
	p := &Policy{moment: momentOf(options), digest: hex.EncodeToString(sum[:16]), grants: map[grantsKey]*Grants{}, deciders: map[string]*decider{}, rules: r.read(text)}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
		return nil, r.problems
	}
	return p, nil
}

// reader reads YAML nodes and notes what is wrong with them.
type reader struct {
	file     string
	problems Problems
}

func (r *reader) note(line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{File: r.file, Line: line, Message: fmt.Sprintf(format, args...)})
}

func (r *reader) read(text []byte) []rule {
	if len(text) > maxBytes {
		r.note(0, "it is larger than %d bytes", maxBytes)
		return nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		r.note(0, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
		return nil
	}
	if root.Kind == 0 {
		r.note(1, "it is empty: a policy has rules, and without any nobody may read anything; write \"rules: []\" if that is meant")
		return nil
	}
	var rules []rule
	found := false
	r.fields(root.Content[0], map[string]func(*yaml.Node){
		"rules": func(n *yaml.Node) {
			found = true
			for i, item := range r.list(n) {
				rules = append(rules, r.rule(item, i))
			}
		},
	})
	if !found && len(r.problems) == 0 {
		r.note(1, "\"rules\" is missing")
	}
	if len(rules) > maxRules {
		r.note(0, "it has %d rules: at most %d", len(rules), maxRules)
	}
	r.unique(rules)
	return rules
}

// unique demands that a name in a message says which rule is meant.
func (r *reader) unique(rules []rule) {
	lines := map[string]int{}
	for _, rule := range rules {
		if first, twice := lines[rule.name]; twice {
			r.note(rule.line, "the rule name %q is used in line %d too", rule.name, first)
			continue
		}
		lines[rule.name] = rule.line
	}
}

func (r *reader) rule(n *yaml.Node, index int) rule {
	out := rule{name: "rule " + strconv.Itoa(index+1), line: n.Line}
	matching := func(into **pattern, fold bool) func(*yaml.Node) {
		return func(n *yaml.Node) { *into = r.pattern(n, fold) }
	}
	r.fields(n, map[string]func(*yaml.Node){
		"name":    func(n *yaml.Node) { out.name = r.text(n) },
		"user":    matching(&out.user, false),
		"group":   matching(&out.group, false),
		"source":  matching(&out.source, false),
		"catalog": matching(&out.region, true),
		"schema":  matching(&out.schema, true),
		"table":   matching(&out.table, true),
		"access":  func(n *yaml.Node) { out.deny = r.choice(n, "read", "deny") },
		"views":   func(n *yaml.Node) { out.views = r.choice(n, "refuse", "allow") },
		"filter":  func(n *yaml.Node) { out.filter = r.expression(n) },
		"purpose": func(n *yaml.Node) { out.purpose = r.text(n) },
		"partitions": func(n *yaml.Node) {
			for _, item := range r.list(n) {
				out.partitions = append(out.partitions, r.text(item))
			}
		},
		"columns": func(n *yaml.Node) {
			for _, item := range r.list(n) {
				out.columns = append(out.columns, r.column(item))
			}
		},
	})
	if out.deny && (out.filter != nil || len(out.columns) > 0 || len(out.partitions) > 0 || out.views) {
		r.note(n.Line, "a rule that denies the table has nothing else to say about it")
	}
	seen := map[string]bool{}
	for _, c := range out.columns {
		if key := strings.ToLower(c.name); seen[key] {
			r.note(c.line, "the column %s is there twice", c.name)
		} else {
			seen[key] = true
		}
	}
	return out
}

func (r *reader) column(n *yaml.Node) columnRule {
	out := columnRule{line: n.Line}
	said := false
	r.fields(n, map[string]func(*yaml.Node){
		"name": func(n *yaml.Node) { out.name = r.text(n) },
		"mask": func(n *yaml.Node) { out.mask, said = r.expression(n), true },
		"access": func(n *yaml.Node) {
			out.deny = r.choice(n, "read", "deny")
			said = said || out.deny
		},
		"purpose":    func(n *yaml.Node) { out.purpose = r.text(n) },
		"if_present": func(n *yaml.Node) { out.ifPresent = r.choice(n, "false", "true") },
	})
	switch {
	case n.Kind != yaml.MappingNode:
	case out.name == "":
		r.note(n.Line, "the column's name is missing")
	case !said:
		r.note(n.Line, "nothing is said of the column %s: give a mask, or access: deny", out.name)
	case out.deny && out.mask != nil:
		r.note(n.Line, "the column %s is denied and masked: choose one", out.name)
	}
	return out
}

// fields hands the values of a mapping to their readers; unknown and repeated
// keys are mistakes.
func (r *reader) fields(n *yaml.Node, known map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.note(n.Line, "there has to be a mapping of keys to values here")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := known[key.Value]
		switch {
		case !ok:
			r.note(key.Line, "the key %q is not known", key.Value)
		case seen[key.Value]:
			r.note(key.Line, "the key %q is there twice", key.Value)
		default:
			read(value)
		}
		seen[key.Value] = true
	}
}

func (r *reader) list(n *yaml.Node) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		r.note(n.Line, "there has to be a list here")
		return nil
	}
	return n.Content
}

// text reads a scalar that is not empty.
func (r *reader) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || strings.TrimSpace(n.Value) == "" {
		r.note(n.Line, "there has to be a text here")
		return ""
	}
	return n.Value
}

func (r *reader) pattern(n *yaml.Node, fold bool) *pattern {
	text := r.text(n)
	if text == "" {
		return nil
	}
	p, err := newPattern(text, fold)
	if err != nil {
		r.note(n.Line, "the pattern %q cannot be read: %v", text, err)
	}
	return p
}

// choice reads one of two words and reports whether it is the second.
func (r *reader) choice(n *yaml.Node, first, second string) bool {
	if n.Kind != yaml.ScalarNode || n.Value != first && n.Value != second {
		r.note(n.Line, "it is %q: write %s or %s", n.Value, first, second)
	}
	return n.Value == second
}

func (r *reader) expression(n *yaml.Node) *expression {
	text := r.text(n)
	if text == "" {
		return nil
	}
	x, err := parseExpression(text, n.Line)
	if err != nil {
		r.note(n.Line, "%q: %s", text, withoutPlace(err))
		return nil
	}
	return x
}

// withoutPlace leaves out the position within the expression: the line that
// counts is that of the file.
func withoutPlace(err error) string {
	if e := (*parser.Error)(nil); errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}
