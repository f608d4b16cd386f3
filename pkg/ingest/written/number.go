package written

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
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
	// Scale is the word of a power of ten that was multiplied in, as it is written:
	// "k", "million", "万"; or empty.
	Scale string
	// Marked says that more than digits and a decimal mark made it a number: signs of
	// thousands, a unit, parentheses. Codes do not have them.
	Marked bool
	// Plus says that it is digits behind a plus: a number where others have a minus, else it
	// may be a telephone's.
	Plus bool
}

// ReadNumber reads a number as people write it: "1,234.50", "1.234,50", "$ 5",
// "12.50 EUR", "(12.50)", "5-", "15 %", "3 kg", "1.2 million", "3.5万", "１２". Numbers
// with zeros in front are codes and are not read.
func (w *Words) ReadNumber(text string) (n Number, ok bool) {
	if len(text) > maxNumber {
		return n, false
	}
	s := strings.TrimSpace(narrow(text))
	if !strings.ContainsAny(s, "0123456789") {
		unit, ok := w.noAmount(s)
		return Number{Point: "0", Comma: "0", Unit: unit, Marked: true}, ok
	}
	negative, whole, power := false, false, 0
	if rest, cut := strings.CutPrefix(s, "+"); cut {
		s, n.Plus = strings.TrimSpace(rest), digits(rest) // others than digits are no telephone's
		n.Marked = !n.Plus
	}
	for range 3 { // sign, parentheses and units stand in any order
		var cut bool
		if s, cut = cutParentheses(s); cut {
			if negative {
				return n, false
			}
			negative, n.Marked = true, true
		}
		if s, cut = cutNoCents(s); cut {
			n.Marked, whole = true, true
		}
		if s, cut = cutSign(s); cut {
			if negative {
				return n, false
			}
			negative = true
		}
		if power == 0 {
			s, n.Scale, power = w.cutScale(s)
		}
		var unit string
		if s, unit, ok = w.cutUnit(s); !ok {
			return n, false
		}
		if n.Unit, ok = w.together(n.Unit, unit); !ok { // "$5 off" is no amount
			return n, false
		}
	}
	if s == "" || s[0] != '.' && s[0] != ',' && !isDigit(s[0]) {
		return n, false
	}
	n.Marked = n.Marked || n.Unit != "" || n.Scale != "" || strings.ContainsAny(s, ", '’\u00a0\u202f_")
	n.Point, n.Comma = core(s, '.', ','), core(s, ',', '.')
	if whole { // its marks stand between thousands
		n.Point = ungrouped(strings.ReplaceAll(s, ".", ","), ',')
		n.Comma = n.Point
	}
	if n.Unit == Percent {
		n.Point, n.Comma = hundredth(n.Point), hundredth(n.Comma)
	}
	n.Point, n.Comma = times(n.Point, power), times(n.Comma, power)
	if negative {
		n.Point, n.Comma = minus(n.Point), minus(n.Comma)
	}
	return n, n.Point != "" || n.Comma != ""
}

// narrow writes digits and signs of other scripts as ASCII has them, and leaves out marks
// that are not seen, such as those of the direction of writing.
func narrow(s string) string {
	if strings.IndexFunc(s, isForeign) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case r == '\u3000':
			return ' '
		case isWide(r):
			return r - ('！' - '!')
		case r == '٫':
			return '.'
		case r == '٬':
			return ','
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.Is(unicode.Nd, r):
			return '0' + digitOf(r)
		}
		return r
	}, s)
}

// isForeign reports what narrow writes in another way.
func isForeign(r rune) bool {
	return r >= utf8.RuneSelf && (isWide(r) || r == '٫' || r == '٬' || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Nd, r))
}

// digitOf is what a digit of any script counts. Unicode has the ten of a script side by side,
// and scripts begin at a zero.
func digitOf(r rune) rune {
	for n := rune(0); n < 10; n++ {
		if !unicode.Is(unicode.Nd, r-n-1) {
			return n
		}
	}
	return (r - '\U0001D7CE') % 10 // the mathematical ones are five scripts in a row
}

func isWide(r rune) bool { return r >= '！' && r <= '～' || r == '\u3000' }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func cutParentheses(s string) (string, bool) {
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		return strings.TrimSpace(s[1 : len(s)-1]), true
	}
	return s, false
}

// cutSign takes off what makes a number negative, on either side; accountants of Japan
// write triangles.
func cutSign(s string) (string, bool) {
	for _, sign := range []string{"-", "−", "–", "▲", "△"} {
		if rest, cut := strings.CutPrefix(s, sign); cut {
			return strings.TrimSpace(rest), true
		}
		if rest, cut := strings.CutSuffix(s, sign); cut && sign != "▲" && sign != "△" {
			return strings.TrimSpace(rest), true
		}
	}
	return s, false
}

// cutNoCents takes off the dash that stands for no cents: "1'234.-", "80,--", and in India "1,500/-".
func cutNoCents(s string) (string, bool) {
	if rest, cut := strings.CutSuffix(s, "/-"); cut && rest != "" && isDigit(rest[len(rest)-1]) {
		return rest, true
	}
	rest := strings.TrimRight(s, "-–—")
	if n := utf8.RuneCountInString(s) - utf8.RuneCountInString(rest); n == 0 || n > 2 || len(rest) < 2 {
		return s, false
	}
	head, mark := rest[:len(rest)-1], rest[len(rest)-1]
	if mark != '.' && mark != ',' || !isDigit(head[len(head)-1]) {
		return s, false
	}
	return head, true
}

