package presto

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/sql/presto/joni"
)

func regexpFunctions() []Function {
	return []Function{
		binary("presto_regexp_like", func(s, pattern string) (bool, error) {
			found := false
			err := eachMatch(s, pattern, func([]int, *joni.Regexp) bool { found = true; return false })
			return found, err
		}),
		ternary("presto_regexp_extract", regexpExtract),
		{Name: "presto_regexp_extract_all", Args: []Kind{Text, Text, Bigint}, Result: NullableTexts, Call: func(a []any) (any, error) {
			all, err := regexpExtractAll(a[0].(string), a[1].(string), a[2].(int64))
			if err != nil {
				return nil, err
			}
			return all, nil
		}},
		ternary("presto_regexp_replace", regexpReplace),
		{Name: "presto_regexp_parts", Args: []Kind{Text, Text}, Result: NullableTexts, Call: func(a []any) (any, error) {
			return regexpParts(a[0].(string), a[1].(string))
		}},
		unary("presto_regexp_groups", func(pattern string) (int64, error) {
			re, err := regexps.get(pattern)
			if err != nil {
				return 0, err
			}
			return int64(re.Groups()), nil
		}),
		binary("presto_regexp_split", regexpSplit),
		binary("presto_regexp_count", func(s, pattern string) (int64, error) {
			n := int64(0)
			err := eachMatch(s, pattern, func([]int, *joni.Regexp) bool { n++; return true })
			return n, err
		}),
		{Name: "presto_regexp_position", Args: []Kind{Text, Text, Bigint, Bigint}, Result: Bigint, Call: func(a []any) (any, error) {
			return boxed(regexpPosition(a[0].(string), a[1].(string), a[2].(int64), a[3].(int64)))
		}},
	}
}

// regexps holds compiled patterns; bounded like patterns.
var regexps = &regexpCache{compiled: map[string]*joni.Regexp{}}

type regexpCache struct {
	mu       sync.Mutex
	compiled map[string]*joni.Regexp
}

func (c *regexpCache) get(pattern string) (*joni.Regexp, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if re, ok := c.compiled[pattern]; ok {
		return re, nil
	}
	re, err := joni.Compile(pattern)
	if err != nil {
		return nil, regexpError(err)
	}
	if len(c.compiled) >= maxPatterns {
		clear(c.compiled)
	}
	c.compiled[pattern] = re
	return re, nil
}

// CheckRegexp tells what is wrong with a pattern: an *Error with the name
// NOT_SUPPORTED where Trino reads it and this package does not.
func CheckRegexp(pattern string) error {
	_, err := joni.Compile(pattern)
	if err != nil {
		return regexpError(err)
	}
	return nil
}

func regexpError(err error) error {
	switch {
	case errors.Is(err, joni.ErrUnsupported):
		return &Error{"NOT_SUPPORTED", err.Error()}
	case errors.Is(err, joni.ErrTooLong):
		return &Error{"EXCEEDED_TIME_LIMIT", err.Error()}
	}
	return invalid("%s", err)
}

// eachMatch calls visit with the matches, one after another, until it says no.
// After a match of nothing the search goes on one character later.
func eachMatch(s, pattern string, visit func(groups []int, re *joni.Regexp) bool) error {
	return matchesFrom(s, pattern, 0, visit)
}

func matchesFrom(s, pattern string, from int, visit func(groups []int, re *joni.Regexp) bool) error {
	re, err := regexps.get(pattern)
	if err != nil {
		return err
	}
	for from <= len(s) {
		groups, err := re.Find(s, from)
		if err != nil {
			return regexpError(err)
		}
		if groups == nil || !visit(groups, re) {
			return nil
		}
		if from = groups[1]; groups[1] == groups[0] {
			_, size := utf8.DecodeRuneInString(s[from:])
			from += max(size, 1)
		}
	}
	return nil
}

func checkGroup(pattern string, group int64) error {
	re, err := regexps.get(pattern)
	switch {
	case err != nil:
		return err
	case group < 0:
		return invalid("the group must not be negative")
	case group > int64(re.Groups()):
		return invalid("the pattern has %d groups: there is no group %d", re.Groups(), group)
	}
	return nil
}

