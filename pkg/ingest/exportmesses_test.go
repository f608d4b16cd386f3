package ingest_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// call gives a column another name in the table.
func (s *sheet) call(name, called string) {
	if s.called == nil {
		s.called = make(map[string]string)
	}
	s.called[name] = called
}

// exportMesses are what programs and countries put into the files that they write: accounts of banks and shops,
// lists of SAP, ledgers of Chinese and Indian programs, spreadsheets.
func exportMesses() []mess {
	each := func(change func(i int, fields []string) []string) func(*sheet) {
		return func(s *sheet) {
			before := s.record
			s.record = func(i int, f []string) []string { return change(i, before(i, f)) }
		}
	}
	values := func(change func(value string) string) func(*sheet) {
		return each(func(_ int, f []string) []string {
			for k := range f {
				f[k] = change(f[k])
			}
			return f
		})
	}
	amounts := func(wrap func(amount string, i int) string) func(*sheet) {
		return func(s *sheet) {
			plain, n := s.amount, 0
			s.amount = func(c int64) string { n++; return wrap(plain(c), n) }
		}
	}
	negatives := func(write func(positive string) string) func(*sheet) {
		return func(s *sheet) {
			plain := s.amount
			for i := range s.sales {
				if i%6 == 1 {
					s.sales[i].cents = -s.sales[i].cents
				}
			}
			s.amount = func(c int64) string {
				if c < 0 {
					return write(plain(-c))
				}
				return plain(c)
			}
		}
	}
	dates := func(write func(time.Time) string) func(*sheet) {
		return func(s *sheet) { s.date = write }
	}
	inserted := func(every int, fields func(*sheet) []string) func(*sheet) {
		return func(s *sheet) {
			before := s.lines
			s.lines = func(l []string) []string {
				var out []string
				for i, line := range before(l) {
					if out = append(out, line); i%every == every-1 {
						out = append(out, s.join(fields(s)))
					}
				}
				return out
			}
		}
	}
	return []mess{
		{"grouped by lakhs", func(s *sheet) { // Tally, banks of India
			for i := range s.sales {
				s.sales[i].cents *= 379
			}
			s.amount = func(c int64) string {
				sign := ""
				if c < 0 {
					sign, c = "-", -c
				}
				whole := strconv.FormatInt(c/100, 10)
				for at := len(whole) - 3; at > 0; at -= 2 {
					whole = whole[:at] + "," + whole[at:]
				}
				return fmt.Sprintf("%s%s.%02d", sign, whole, c%100)
			}
		}},
		{"a spreadsheet's accounting", func(s *sheet) {
			for i := range s.sales {
				if i%9 == 2 {
					s.sales[i].cents = 0
				}
				if i%9 == 4 {
					s.sales[i].cents = -s.sales[i].cents
				}
			}
			plain := s.amount
			s.amount = func(c int64) string {
				switch {
				case c == 0:
					return " $ -   "
				case c < 0:
					return " $ (" + plain(-c) + ")"
				}
				return " $ " + plain(c) + " "
			}
		}},
		{"numbers as formulas", values(func(v string) string { // so that spreadsheets keep zeros in front
			if v != "" && strings.Trim(v, "0123456789.,-") == "" {
				return `="` + v + `"`
			}
			return v
		})},
		{"tabs behind values", values(func(v string) string { return v + "\t" })}, // Alipay
		{"accents before values", func(s *sheet) { // WeChat Pay
			values(func(v string) string { return "`" + v })(s)
		}},
		{"apostrophes before values", values(func(v string) string { return "'" + v })},
		{"padded with blanks", values(func(v string) string { return fmt.Sprintf("  %-12s ", v) })},
		{"bars and rules", func(s *sheet) { // SAP's lists
			s.delimiter, s.frame = "|", "|"
			before := s.lines
			rule := strings.Repeat("-", 80)
			s.above = append(s.above, rule)
			s.lines = func(l []string) []string { return append(append([]string{rule}, before(l)...), rule) }
		}},
		{"a line sep=", func(s *sheet) { s.above = append([]string{"sep=" + s.delimiter}, s.above...) }},
		{"a dash for no cents", func(s *sheet) { // Switzerland, Germany
			plain := s.amount
			for i := range s.sales {
				if i%3 > 0 {
					s.sales[i].cents -= s.sales[i].cents % 100
				}
			}
			s.amount = func(c int64) string {
				text := plain(c)
				for _, none := range []string{".00", ",00"} {
					if head, cut := strings.CutSuffix(text, none); cut {
						return head + none[:1] + "-"
					}
				}
				return text
			}
		}},
		{"triangles for minus", negatives(func(a string) string { return "▲" + a })}, // Japan
		{"en dashes for minus", negatives(func(a string) string { return "–" + a })},
		{"a sign before each amount", func(s *sheet) { // statements of banks
			negatives(func(a string) string { return "-" + a })(s)
			plain := s.amount
			s.amount = func(c int64) string {
				if c < 0 {
					return plain(c)
				}
				return "+" + plain(c)
			}
		}},
		{"debit and credit", func(s *sheet) {
			plain := s.amount
			for i := range s.sales {
				if i%5 == 1 {
					s.sales[i].cents = -s.sales[i].cents
				}
			}
			s.amount = func(c int64) string {
				if c < 0 {
					return plain(-c) + " Dr"
				}
				return plain(c) + " Cr"
			}
		}},
		{"yuan on both sides", amounts(func(a string, _ int) string { return "¥" + a + "元" })},
		{"marks of footnotes", amounts(func(a string, i int) string {
			if i%11 == 3 {
				return a + "*"
			}
			return a
		})},
		{"flags of statistics", amounts(func(a string, i int) string { // Eurostat
			if i%7 == 3 {
				return a + []string{" p", " e", " b"}[i%3]
			}
			return a
		})},
		{"a colon for no value", func(s *sheet) {
			s.absent = ":"
			for range 5 {
				s.sales[s.random.IntN(len(s.sales))].absent = true
			}
		}},
		{"Arabic digits", func(s *sheet) {
			arabic := func(n string) string {
				return strings.Map(func(r rune) rune {
					switch {
					case r >= '0' && r <= '9':
						return r + '٠' - '0'
					case r == '.':
						return '٫'
					case r == ',':
						return '٬'
					}
					return r
				}, n)
			}
			amount, qty := s.amount, s.qty
			s.amount = func(c int64) string { return arabic(amount(c)) }
			s.qty = func(n int) string { return arabic(qty(n)) }
		}},
		{"days counted by spreadsheets", dates(func(t time.Time) string {
			return strconv.Itoa(int(t.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours()) / 24)
		})},
		{"months alone", func(s *sheet) {
			for i, row := range s.sales {
				s.sales[i].day = time.Date(row.day.Year(), row.day.Month(), 1, 0, 0, 0, 0, time.UTC)
			}
			s.date = func(t time.Time) string { return t.Format("Jan 2006") }
		}},
		{"months in figures", func(s *sheet) {
			for i, row := range s.sales {
				s.sales[i].day = time.Date(row.day.Year(), row.day.Month(), 1, 0, 0, 0, 0, time.UTC)
			}
			s.date = func(t time.Time) string { return t.Format("2006年1月") }
		}},
		{"invisible marks", dates(func(t time.Time) string { return "\u200e" + t.Format("2006/1/2") + "\u200f" })}, // of the direction of writing
		{"halves of days in Chinese", dates(func(t time.Time) string {
			return t.Format("2006/1/2 ") + []string{"上午 ", "下午"}[t.Day()%2] + "3:20:00"
		})},
		{"a zone behind the time", dates(func(t time.Time) string { return t.Format("Jan 2, 2006") + " 10:30:00 AM PST" })}, // PayPal, Amazon
		{"summer time", dates(func(t time.Time) string {
			zone := "PST"
			if t.Month() > time.March && t.Month() < time.November {
				zone = "PDT"
			}
			return t.Format("Jan 2, 2006") + " 10:30:00 AM " + zone
		})},
		{"clocks of browsers", dates(func(t time.Time) string {
			return t.Format("Mon Jan 02 2006") + " 10:30:00 GMT+0800 (China Standard Time)"
		})},
		{"clocks of Unix", dates(func(t time.Time) string { return t.Format("Mon Jan _2 ") + "10:30:00 UTC " + t.Format("2006") })},
		{"clocks of mail", dates(func(t time.Time) string { return t.Format("Mon, 02 Jan 2006 15:04:05") + " GMT" })},
		{"years of Taiwan", dates(func(t time.Time) string { return fmt.Sprintf("%d/%02d/%02d", t.Year()-1911, t.Month(), t.Day()) })},
		{"years of Thailand", dates(func(t time.Time) string { return fmt.Sprintf("%02d/%02d/%d", t.Day(), t.Month(), t.Year()+543) })},
		{"years of Japan", dates(func(t time.Time) string {
			return fmt.Sprintf("令和%d年%d月%d日", t.Year()-2018, t.Month(), t.Day())
		})},
		{"short years first", dates(func(t time.Time) string { return t.Format("06-01-02") })},
		{"days without marks", dates(func(t time.Time) string { return strings.ToUpper(t.Format("02Jan2006")) })}, // SAS
		{"weekdays behind days", dates(func(t time.Time) string { return t.Format("2006-01-02 (Mon)") })},
		{"weekdays in Chinese", dates(func(t time.Time) string {
			return t.Format("2006年1月2日 ") + "星期" + []string{"日", "一", "二", "三", "四", "五", "六"}[t.Weekday()]
		})},
		{"French hours", dates(func(t time.Time) string { return t.Format("02/01/2006") + " à 10h30" })},
		{"German hours", dates(func(t time.Time) string { return t.Format("02.01.2006") + " 10.30 Uhr" })},
		{"points behind days", dates(func(t time.Time) string { return t.Format("2006. 01. 02.") })}, // Hungary, Korea
		{"sums of months in Chinese", inserted(20, func(s *sheet) []string { // ledgers of Yonyou and Kingdee
			return []string{"", "", "本月合计", "", "", "", s.amount(987_654), ""}
		})},
		{"balances between", inserted(20, func(s *sheet) []string {
			return []string{"", "", "Balance brought forward", "", "", "", s.amount(4_567_899), ""}
		})},
		{"units below names", func(s *sheet) {
			s.call("qty", s.column("qty")+" pcs")
			s.call("amount", s.column("amount")+" EUR")
			before := s.lines
			s.lines = func(l []string) []string {
				return append([]string{s.join([]string{"", "", "", "", "pcs", "", "EUR", ""})}, before(l)...)
			}
		}},
		{"groups above names", func(s *sheet) {
			for name, group := range map[string]string{"id": "Sale", "day": "Sale", "region": "Place and thing", "qty": "Figures", "discount": "Figures", "amount": "Figures"} {
				s.call(name, group+" "+s.column(name))
			}
			s.above = append(s.above, s.join([]string{"Sale", "", "Place and thing", "", "Figures", "", "", ""}))
		}},
		{"merged cells", func(s *sheet) { // of pivot tables and vouchers: a value once, then blanks
			last := ""
			each(func(i int, f []string) []string {
				if f[2] == last && i > 0 {
					f[2] = ""
				} else {
					last = f[2]
				}
				return f
			})(s)
		}},
		{"lines of rules", inserted(25, func(*sheet) []string {
			return []string{"----", "----------", "-----", "-----", "----", "----", "--------", "----"}
		})},
		{"amounts in words of China", func(s *sheet) {
			for i := range s.sales {
				s.sales[i].cents *= 1000
			}
			s.amount = func(c int64) string {
				sign := ""
				if c < 0 {
					sign, c = "-", -c
				}
				return fmt.Sprintf("%s%d.%06d万", sign, c/1_000_000, c%1_000_000)
			}
		}},
		{"percent in some rows", func(s *sheet) {
			n := 0
			s.discount = func(p int) string {
				if n++; n%2 == 0 {
					return strconv.Itoa(p) + "%"
				}
				return fmt.Sprintf("%.2f", float64(p)/100)
			}
		}},
	}
}
