package logql

import (
	"encoding/json"
	"net/netip"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// Pattern expressions: literals and <captures>, of which <_> keeps nothing.

type patternPart struct {
	literal string
	capture string // "_" keeps nothing; empty: a literal
}

// compilePattern reads a pattern; the second result says what is wrong with it.
func compilePattern(text string, captures bool) ([]patternPart, string) {
	var parts []patternPart
	literal := strings.Builder{}
	flush := func() {
		if literal.Len() > 0 {
			parts = append(parts, patternPart{literal: literal.String()})
			literal.Reset()
		}
	}
	named, seen := 0, map[string]bool{}
	for i := 0; i < len(text); {
		name, size := captureAt(text[i:])
		if size == 0 {
			literal.WriteByte(text[i])
			i++
			continue
		}
		flush()
		if n := len(parts); n > 0 && parts[n-1].capture != "" {
			return nil, "two captures of a pattern stand side by side: put a character between them"
		}
		if name != "_" {
			named++
			if seen[name] {
				return nil, "the pattern names " + name + " twice"
			}
			seen[name] = true
		}
		parts = append(parts, patternPart{capture: name})
		i += size
	}
	flush()
	switch {
	case captures && named == 0:
		return nil, "the pattern extracts nothing: name a capture, such as <status>"
	case !captures && named > 0:
		return nil, "a pattern that filters lines has no named captures: use <_>"
	case len(parts) == 0:
		return nil, "the pattern is empty"
	}
	return parts, ""
}

func captureAt(text string) (name string, size int) {
	if text[0] != '<' {
		return "", 0
	}
	for i := 1; i < len(text); i++ {
		switch c := rune(text[i]); {
		case c == '>' && i > 1:
			return text[1:i], i + 1
		case isWordStart(c), i > 1 && isDigit(c):
		default:
			return "", 0
		}
	}
	return "", 0
}

// patternCaptures returns what a pattern captures from a line, up to where it stops
// to fit.
func patternCaptures(parts []patternPart, line string, found func(name, value string)) {
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		if p.capture == "" {
			at := strings.Index(line, p.literal)
			if at < 0 || at > 0 && i > 0 {
				return
			}
			line = line[at+len(p.literal):]
			continue
		}
		value := line
		if i+1 < len(parts) {
			at := strings.Index(line, parts[i+1].literal)
			if at < 0 {
				if p.capture != "_" {
					found(p.capture, line)
				}
				return
			}
			value, line = line[:at], line[at:]
		}
		if p.capture != "_" {
			found(p.capture, value)
		}
	}
}

// patternFits reports whether the whole line fits a pattern.
func patternFits(parts []patternPart, line string) bool {
	if first := parts[0]; first.capture == "" {
		if !strings.HasPrefix(line, first.literal) {
			return false
		}
		line, parts = line[len(first.literal):], parts[1:]
	}
	for i, p := range parts {
		if p.capture != "" {
			if i == len(parts)-1 {
				return line != ""
			}
			continue
		}
		if i == len(parts)-1 {
			return strings.HasSuffix(line, p.literal) && len(line) > len(p.literal)
		}
		at := strings.Index(line, p.literal)
		if at <= 0 {
			return false
		}
		line = line[at+len(p.literal):]
	}
	return line == ""
}

// addressRange is what ip("...") looks for, both ends included.
type addressRange struct{ from, to netip.Addr }

func parseIP(text string) (addressRange, bool) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		from := prefix.Masked().Addr()
		to := from.AsSlice()
		for bit := prefix.Bits(); bit < len(to)*8; bit++ {
			to[bit/8] |= 1 << (7 - bit%8)
		}
		last, _ := netip.AddrFromSlice(to)
		return addressRange{from, last}, true
	}
	first, last, isRange := strings.Cut(text, "-")
	from, err := netip.ParseAddr(strings.TrimSpace(first))
	if err != nil {
		return addressRange{}, false
	}
	if !isRange {
		return addressRange{from, from}, true
	}
	to, err := netip.ParseAddr(strings.TrimSpace(last))
	return addressRange{from, to}, err == nil && from.BitLen() == to.BitLen() && !to.Less(from)
}

