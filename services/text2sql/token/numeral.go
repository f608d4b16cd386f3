package token

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Chinese digits and units. 两 is two before what is counted.
var (
	hanDigits = map[rune]int64{'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
	hanUnits  = map[rune]int64{'十': 10, '百': 100, '千': 1000, '万': 10_000, '亿': 100_000_000}
)

// numerals turns numbers in Chinese characters into numbers, also after digits:
// "三百二十", "3万", "1.5亿". One character that is both a digit and a word on its
// own ("一") counts as a number too: what it is in its place the grammar says.
func numerals(tokens []Token) []Token {
	out := tokens[:0]
	for _, t := range tokens {
		n := len(out)
		switch {
		case t.Kind != Han || !isNumeral(t.Text):
		case n > 0 && out[n-1].End == t.Start && out[n-1].Kind == Number:
			if joined, ok := join(out[n-1], t); ok {
				out[n-1] = joined
				continue
			}
		default:
			if v, ok := HanNumber(t.Text); ok {
				t.Kind = Number
				t.written(t.Text, v)
			}
		}
		out = append(out, t)
	}
	return out
}

// join puts a numeral to the number before it: "3" and "万", "三百" and "二十".
func join(a, b Token) (Token, bool) {
	if a.han != "" {
		v, ok := HanNumber(a.han + b.Text)
		if ok {
			a.written(a.han+b.Text, v)
			a.End = b.End
		}
		return a, ok
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(a.Text, ",", ""), 64)
	if err != nil {
		return a, false
	}
	for _, r := range b.Text {
		u, ok := hanUnits[r]
		if !ok {
			return a, false
		}
		f *= float64(u)
	}
	a.Text = strconv.FormatFloat(f, 'f', -1, 64)
	a.Lower, a.Stem, a.End = a.Text, a.Text, b.End
	return a, true
}

func (t *Token) written(han string, v int64) {
	t.han = han
	t.Text = strconv.FormatInt(v, 10)
	t.Lower, t.Stem = t.Text, t.Text
}

func isNumeral(s string) bool {
	for _, r := range s {
		_, digit := hanDigits[r]
		_, unit := hanUnits[r]
		if !digit && !unit {
			return false
		}
	}
	return s != ""
}

// HanNumber reads a whole number in Chinese characters, by units ("三百零五") or
// digit by digit ("二零一五").
func HanNumber(s string) (int64, bool) {
	if !isNumeral(s) || utf8.RuneCountInString(s) > maxNumeral {
		return 0, false
	}
	if !strings.ContainsAny(s, "十百千万亿") {
		var v int64
		for _, r := range s {
			v = v*10 + hanDigits[r]
		}
		return v, true
	}
	var total, section, digit int64
	for _, r := range s {
		if d, ok := hanDigits[r]; ok {
			digit = d
			continue
		}
		u := hanUnits[r]
		if u >= 10_000 {
			section += digit
			if total+section == 0 {
				return 0, false
			}
			total, section, digit = (total+section)*u, 0, 0
			continue
		}
		section += max(digit, 1) * u
		digit = 0
	}
	return total + section + digit, true
}

// maxNumeral bounds the characters of a number; more do not fit 64 bits.
const maxNumeral = 16
