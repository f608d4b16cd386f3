package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// node is a value of YAML that may stand under a switch.
type node struct {
	// One of these.
	keys   map[string]*node
	list   []*node
	scalar any
	raw    string // template text that makes the value; lines, for a block of its own
	// only and never are the components with which, or without which, the value is there.
	only, never string
	// other takes its place where the component that it names is off.
	other   *node
	without string
}

func plain(v any) *node {
	switch v := v.(type) {
	case map[string]any:
		n := &node{keys: map[string]*node{}}
		for k, inner := range v {
			n.keys[k] = plain(inner)
		}
		return n
	case []any:
		n := &node{list: []*node{}}
		for _, inner := range v {
			n.list = append(n.list, plain(inner))
		}
		return n
	default:
		return &node{scalar: v}
	}
}

// switched marks in merged what differs between the objects with all components and those
// without one.
func switched(merged map[string]*node, all, rest map[string]map[string]any, component string) {
	for id, object := range all {
		if merged[id].never != "" { // another component's
			continue
		}
		if rest[id] == nil {
			merged[id].only = component
			continue
		}
		differ(merged[id], object, rest[id], component)
	}
	for id, object := range rest {
		if all[id] == nil {
			merged[id] = plain(object)
			merged[id].never = component
			all[id] = object
		}
	}
}

// differ walks down one object: into is what stands for all.
func differ(into *node, all, rest any, component string) {
	if reflect.DeepEqual(all, rest) {
		return
	}
	allMap, ok1 := all.(map[string]any)
	restMap, ok2 := rest.(map[string]any)
	if ok1 && ok2 && into.keys != nil {
		for _, k := range slices.Sorted(maps.Keys(into.keys)) {
			a, inAll := allMap[k]
			r, inRest := restMap[k]
			switch {
			case inAll && inRest:
				differ(into.keys[k], a, r, component)
			case inAll:
				into.keys[k].only = component
			}
		}
		for k, r := range restMap {
			if _, inAll := allMap[k]; !inAll {
				n := plain(r)
				n.never = component
				into.keys[k] = n
			}
		}
		return
	}
	allList, ok1 := all.([]any)
	restList, ok2 := rest.([]any)
	if ok1 && ok2 && into.list != nil {
		at := map[string]any{}
		for _, r := range restList {
			at[identity(r)] = r
		}
		for i, a := range allList {
			if r, inRest := at[identity(a)]; inRest {
				differ(into.list[i], a, r, component)
				delete(at, identity(a))
			} else {
				into.list[i].only = component
			}
		}
		for _, r := range restList {
			if _, left := at[identity(r)]; left {
				n := plain(r)
				n.never = component
				into.list = append(into.list, n)
			}
		}
		return
	}
	into.other, into.without = plain(rest), component
}

// identity is what an element of a list is known by.
func identity(v any) string {
	if m, ok := v.(map[string]any); ok {
		for _, key := range []string{"mountPath", "name"} {
			if s, ok := m[key].(string); ok {
				return key + "=" + s
			}
		}
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// on is the condition of a switch: a component's, or a value that is there or empty.
func on(name string) string {
	if slices.Contains(components, name) {
		return ".Values." + name + ".enabled"
	}
	return ".Values." + name
}

// document writes an object as a document of a template.
func document(n *node) string {
	return strings.Join(guarded(n, func() []string { return append([]string{"---"}, block(n, 0)...) }), "\n") + "\n"
}

// guarded puts lines under the node's switch.
func guarded(n *node, lines func() []string) []string {
	switch {
	case n.only != "":
		return append(append([]string{"{{- if " + on(n.only) + " }}"}, lines()...), "{{- end }}")
	case n.never != "":
		return append(append([]string{"{{- if not " + on(n.never) + " }}"}, lines()...), "{{- end }}")
	default:
		return lines()
	}
}

// block writes a map or a list, at an indent.
func block(n *node, indent int) (lines []string) {
	pad := strings.Repeat(" ", indent)
	if n.keys != nil {
		for _, k := range slices.SortedFunc(maps.Keys(n.keys), order) {
			v := n.keys[k]
			lines = append(lines, guarded(v, func() []string { return entry(pad+key(k)+":", v, indent) })...)
		}
		return lines
	}
	for _, v := range n.list {
		lines = append(lines, guarded(v, func() []string {
			if len(v.keys) > 0 && v.other == nil {
				inner := block(v, indent+2)
				for i, line := range inner { // the first line that is no switch carries the dash
					if !strings.HasPrefix(line, "{{") {
						inner[i] = pad + "- " + strings.TrimPrefix(line, pad+"  ")
						break
					}
				}
				return inner
			}
			return entry(pad+"-", v, indent)
		})...)
	}
	return lines
}

// order puts what says what an object is first, and names first in lists.
func order(a, b string) int {
	rank := func(s string) int {
		if at := slices.Index([]string{"apiVersion", "kind", "metadata", "name"}, s); at >= 0 {
			return at
		}
		return 9
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// entry writes a value behind its key or dash.
func entry(head string, n *node, indent int) []string {
	if n.other != nil {
		lines := []string{"{{- if " + on(n.without) + " }}"}
		lines = append(lines, entry(head, &node{keys: n.keys, list: n.list, scalar: n.scalar, raw: n.raw}, indent)...)
		lines = append(lines, "{{- else }}")
		lines = append(lines, entry(head, n.other, indent)...)
		return append(lines, "{{- end }}")
	}
	switch {
	case n.raw != "" && strings.HasPrefix(n.raw, "\n"):
		lines := []string{head}
		for line := range strings.Lines(strings.TrimPrefix(n.raw, "\n")) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
		return lines
	case n.raw != "":
		return []string{head + " " + n.raw}
	case len(n.keys) > 0, len(n.list) > 0:
		return append([]string{head}, block(n, indent+2)...)
	case n.keys != nil:
		return []string{head + " {}"}
	case n.list != nil:
		return []string{head + " []"}
	default:
		return []string{head + " " + literal(n.scalar)}
	}
}

func key(k string) string { return literal(k) }

// literal writes a scalar as YAML on one line.
func literal(v any) string {
	if s, ok := v.(string); ok && strings.ContainsAny(s, "\n") {
		text, _ := json.Marshal(s)
		return string(text)
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(string(text))
}

// at walks down to a node; nil where there is none.
func (n *node) at(path ...string) *node {
	for _, k := range path {
		if n == nil || n.keys == nil {
			return nil
		}
		n = n.keys[k]
	}
	return n
}
