package presto

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func textFunctions() []Function {
	return []Function{
		unary("presto_upper", must(func(s string) string { return strings.Map(upper, s) })),
		unary("presto_lower", must(func(s string) string { return strings.Map(lower, s) })),
		unary("presto_reverse", must(reverse)),
		binary("presto_split", split), ternary("presto_split_limit", splitLimit),
		ternary("presto_split_part", splitPart),
		ternary("presto_split_to_map", splitToMap), ternary("presto_split_entries", splitEntries),
		binary("presto_word_stem", wordStem),
		ternary("presto_strpos", strpos),
		ternary("presto_replace_text", replaceText),
		ternary("presto_translate", must3(translate)),
		unary("presto_soundex", soundex),
		binary("presto_levenshtein", must2(levenshtein)), binary("presto_hamming", hamming),
		binary("presto_normalize", normalize),
		unary("presto_chr", chr), unary("presto_codepoint", codepoint),
		binary("presto_concat_ws", must2(func(separator string, parts []string) string { return strings.Join(parts, separator) })),
		unary("presto_luhn_check", luhnCheck),
		unary("presto_char2hexint", must(char2hexint)),
		binary("presto_trim_chars", must2(strings.Trim)),
		binary("presto_ltrim_chars", must2(strings.TrimLeft)),
		binary("presto_rtrim_chars", must2(strings.TrimRight)),
		binary("presto_pad_char", must2(padChar)),
		ternary("presto_like", like),
	}
}

func must3[A, B, C, R value](call func(A, B, C) R) func(A, B, C) (R, error) {
	return func(a A, b B, c C) (R, error) { return call(a, b, c), nil }
}

// upper and lower map one character to one, as Java's Character does.
func upper(r rune) rune { return unicode.ToUpper(r) }

func lower(r rune) rune { return unicode.ToLower(r) }

