package written_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// groups writes digits with a mark between thousands.
func groups(digits, mark string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + mark + digits[i:]
	}
	return digits
}

// shift moves the point of "12.5" by two places, by other means than the package.
func shift(plain string) string {
	whole, fraction, _ := strings.Cut(plain, ".")
	n, _ := strconv.Atoi(whole)
	return fmt.Sprintf("%d.%02d%s", n/100, n%100, fraction)
}

// TestNumbersComeBack writes numbers in every style that people have, and reads them.
func TestNumbersComeBack(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	random := rand.New(rand.NewPCG(8, 1))
	type style struct{ thousands, decimal string }
	styles := []style{{",", "."}, {".", ","}, {" ", ","}, {" ", "."}, {"'", "."}, {"’", "."}, {"\u00a0", ","}, {"\u202f", ","}, {"_", "."}}
	signs := []struct {
		before, behind   string
		negative, marked bool
	}{{"", "", false, false}, {"-", "", true, false}, {"", "-", true, false}, {"− ", "", true, false}, {"", " −", true, false}, {"(", ")", true, true}, {"( ", " )", true, true}}
	units := []struct{ before, behind, unit string }{{"", "", ""}, {"$", "", "$"}, {"€ ", "", "EUR"}, {"", " EUR", "EUR"}, {"", "元", "CNY"}, {"", " kg", "kg"}, {"", "%", "%"}, {"", " km/h", "km/h"}, {"", " m²", "m²"}, {"", " °", "°"}}
	for _, s := range styles {
		for _, sign := range signs {
			for _, u := range units {
				whole := strconv.Itoa(1000 + random.IntN(9_000_000)) // with a mark of thousands
				fraction := strconv.Itoa(10 + random.IntN(90))
				text := sign.before + u.before + groups(whole, s.thousands) + s.decimal + fraction + u.behind + sign.behind
				plain := whole + "." + fraction
				if u.unit == "%" {
					plain = shift(plain)
				}
				if sign.negative {
					plain = "-" + plain
				}
				want := written.Number{Unit: u.unit, Marked: true}
				if s.decimal == "." {
					want.Point = plain
				} else {
					want.Comma = plain
				}
				got, ok := words.ReadNumber(text)
				require.True(t, ok, "%q", text)
				require.Equal(t, want, got, "%q", text)
				// Outside of the sign the unit means the same.
				text = u.before + sign.before + groups(whole, s.thousands) + s.decimal + fraction + sign.behind + u.behind
				got, ok = words.ReadNumber(" " + text + "\t")
				require.True(t, ok, "%q", text)
				require.Equal(t, want, got, "%q", text)
			}
		}
	}
	for range 200 { // whole numbers and fractions that nothing marks
		whole, fraction := strconv.Itoa(random.IntN(1000)), strconv.Itoa(random.IntN(100_000))
		got, ok := words.ReadNumber(whole)
		require.True(t, ok)
		require.Equal(t, written.Number{Point: whole, Comma: whole}, got)
		got, ok = words.ReadNumber(whole + "." + fraction)
		require.True(t, ok)
		want := written.Number{Point: whole + "." + fraction}
		if len(fraction) == 3 && whole[0] != '0' {
			want.Comma = whole + fraction
		}
		require.Equal(t, want, got)
	}
}

func TestNumbersAtTheirLimits(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for text, want := range map[string]written.Number{
		"-0":                    {Point: "0", Comma: "0"},
		"-0.00":                 {Point: "0.00"},
		"0%":                    {Point: "0.00", Comma: "0.00", Unit: "%", Marked: true},
		"5%":                    {Point: "0.05", Comma: "0.05", Unit: "%", Marked: true},
		"1,234%":                {Point: "12.34", Comma: "0.01234", Unit: "%", Marked: true},
		".25":                   {Point: "0.25"},
		",25":                   {Comma: "0.25", Marked: true},
		"0.5":                   {Point: "0.5"},
		"1,23,456":              {Point: "123456", Marked: true},
		"99,99,99,999.5":        {Point: "999999999.5", Marked: true},
		"1.23.456":              {},
		"123,45,678":            {},
		"1 23 456":              {},
		"1,23,45":               {},
		"1,2345":                {Comma: "1.2345", Marked: true},
		"1,2345,678":            {},
		"1,234,56":              {},
		"1,,234":                {},
		",234,567":              {},
		"1234,567":              {Comma: "1234.567", Marked: true},
		"1,234.":                {},
		"1.":                    {},
		".":                     {},
		"(5":                    {},
		"()5":                   {},
		"(-5)":                  {},
		"-(5)":                  {},
		"-5-":                   {},
		"$5$":                   {Point: "5", Comma: "5", Unit: "$", Marked: true},
		"$5 EUR":                {Point: "5", Comma: "5", Unit: "$ EUR", Marked: true},
		"$5 zz":                 {},
		"CAD $5":                {Point: "5", Comma: "5", Unit: "CAD", Marked: true},
		"zz $5":                 {},
		"5 twelve12":            {},
		"5 abcdefghijkl":        {Point: "5", Comma: "5", Unit: "abcdefghijkl", Marked: true},
		"5 abcdefghijklm":       {},
		"5abc":                  {},
		"5.5kg":                 {Point: "5.5", Unit: "kg", Marked: true},
		"5.5zz":                 {}, // a word that is no measure stands apart
		"5.5EUR":                {Point: "5.5", Unit: "EUR", Marked: true},
		"5kg":                   {Point: "5", Comma: "5", Unit: "kg", Marked: true},
		"5 a-b":                 {},
		"zz 5":                  {},
		"kg":                    {},
		strings.Repeat("1", 64): {Point: strings.Repeat("1", 64), Comma: strings.Repeat("1", 64)},
		strings.Repeat("1", 65): {},
	} {
		got, ok := words.ReadNumber(text)
		require.Equal(t, want != written.Number{}, ok, "%q %+v", text, got)
		if ok {
			require.Equal(t, want, got, "%q", text)
		}
	}
}