// noAmount reports the zero of spreadsheets' accounts: a dash beside a currency.
func (w *Words) noAmount(s string) (unit string, ok bool) {
	rest := strings.Trim(s, "-–— ")
	if rest == s || rest == "" {
		return "", false
	}
	unit, ok = w.units[strings.ToLower(rest)]
	return unit, ok && unit != Percent
}

// cutUnit takes a unit off either end. One that is not known has to stand apart, be
// a word of letters and follow the number. It fails where something else is there.
func (w *Words) cutUnit(s string) (rest, unit string, ok bool) {
	if s == "" {
		return s, "", false
	}
	if first, _ := utf8.DecodeRuneInString(s); !isCore(first) && !isSign(first) {
		end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsDigit(r) || isSign(r) })
		if end < 0 {
			return s, "", false
		}
		unit, known := w.before(strings.ToLower(strings.TrimSpace(s[:end])))
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
	if unit, known := w.measured[name]; known {
		return number, unit, true
	}
	if unit, known := w.measured[norm.NFKC.String(name)]; known { // one sign for several letters: ㎡ is m2
		return number, unit, true
	}
	if unit, known := w.units[strings.ToLower(name)]; known {
		return number, unit, !codeLike(word, number)
	}
	apart := name != word && len(name) <= 12 && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && r != '/' && r != '²' && r != '³' && r != '°' }) < 0
	return number, name, apart
}

// cutScale takes the word of a power of ten off: behind the number, before a unit that
// stands behind both. A lone letter has to stand right at the number.
func (w *Words) cutScale(s string) (rest, word string, power int) {
	at := strings.LastIndexFunc(s, func(r rune) bool { return isCore(r) || r == ')' })
	if at < 0 || at == len(s)-1 {
		return s, "", 0
	}
	number, behind := s[:at+1], s[at+1:]
	name := strings.TrimSpace(behind)
	for end := len(name); end > 0; {
		head, unit := strings.TrimSpace(name[:end]), strings.TrimSpace(name[end:])
		power, known := w.scales[head]
		if !known && utf8.RuneCountInString(head) > 1 {
			power, known = w.scales[strings.ToLower(head)]
		}
		letter := len(head) == 1
		if known && !(letter && unit == "" && name != behind) && (unit == "" || w.units[strings.ToLower(unit)] != "") &&
			!(letter && head != "k" && head != "K" && codeLike(head, number)) {
			return number + unit, head, power
		}
		_, size := utf8.DecodeLastRuneInString(name[:end])
		end -= size
	}
	return s, "", 0
}

// together makes one unit of those on both sides of a number: "$" and "CAD" are
// Canadian dollars, "€" and "EUR" are one. It fails where the second is no currency.
func (w *Words) together(a, b string) (unit string, ok bool) {
	switch {
	case b == "", a == b:
		return a, true
	case a == "":
		return b, true
	case a == Percent, b == Percent, w.units[strings.ToLower(b)] == "":
		return "", false
	case w.sharedSign(a, b):
		return b, true
	case w.sharedSign(b, a):
		return a, true
	}
	return a + " " + b, true
}

// sharedSign reports a sign of several currencies that the code's currency has too.
func (w *Words) sharedSign(sign, code string) bool {
	return w.units[sign] == sign && w.signs[code] == sign
}

// times moves the point by as many places to the right, which is exact.
func times(s string, power int) string {
	if s == "" || power == 0 {
		return s
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if len(fraction) < power {
		fraction += strings.Repeat("0", power-len(fraction))
	}
	whole = strings.TrimLeft(whole+fraction[:power], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = fraction[power:]; fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

// HoldsAmount reports a text in which an amount stands among words that make it no
// number: "approx. 1,200", "5.50 a night", "about 1.5k". It has a mark between thousands,
// two decimals, a word of a power of ten or a currency; other digits may be a code.
func (w *Words) HoldsAmount(text string) bool {
	if len(text) > maxNumber {
		return false
	}
	s := narrow(text)
	begin := strings.IndexFunc(s, unicode.IsDigit)
	if begin < 0 {
		return false
	}
	s = s[begin:]
	ends := []int{len(s), strings.LastIndexAny(s, "0123456789") + 1}
	for i := range s {
		if s[i] == ' ' {
			ends = append(ends, i)
		}
	}
	for _, end := range ends {
		n, ok := w.ReadNumber(s[:end])
		if ok && (n.Scale != "" || w.units[strings.ToLower(n.Unit)] != "") || isAmount(s[:end]) {
			return true
		}
		if _, whole := cutNoCents(s[:end]); whole && ok {
			return true
		}
	}
	return false
}

// isAmount reports digits with a mark between thousands or with two decimals.
func isAmount(number string) bool {
	for _, marks := range []struct{ decimal, thousands rune }{{'.', ','}, {',', '.'}} {
		whole, fraction, _ := strings.Cut(number, string(marks.decimal))
		if core(number, marks.decimal, marks.thousands) != "" && (len(fraction) == 2 || !digits(whole)) {
			return true
		}
	}
	return false
}

// before is the unit that stands before a number: a known one, or two, as in "CAD $".
func (w *Words) before(text string) (unit string, known bool) {
	if unit, known = w.units[text]; known {
		return unit, true
	}
	first, second, _ := strings.Cut(text, " ")
	if w.units[first] == "" || w.units[second] == "" {
		return "", false
	}
	return w.together(w.units[first], w.units[second])
}

// isSign reports what may stand between a unit and its number.
func isSign(r rune) bool { return strings.ContainsRune("(-−–▲△", r) }

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
