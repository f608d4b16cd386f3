package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// sale is a row of the truth that dirty files are made from.
type sale struct {
	id, qty, discount int
	day               time.Time
	region, product   string
	cents             int64
	absent            bool // the amount is not known
}

// sheet is a file in the making: each mess changes how something is written.
type sheet struct {
	random    *rand.Rand
	sales     []sale
	header    []string
	delimiter string
	date      func(time.Time) string
	amount    func(cents int64) string
	qty       func(int) string
	discount  func(int) string
	absent    string
	above     []string                // lines above the header
	lines     func([]string) []string // of the rows, last
	record    func(i int, fields []string) []string
	frame     string            // around each line of values
	called    map[string]string // columns that have another name in the table
}

// column is the name of a column in the table.
func (s *sheet) column(name string) string {
	if called, ok := s.called[name]; ok {
		return called
	}
	return name
}

func newSheet(seed uint64) *sheet {
	s := &sheet{
		random: rand.New(rand.NewPCG(seed, 7)), delimiter: ",", header: []string{"id", "day", "region", "product", "qty", "discount", "amount", "remark"},
		date:     func(t time.Time) string { return t.Format(time.DateOnly) },
		amount:   func(c int64) string { return decimal(c, "", ".") },
		qty:      strconv.Itoa,
		discount: func(p int) string { return fmt.Sprintf("%.2f", float64(p)/100) },
		lines:    func(l []string) []string { return l },
		record:   func(_ int, f []string) []string { return f },
	}
	day := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 80 {
		day = day.AddDate(0, 0, s.random.IntN(9))
		s.sales = append(s.sales, sale{
			id: 1000 + i, qty: 1 + s.random.IntN(4000), discount: 5 * s.random.IntN(6), day: day, cents: 100 + int64(s.random.IntN(900_000)),
			region: []string{"North", "South", "East"}[s.random.IntN(3)], product: []string{"Tea", "Rye bread", "Olive oil", "Salt"}[s.random.IntN(4)],
		})
	}
	return s
}

// decimal writes cents with marks of thousands and decimals.
func decimal(cents int64, thousands, point string) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return sign + grouped(cents/100, thousands) + point + fmt.Sprintf("%02d", cents%100)
}

func grouped(n int64, mark string) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + mark + s[i:]
	}
	return s
}

// write makes the file; values with the delimiter in them are quoted.
func (s *sheet) write() string {
	var lines []string
	for i, row := range s.sales {
		amount := s.amount(row.cents)
		if row.absent {
			amount = s.absent
		}
		fields := []string{strconv.Itoa(row.id), s.date(row.day), row.region, row.product, s.qty(row.qty), s.discount(row.discount), amount, "fine"}
		lines = append(lines, s.join(s.record(i, fields)))
	}
	return strings.Join(append(append(append([]string{}, s.above...), s.join(s.header)), s.lines(lines)...), "\n") + "\n"
}

func (s *sheet) join(fields []string) string {
	quoted := make([]string, len(fields))
	for i, f := range fields {
		quoted[i] = f
		if strings.Contains(f, s.delimiter) {
			quoted[i] = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
		}
	}
	return s.frame + strings.Join(quoted, s.delimiter) + s.frame
}

func (s *sheet) total() (cents int64) {
	for _, row := range s.sales {
		if !row.absent {
			cents += row.cents
		}
	}
	return cents
}

// mess is a way in which a file is dirty.
type mess struct {
	name string
	make func(*sheet)
}