func reverse(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

func split(s, delimiter string) ([]string, error) {
	if delimiter == "" {
		return nil, invalid("the delimiter must not be the empty text")
	}
	return strings.Split(s, delimiter), nil
}

func splitLimit(s, delimiter string, limit int64) ([]string, error) {
	if limit <= 0 {
		return nil, invalid("the limit must be positive")
	}
	if delimiter == "" {
		return nil, invalid("the delimiter must not be the empty text")
	}
	return strings.SplitN(s, delimiter, int(min(limit, 1<<30))), nil
}

// splitPart counts from 1; an empty delimiter splits into characters.
func splitPart(s, delimiter string, n int64) (string, error) {
	if n < 1 {
		return "", invalid("the index of split_part must be greater than zero")
	}
	parts := strings.Split(s, delimiter)
	if n > int64(len(parts)) {
		return "", errNull
	}
	return parts[n-1], nil
}

func splitToMap(s, entries, pairs string) ([][2]string, error) {
	parts, err := splitEntries(s, entries, pairs)
	if err != nil {
		return nil, err
	}
	out := make([][2]string, 0, len(parts)/2)
	seen := map[string]bool{}
	for i := 0; i < len(parts); i += 2 {
		if seen[parts[i]] {
			return nil, invalid("duplicate keys (%s) are not allowed", Short(parts[i]))
		}
		seen[parts[i]] = true
		out = append(out, [2]string{parts[i], parts[i+1]})
	}
	return out, nil
}

// splitEntries returns keys and values in turn.
func splitEntries(s, entries, pairs string) ([]string, error) {
	switch {
	case entries == "" || pairs == "":
		return nil, invalid("the delimiters of entries, keys and values must not be empty")
	case entries == pairs:
		return nil, invalid("the delimiters of entries and of keys must not be the same")
	}
	out := []string{}
	for s != "" {
		entry, rest, _ := strings.Cut(s, entries)
		key, value, ok := strings.Cut(entry, pairs)
		if !ok || strings.Contains(value, pairs) {
			return nil, invalid("the delimiter of key and value must be once in each entry: '%s'", Short(entry))
		}
		out = append(out, key, value)
		s = rest
	}
	return out, nil
}

// strpos finds an occurrence by number, from the end where it is negative.
func strpos(s, sub string, instance int64) (int64, error) {
	if instance == 0 {
		return 0, invalid("the instance of strpos must be positive or negative")
	}
	if sub == "" {
		return 1, nil
	}
	at := -1
	if instance > 0 {
		for from := 0; instance > 0; instance-- {
			i := strings.Index(s[from:], sub)
			if i < 0 {
				return 0, nil
			}
			at = from + i
			from = at + 1
		}
	} else {
		for to := len(s); instance < 0; instance++ {
			if at = strings.LastIndex(s[:to], sub); at < 0 {
				return 0, nil
			}
			to = at + len(sub) - 1
		}
	}
	return int64(utf8.RuneCountInString(s[:at])) + 1, nil
}

// replaceText counts the length of what it makes before it makes it.
func replaceText(s, search, with string) (string, error) {
	if n := strings.Count(s, search); len(s)+n*(len(with)-len(search)) > MaxText {
		return "", invalid("replace would give a text of more than %d bytes", MaxText)
	}
	return strings.ReplaceAll(s, search, with), nil
}

func translate(s, from, to string) string {
	source, target := []rune(from), []rune(to)
	return strings.Map(func(r rune) rune {
		i := slices.Index(source, r)
		switch {
		case i < 0:
			return r
		case i < len(target):
			return target[i]
		}
		return -1
	}, s)
}

// soundexDigits are the digits of A to Z.
const soundexDigits = "01230120022455012623010202"

func soundex(s string) (string, error) {
	var out []byte
	var last byte
	for _, r := range s {
		if !unicode.IsLetter(r) {
			continue
		}
		r = unicode.ToUpper(r)
		if len(out) == 4 {
			break
		}
		if r < 'A' || r > 'Z' {
			return "", invalid("the character is not mapped: %c", r)
		}
		digit := soundexDigits[r-'A']
		switch {
		case len(out) == 0:
			out = append(out, byte(r))
		case r == 'H' || r == 'W':
			continue
		case digit != '0' && digit != last:
			out = append(out, digit)
		}
		last = digit
	}
	for len(out) > 0 && len(out) < 4 {
		out = append(out, '0')
	}
	return string(out), nil
}

func levenshtein(a, b string) int64 {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			cost := diagonal
			if r != s {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return int64(row[len(y)])
}

func hamming(a, b string) (int64, error) {
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) {
		return 0, invalid("the texts of hamming_distance must have the same length")
	}
	n := int64(0)
	for i := range x {
		if x[i] != y[i] {
			n++
		}
	}
	return n, nil
}

func normalize(s, form string) (string, error) {
	switch form {
	case "NFC":
		return norm.NFC.String(s), nil
	case "NFD":
		return norm.NFD.String(s), nil
	case "NFKC":
		return norm.NFKC.String(s), nil
	case "NFKD":
		return norm.NFKD.String(s), nil
	}
	return "", invalid("'%s' is no normalization form", Short(form))
}

func chr(n int64) (string, error) {
	if n < 0 || n > unicode.MaxRune || n >= 0xD800 && n < 0xE000 {
		return "", invalid("not a valid Unicode code point: %d", n)
	}
	return string(rune(n)), nil
}

func codepoint(s string) (int64, error) {
	if utf8.RuneCountInString(s) != 1 {
		return 0, invalid("the argument of codepoint must be a single character")
	}
	r, _ := utf8.DecodeRuneInString(s)
	return int64(r), nil
}

func luhnCheck(s string) (bool, error) {
	if s == "" {
		return false, nil
	}
	sum := 0
	for i := range len(s) {
		c := s[len(s)-1-i]
		if c < '0' || c > '9' {
			return false, invalid("the text holds a character that is no digit")
		}
		d := int(c - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0, nil
}

func char2hexint(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", unit)
	}
	return b.String()
}

// padChar gives a char(n) its blanks, which are not kept in its value.
func padChar(s string, length int64) string {
	return s + strings.Repeat(" ", max(0, int(min(max(length, 0), MaxText))-utf8.RuneCountInString(s)))
}

// like is LIKE with an ESCAPE.
func like(s, pattern, escape string) (bool, error) {
	if utf8.RuneCountInString(escape) != 1 {
		return false, invalid("the escape text must be a single character")
	}
	e, _ := utf8.DecodeRuneInString(escape)
	type element struct {
		r   rune // the character; -1: any one
		all bool // any characters
	}
	var elements []element
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == e:
			i++
			if i == len(runes) || runes[i] != '%' && runes[i] != '_' && runes[i] != e {
				return false, invalid("the escape character must be followed by '%%', '_' or itself")
			}
			elements = append(elements, element{r: runes[i]})
		case r == '%':
			elements = append(elements, element{all: true})
		case r == '_':
			elements = append(elements, element{r: -1})
		default:
			elements = append(elements, element{r: r})
		}
	}
	text := []rune(s)
	i, j, star, mark := 0, 0, -1, 0
	for i < len(text) {
		switch {
		case j < len(elements) && elements[j].all:
			star, mark = j, i
			j++
		case j < len(elements) && (elements[j].r == -1 || elements[j].r == text[i]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = mark, star+1
		default:
			return false, nil
		}
	}
	for j < len(elements) && elements[j].all {
		j++
	}
	return j == len(elements), nil
}