// TestMomentsComeBack writes days and times in every form, and reads them.
func TestMomentsComeBack(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	days := []struct {
		layout string
		form   written.Form
		month  bool // the month stands first
	}{
		{"2006-01-02", written.FormYearFirst, false}, {"2006/1/2", written.FormYearFirst, false}, {"2006.01.02", written.FormYearFirst, false},
		{"2006年1月2日", written.FormYearFirst, false}, {"2006年01月02号", written.FormYearFirst, false},
		{"2 Jan 2006", written.FormNamed, false}, {"02-Jan-2006", written.FormNamed, false}, {"2. January 2006", written.FormNamed, false}, {"2 Jan, 2006", written.FormNamed, false},
		{"02/Jan/2006", written.FormNamed, false}, {"January 2, 2006", written.FormNamed, true}, {"Jan-02-2006", written.FormNamed, true}, {"Jan. 2 2006", written.FormNamed, true},
		{"Mon, 2 Jan 2006", written.FormNamed, false}, {"Monday January 2, 2006", written.FormNamed, true}, {"2nd Jan 2006", written.FormNamed, false},
		{"02.01.2006", written.FormDotted, false}, {"2. 1. 2006", written.FormDotted, false}, {"2/1/2006", written.FormSlashed, false}, {"02-01-2006", written.FormSlashed, false},
		{"2/1/06", written.FormSlashed, false}, {"02.01.06", written.FormDotted, false}, {"2-Jan-06", written.FormNamed, false},
	}
	clocks := []struct {
		layout string
		unit   time.Duration
	}{
		{"", 24 * time.Hour}, {" 15:04", time.Minute}, {" 15:04:05", time.Second}, {"T15:04:05", time.Second}, {", 15:04", time.Minute}, {" 3:04 PM", time.Minute}, {" 03:04:05pm", time.Second},
		{" 15:04:05.000", time.Millisecond}, {" 15:04:05,000000", time.Microsecond}, {" 15:04:05.000000000", 1}, {"T15:04:05Z", time.Second}, {" 15:04:05 UTC", time.Second}, {" 15:04:05 GMT", time.Second},
		{" 15:04:05+00:00", time.Second}, {" 15:04:05+00", time.Second}, {" 15:04:05 +0000", time.Second},
	}
	random := rand.New(rand.NewPCG(4, 1))
	for _, d := range days {
		for _, c := range clocks {
			for range 12 {
				at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(random.Int64N(int64(99 * 365 * 24 * time.Hour)))).Truncate(c.unit)
				text := at.Format(d.layout + c.layout)
				got, ok := words.ReadMoment(text)
				require.True(t, ok, text)
				require.Equal(t, d.form, got.Form, text)
				require.Equal(t, c.layout == "", got.Bare, text)
				require.Equal(t, !strings.Contains(d.layout, "2006"), got.ShortYear, text)
				require.Equal(t, at, got.DayFirst, text)
				swapped := at
				if d.form == written.FormSlashed {
					swapped = time.Time{}
					if at.Day() <= 12 {
						swapped = time.Date(at.Year(), time.Month(at.Day()), int(at.Month()), 0, 0, 0, 0, time.UTC).Add(at.Sub(at.Truncate(24 * time.Hour)))
					}
				}
				require.Equal(t, swapped, got.MonthFirst, text)
			}
		}
	}
}