func (r addressRange) holds(a netip.Addr) bool {
	a = a.Unmap()
	return a.BitLen() == r.from.BitLen() && !a.Less(r.from) && !r.to.Less(a)
}

// inLine reports whether a line has an address of the range.
func (r addressRange) inLine(line string) bool {
	isPart := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == '.' || c == ':'
	}
	for i := 0; i < len(line); {
		if !isPart(line[i]) {
			i++
			continue
		}
		end := i
		for end < len(line) && isPart(line[end]) {
			end++
		}
		word := strings.Trim(line[i:end], ".:")
		if a, err := netip.ParseAddr(word); err == nil && r.holds(a) {
			return true
		}
		if host, _, ok := strings.Cut(word, ":"); ok { // 10.0.0.1:443
			if a, err := netip.ParseAddr(host); err == nil && r.holds(a) {
				return true
			}
		}
		i = end
	}
	return false
}

// jsonLabels flattens an object into labels: nested keys are joined by _, lists are
// left out. It reports whether the line was an object.
func jsonLabels(line string, found func(name, value string)) bool {
	object, ok := decodeObject(line)
	if ok {
		flatten("", object, found, 0)
	}
	return ok
}

func decodeObject(line string) (map[string]any, bool) {
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil || object == nil || dec.More() {
		return nil, false
	}
	return object, true
}

// maxNesting bounds how deep an object is flattened.
const maxNesting = 32

func flatten(prefix string, object map[string]any, found func(name, value string), depth int) {
	keys := make([]string, 0, len(object))
	for k := range object {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		name := labelName(k)
		if prefix != "" {
			name = prefix + "_" + name
		}
		switch v := object[k].(type) {
		case map[string]any:
			if depth < maxNesting {
				flatten(name, v, found, depth+1)
			}
		case []any, nil:
		default:
			found(name, scalar(v))
		}
	}
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case nil:
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// labelName makes a name of a label of any key.
func labelName(key string) string {
	key = strings.Map(func(r rune) rune {
		if isWordStart(r) || isDigit(r) {
			return r
		}
		return '_'
	}, strings.TrimSpace(key))
	if key != "" && isDigit(rune(key[0])) {
		key = "_" + key
	}
	return key
}

var pathPart = regexp.MustCompile(`^(?:\.?([A-Za-z_][\w-]*)|\[(\d{1,6})\]|\["([^"\]]*)"\])`)

// parsePath reads a path into JSON: servers[0].name or a["b c"]. Parts are strings
// and ints.
func parsePath(path string) ([]any, bool) {
	var parts []any
	for path != "" {
		m := pathPart.FindStringSubmatch(path)
		switch {
		case m == nil:
			return nil, false
		case m[1] != "":
			parts = append(parts, m[1])
		case m[2] != "":
			n, _ := strconv.Atoi(m[2])
			parts = append(parts, n)
		default:
			parts = append(parts, m[3])
		}
		path = path[len(m[0]):]
	}
	return parts, len(parts) > 0
}

func follow(v any, path []any) any {
	for _, part := range path {
		switch part := part.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[part]
		case int:
			list, _ := v.([]any)
			if part >= len(list) {
				return nil
			}
			v = list[part]
		}
	}
	return v
}

// logfmtLabels reads key=value pairs. It reports whether all of the line was such.
func logfmtLabels(line string, found func(name, value string)) bool {
	ok := true
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		end := strings.IndexAny(line, "= \t")
		if end <= 0 {
			if end < 0 {
				found(labelName(line), "")
				return ok && !strings.Contains(line, `"`)
			}
			ok, line = false, line[1:]
			continue
		}
		key := line[:end]
		ok = ok && !strings.Contains(key, `"`)
		if line[end] != '=' {
			found(labelName(key), "")
			line = line[end:]
			continue
		}
		line = line[end+1:]
		if strings.HasPrefix(line, `"`) {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return false
			}
			value, err := strconv.Unquote(quoted)
			if err != nil {
				return false
			}
			found(labelName(key), value)
			line = line[len(quoted):]
			continue
		}
		stop := strings.IndexAny(line, " \t")
		if stop < 0 {
			stop = len(line)
		}
		found(labelName(key), line[:stop])
		line = line[stop:]
	}
	return ok
}