func regexpExtract(s, pattern string, group int64) (string, error) {
	if err := checkGroup(pattern, group); err != nil {
		return "", err
	}
	begin, end := -1, -1
	err := eachMatch(s, pattern, func(groups []int, _ *joni.Regexp) bool {
		begin, end = groups[2*group], groups[2*group+1]
		return false
	})
	if err != nil {
		return "", err
	}
	if begin < 0 {
		return "", errNull
	}
	return s[begin:end], nil
}

// regexpExtractAll gives nil for groups that took no part.
func regexpExtractAll(s, pattern string, group int64) ([]any, error) {
	if err := checkGroup(pattern, group); err != nil {
		return nil, err
	}
	out := []any{}
	err := eachMatch(s, pattern, func(groups []int, _ *joni.Regexp) bool {
		if b := groups[2*group]; b >= 0 {
			out = append(out, s[b:groups[2*group+1]])
		} else {
			out = append(out, nil)
		}
		return true
	})
	return out, err
}

// regexpParts returns for each match the text before it and its groups, then the
// text behind the last one. Groups that took no part are nil.
func regexpParts(s, pattern string) (any, error) {
	out, last := []any{}, 0
	err := eachMatch(s, pattern, func(groups []int, re *joni.Regexp) bool {
		out = append(out, s[last:groups[0]])
		last = groups[1]
		for g := 1; g <= re.Groups(); g++ {
			if groups[2*g] < 0 {
				out = append(out, nil)
				continue
			}
			out = append(out, s[groups[2*g]:groups[2*g+1]])
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return append(out, s[last:]), nil
}

func regexpSplit(s, pattern string) ([]string, error) {
	out, last := []string{}, 0
	err := eachMatch(s, pattern, func(groups []int, _ *joni.Regexp) bool {
		out = append(out, s[last:groups[0]])
		last = groups[1]
		return true
	})
	return append(out, s[last:]), err
}

// regexpPosition counts characters from 1; -1 where there is no such occurrence.
func regexpPosition(s, pattern string, start, occurrence int64) (int64, error) {
	switch {
	case start < 1:
		return 0, invalid("the start position must not be smaller than 1")
	case occurrence < 1:
		return 0, invalid("the occurrence must not be smaller than 1")
	case start > int64(utf8.RuneCountInString(s)):
		return -1, nil
	}
	from := len(string([]rune(s)[:start-1]))
	position := int64(-1)
	err := matchesFrom(s, pattern, from, func(groups []int, _ *joni.Regexp) bool {
		if occurrence--; occurrence > 0 {
			return true
		}
		position = int64(utf8.RuneCountInString(s[:groups[0]])) + 1
		return false
	})
	return position, err
}

func regexpReplace(s, pattern, with string) (string, error) {
	var out strings.Builder
	last := 0
	var failed error
	err := eachMatch(s, pattern, func(groups []int, re *joni.Regexp) bool {
		out.WriteString(s[last:groups[0]])
		last = groups[1]
		failed = replacement(&out, s, with, groups, re)
		if out.Len() > MaxText && failed == nil {
			failed = invalid("regexp_replace would give a text of more than %d bytes", MaxText)
		}
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return "", err
	}
	out.WriteString(s[last:])
	return out.String(), nil
}

// replacement writes what a match is replaced with: $1, $10 where there are so many
// groups, ${name}, and \x for x itself.
func replacement(out *strings.Builder, s, with string, groups []int, re *joni.Regexp) error {
	illegal := invalid("illegal replacement sequence: %s", Short(with))
	for i := 0; i < len(with); i++ {
		switch with[i] {
		case '\\':
			if i++; i == len(with) {
				return illegal
			}
			out.WriteByte(with[i])
		case '$':
			var group int
			if i++; i == len(with) {
				return illegal
			}
			switch {
			case with[i] == '{':
				name, _, closed := strings.Cut(with[i+1:], "}")
				n, ok := re.Group(name)
				if !ok || !closed {
					return illegal
				}
				group = n
				i += len(name) + 1
			case isDigit(with[i]):
				group = int(with[i] - '0')
				if group > re.Groups() {
					return illegal
				}
				for i+1 < len(with) && isDigit(with[i+1]) && 10*group+int(with[i+1]-'0') <= re.Groups() {
					group = 10*group + int(with[i+1]-'0')
					i++
				}
			default:
				return illegal
			}
			if b := groups[2*group]; b >= 0 {
				out.WriteString(s[b:groups[2*group+1]])
			}
		default:
			out.WriteByte(with[i])
		}
	}
	return nil
}
