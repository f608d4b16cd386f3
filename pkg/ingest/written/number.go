package written

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNumber is the longest text that is read as a number, in bytes.
const maxNumber = 64

// Percent is the unit of shares: the number of "15%" is 0.15.
const Percent = "%"

// Number is a text that can be read as a number. Point and Comma are its digits as
// a program writes them ("-1234.5"), with the point or with the comma as the mark
// of decimals; empty where it cannot be read that way.
type Number struct {
	Point, Comma string
	// Unit is the currency or measure that stands by it, Percent, or empty.
	Unit string
	// Marked says that more than digits and a decimal mark made it a number: signs of
	// thousands, a unit, parentheses. Codes do not have them.
	Marked bool
}

// ReadNumber reads a number as people write it: "1,234.50", "1.234,50", "$ 5",
// "12.50 EUR", "(12.50)", "5-", "15 %", "3 kg". Numbers with zeros in front are
// codes and are not read.
func (w *Words) ReadNumber(text string) (n Number, ok bool) {
	if len(text) > maxNumber {
		return n, false
	}
	s := strings.TrimSpace(text)
	if !strings.ContainsAny(s, "0123456789") {
		return n, false
	}
	negative := false
	for range 3 { // sign, parentheses and unit stand in any order
		var cut bool
		if s, cut = cutParentheses(s); cut {
			if negative {
				return n, false
			}
			negative, n.Marked = true, true
		}
		if s, cut = cutSign(s); cut {
			if negative {
				return n, false
			}
			negative = true
		}
		if n.Unit == "" {
			if s, n.Unit, ok = w.cutUnit(s); !ok {
				return n, false
			}
		}
	}
	if s == "" || s[0] != '.' && s[0] != ',' && !isDigit(s[0]) {
		return n, false
	}
	n.Marked = n.Marked || n.Unit != "" || strings.ContainsAny(s, ", '’\u00a0\u202f_")
	n.Point, n.Comma = core(s, '.', ','), core(s, ',', '.')
	if n.Unit == Percent {
		n.Point, n.Comma = hundredth(n.Point), hundredth(n.Comma)
	}
	if negative {
		n.Point, n.Comma = minus(n.Point), minus(n.Comma)
	}
	return n, n.Point != "" || n.Comma != ""
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func cutParentheses(s string) (string, bool) {
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		return strings.TrimSpace(s[1 : len(s)-1]), true
	}
	return s, false
}

func cutSign(s string) (string, bool) {
	for _, sign := range []string{"-", "−"} {
		if rest, cut := strings.CutPrefix(s, sign); cut {
			return strings.TrimSpace(rest), true
		}
		if rest, cut := strings.CutSuffix(s, sign); cut {
			return strings.TrimSpace(rest), true
		}
	}
	return s, false
}

// cutUnit takes a unit off either end. One that is not known has to stand apart, be
// a word of letters and follow the number. It fails where something else is there.
func (w *Words) cutUnit(s string) (rest, unit string, ok bool) {
	if s == "" {
		return s, "", false
	}
	if first, _ := utf8.DecodeRuneInString(s); !isCore(first) && first != '(' && first != '-' && first != '−' {
		end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsDigit(r) || r == '(' || r == '-' || r == '−' })
		if end < 0 {
			return s, "", false
		}
		unit, known := w.units[strings.ToLower(strings.TrimSpace(s[:end]))]
		return strings.TrimSpace(s[end:]), unit, known && !codeLike(s[:end], s[end:])
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	if isCore(last) || last == ')' || last == '-' || last == '−' {
		return s, "", true
	}
	at := strings.LastIndexFunc(s, func(r rune) bool { return unicode.IsDigit(r) || r == ')' || r == '-' || r == '−' })
	if at < 0 {
		return s, "", false
	}
	_, size := utf8.DecodeRuneInString(s[at:])
	number, word := s[:at+size], s[at+size:]
	name := strings.TrimSpace(word)
	if unit, known := w.units[strings.ToLower(name)]; known {
		return number, unit, !codeLike(word, number)
	}
	apart := name != word && len(name) <= 12 && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && r != '/' && r != '²' && r != '³' && r != '°' }) < 0
	return number, name, apart
}

// codeLike reports letters that stand right at bare digits, as in "RM101": more often
// the code of a room than an amount in ringgit.
func codeLike(unit, number string) bool {
	for _, r := range unit {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return false
		}
	}
	return digits(number)
}

// isCore reports what digits are written with.
func isCore(r rune) bool { return r >= '0' && r <= '9' || r == '.' || r == ',' }

// core reads digits with one mark of decimals and any mark of thousands, and
// returns them bare; "" where they do not follow the rules.
func core(s string, decimal, other rune) string {
	whole, fraction, pointed := strings.Cut(s, string(decimal))
	if pointed && !digits(fraction) {
		return ""
	}
	if whole == "" && pointed {
		return "0." + fraction
	}
	whole = ungrouped(whole, other)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return ""
	}
	if !pointed {
		return whole
	}
	return whole + "." + fraction
}

func digits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// ungrouped takes the marks of thousands out: groups of three, or of two with three
// at the end as in India; "" where the groups are others.
func ungrouped(s string, mark rune) string {
	if digits(s) {
		return s
	}
	var groups []string
	by := ""
	for _, m := range []string{string(mark), " ", "\u00a0", "\u202f", "'", "’", "_"} {
		if strings.Contains(s, m) {
			groups, by = strings.Split(s, m), m
			break
		}
	}
	if len(groups) < 2 || groups[0] == "" || groups[0][0] == '0' || len(groups[0]) > 3 {
		return ""
	}
	last := len(groups) - 1
	size := len(groups[1])
	for i, g := range groups {
		if !digits(g) || i == last && len(g) != 3 || i > 0 && i < last && len(g) != size {
			return ""
		}
	}
	if size != 3 && (size != 2 || len(groups[0]) > 2 || by != ",") {
		return ""
	}
	return strings.Join(groups, "")
}

func minus(s string) string {
	if s == "" || strings.Trim(s, "0.") == "" {
		return s
	}
	return "-" + s
}

// hundredth moves the point by two places, which is exact.
func hundredth(s string) string {
	if s == "" {
		return ""
	}
	whole, fraction, _ := strings.Cut(s, ".")
	whole = "00" + whole
	at := len(whole) - 2
	head := strings.TrimLeft(whole[:at], "0")
	if head == "" {
		head = "0"
	}
	return head + "." + whole[at:] + fraction
}