func messes() []mess {
	thousands := func(mark string) func(*sheet) {
		return func(s *sheet) {
			s.amount = func(c int64) string { return decimal(c, mark, ".") }
			s.qty = func(n int) string { return grouped(int64(n), mark) }
		}
	}
	wrapped := func(wrap func(amount string, i int) string) func(*sheet) {
		return func(s *sheet) {
			plain, n := s.amount, 0
			s.amount = func(c int64) string { n++; return wrap(plain(c), n) }
		}
	}
	some := func(word string) func(*sheet) {
		return func(s *sheet) {
			s.absent = word
			for range 5 {
				s.sales[s.random.IntN(len(s.sales))].absent = true
			}
		}
	}
	dates := func(layout string) func(*sheet) {
		return func(s *sheet) { s.date = func(t time.Time) string { return t.Format(layout) } }
	}
	return []mess{
		{"thousands with commas", thousands(",")},
		{"thousands with apostrophes", thousands("'")},
		{"thousands with blanks", thousands("\u00a0")},
		{"a currency's sign", wrapped(func(a string, _ int) string { return "$" + a })},
		{"a currency's code", wrapped(func(a string, _ int) string { return a + " EUR" })},
		{"a currency in some rows", wrapped(func(a string, i int) string {
			if i%3 == 0 {
				return a
			}
			return "£" + a
		})},
		{"two currencies", wrapped(func(a string, i int) string { return a + []string{" EUR", " USD"}[i%2] })},
		{"parentheses for minus", func(s *sheet) {
			plain := s.amount
			for i := range s.sales {
				if i%7 == 0 {
					s.sales[i].cents = -s.sales[i].cents
				}
			}
			s.amount = func(c int64) string {
				if c < 0 {
					return "(" + plain(-c) + ")"
				}
				return plain(c)
			}
		}},
		{"minus behind", func(s *sheet) {
			plain := s.amount
			for i := range s.sales {
				if i%9 == 0 {
					s.sales[i].cents = -s.sales[i].cents
				}
			}
			s.amount = func(c int64) string {
				if c < 0 {
					return plain(-c) + "-"
				}
				return plain(c)
			}
		}},
		{"decimal comma", func(s *sheet) {
			s.delimiter = ";"
			s.amount = func(c int64) string { return decimal(c, ".", ",") }
			s.qty = func(n int) string { return grouped(int64(n), ".") }
			s.discount = func(p int) string { return fmt.Sprintf("0,%02d", p) }
		}},
		{"percent", func(s *sheet) { s.discount = func(p int) string { return strconv.Itoa(p) + " %" } }},
		{"day first", dates("02/01/2006")},
		{"month first", dates("01/02/2006")},
		{"dotted days", dates("02.01.2006")},
		{"named months", dates("2 Jan 2006")},
		{"short years", dates("02-Jan-06")},
		{"days of eight digits", dates("20060102")},
		{"times at an offset", func(s *sheet) {
			s.date = func(t time.Time) string { return t.Format(time.DateOnly) + "T10:30:00+02:00" }
		}},
		{"days in Spanish", func(s *sheet) {
			months := []string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}
			s.date = func(t time.Time) string {
				return fmt.Sprintf("%d de %s de %d", t.Day(), months[t.Month()-1], t.Year())
			}
		}},
		{"full-width digits", func(s *sheet) {
			wide := func(n string) string {
				return strings.Map(func(r rune) rune {
					if r >= '0' && r <= '9' {
						return r + '０' - '0'
					}
					return r
				}, n)
			}
			amount, qty := s.amount, s.qty
			s.amount = func(c int64) string { return wide(amount(c)) }
			s.qty = func(n int) string { return wide(qty(n)) }
		}},
		{"thousands as k", func(s *sheet) {
			s.amount = func(c int64) string {
				sign := ""
				if c < 0 {
					sign, c = "-", -c
				}
				return fmt.Sprintf("%s%d.%05dk", sign, c/100_000, c%100_000)
			}
		}},
		{"words around amounts", wrapped(func(a string, _ int) string { return "approx. " + a })},
		{"no value as a word", some("n/a")},
		{"no value as a dash", some("-")},
		{"a word among numbers", some("see note")},
		{"titles", func(s *sheet) { s.above = []string{"Sales report", "Made on 2023-12-31 by Ann", ""} }},
		{"a total", func(s *sheet) {
			before := s.lines
			s.lines = func(l []string) []string {
				return append(before(l), s.join([]string{"Total", "", "", "", "", "", s.amount(s.total()), ""}))
			}
		}},
		{"subtotals", func(s *sheet) {
			before := s.lines
			s.lines = func(l []string) []string {
				var out []string
				for i, line := range before(l) {
					if out = append(out, line); i%20 == 19 {
						out = append(out, s.join([]string{"", "", "Subtotal", "", "", "", s.amount(123456), ""}))
					}
				}
				return out
			}
		}},
		{"averages", func(s *sheet) {
			before := s.lines
			s.lines = func(l []string) []string {
				return append(before(l), s.join([]string{"", "", "Average", "", "", "", s.amount(s.total() / 80), ""}))
			}
		}},
		{"remarks with figures below", func(s *sheet) {
			before := s.lines
			s.lines = func(l []string) []string {
				return append(before(l), s.join([]string{"Best of the year", "", "", "", "", "", s.amount(899_999), ""}), s.join([]string{"Plan", "", "", "", "12", "", s.amount(777_777), ""}))
			}
		}},
		{"short rows", func(s *sheet) {
			before := s.record
			s.record = func(i int, f []string) []string {
				if f = before(i, f); i%16 == 3 {
					return f[:len(f)-1]
				}
				return f
			}
		}},
		{"long rows", func(s *sheet) {
			before := s.record
			s.record = func(i int, f []string) []string {
				if f = before(i, f); i%16 == 5 {
					return append(f, "more", "still more")
				}
				return f
			}
		}},
		{"names with the delimiter", func(s *sheet) {
			before := s.lines
			s.lines = func(l []string) []string {
				l = before(l)
				for i := range l {
					if i%16 == 7 {
						l[i] = strings.Replace(l[i], "Rye bread", "Rye"+s.delimiter+" bread", 1)
					}
				}
				return l
			}
		}},
		{"the header again", func(s *sheet) {
			before := s.lines
			s.lines = func(l []string) []string {
				l = before(l)
				return append(append(append([]string{}, l[:40]...), s.join(s.header)), l[40:]...)
			}
		}},
		{"doubled names", func(s *sheet) { s.header[7] = "amount" }},
		{"blank lines and a mark", func(s *sheet) {
			before := s.lines
			s.lines = func(l []string) []string { return append(before(l), "", "  ", "") }
		}},
	}
}