func TestMomentsAtTheirLimits(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	read := func(text string) string {
		m, ok := words.ReadMoment(text)
		if !ok {
			return "no"
		}
		return m.DayFirst.Format("2006-01-02 15:04:05.999999999")
	}
	for text, want := range map[string]string{
		"1/1/70":                               "1970-01-01 00:00:00",
		"1/1/69":                               "2069-01-01 00:00:00",
		"1/1/7":                                "no", // too short
		"01/01/7":                              "no",
		"01/01/170":                            "no",
		"2024-02-29":                           "2024-02-29 00:00:00",
		"2023-02-29":                           "no",
		"2024-12-31":                           "2024-12-31 00:00:00",
		"2024-13-01":                           "no",
		"2024-00-01":                           "no",
		"2024-01-00":                           "no",
		"0000-01-01":                           "no",
		"0001-01-01":                           "no", // the zero time
		"0001-01-02":                           "0001-01-02 00:00:00",
		"2024-01-311":                          "no",
		"2024-011-1":                           "no",
		"2024-01/31":                           "no",
		"20240-01-01":                          "no",
		"202-01-01":                            "no",
		"24年1月2日":                              "no",
		"2024年1月2":                             "no",
		"2024年1-2日":                            "no",
		"2024年1月日":                             "no",
		"2024 01 02":                           "no",
		"Jan 311, 2024":                        "no",
		"Jan , 2024":                           "no",
		"Jan 31":                               "no",
		"Jan31, 2024":                          "2024-01-31 00:00:00",
		"Jan 31st, 2024":                       "2024-01-31 00:00:00",
		"1er janvier 2024":                     "2024-01-01 00:00:00",
		"1º enero 2024":                        "2024-01-01 00:00:00",
		"123 Jan 2024":                         "no",
		"31Jan2024":                            "2024-01-31 00:00:00",
		"31 Jan":                               "no",
		"2024-01-31 23:59:59":                  "2024-01-31 23:59:59",
		"2024-01-31 24:00:00":                  "no",
		"2024-01-31 23:60":                     "no",
		"2024-01-31 23:59:60":                  "no",
		"2024-01-31 23":                        "no",
		"2024-01-31 123:00":                    "no",
		"2024-01-31 12:":                       "no",
		"2024-01-31 12:00:":                    "no",
		"2024-01-31 12:00:00:00":               "no",
		"2024-01-31 12:00:00.":                 "no",
		"2024-01-31 12:00:00.123456789":        "2024-01-31 12:00:00.123456789",
		"2024-01-31 12:00:00.1234567891":       "no",
		"2024-01-31 0:00 AM":                   "no",
		"2024-01-31 13:00 PM":                  "no",
		"2024-01-31 12:30 AM":                  "2024-01-31 00:30:00",
		"2024-01-31 12:30 PM":                  "2024-01-31 12:30:00",
		"2024-01-31 1:30 am":                   "2024-01-31 01:30:00",
		"2024-01-31 11:30 pm":                  "2024-01-31 23:30:00",
		"2024-01-31 11:30 xm":                  "no",
		"2024-01-31 12:00 +01:00":              "2024-01-31 12:00:00",
		"2024-01-31 12:00 +14":                 "2024-01-31 12:00:00",
		"2024-01-31 12:00 +15":                 "no",
		"2024-01-31 12:00 +01:60":              "no",
		"2024-01-31 12:00 +":                   "no",
		"2024-01-31 12:00 +1:2":                "no",
		"2024-01-31 12:00 +010":                "no",
		"2024-01-31 12:00 Z or so":             "no",
		"2024-01-31" + strings.Repeat(" ", 86): "2024-01-31 00:00:00",
		"2024-01-31" + strings.Repeat(" ", 87): "no",
	} {
		require.Equal(t, want, read(text), text)
	}
}

func TestWordsAtTheirLimits(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	pad := func(word string, n int) string { return word + strings.Repeat(" ", n-len(word)) }
	require.True(t, words.IsNull(pad("n/a", 40)))
	require.False(t, words.IsNull(pad("n/a", 41)))
	_, ok := words.ReadFlag(pad("YES", 40))
	require.True(t, ok)
	_, ok = words.ReadFlag(pad("YES", 41))
	require.False(t, ok)
	_, ok = words.ReadFlag("maybe")
	require.False(t, ok)
	for text, want := range map[string]bool{"EUR": true, "kg": true, "eur": true, "": false, "order": false} {
		require.Equal(t, want, words.IsUnit(text), text)
	}
	require.True(t, words.IsUnit(" kg "))
	for text, want := range map[string]bool{"== Total ==": true, "2023 Total": true, "total 1/2": true, "12": false, "Total " + strings.Repeat("1", 34): true, "Total " + strings.Repeat("1", 35): false} {
		require.Equal(t, want, words.IsTotal(text), text)
	}
}
