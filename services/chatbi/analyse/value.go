package analyse

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result"
)

// maxText bounds a value inside a sentence, in characters.
const maxText = 80

// label is a column's name for people.
func (w *work) label(i int) string {
	if l := w.Columns[i].Label; l != "" {
		return prose.Safe(prose.Line(l))
	}
	name := w.Table.Columns[i].Name
	if w.words.nameless(name) {
		switch w.Columns[i].Aggregate {
		case AggregateCount, AggregateCountDistinct:
			return w.say.text("label_count", nil)
		}
		return w.say.text("label_result", nil)
	}
	return prose.Safe(prose.Line(w.words.readable(name)))
}

// value writes a value with its unit.
func (w *work) value(v any, i int) string {
	if w.roleIsNumber(i) {
		if n, ok := result.NumberOf(v, w.Table.Columns[i]); ok {
			return w.number(n, i)
		}
	}
	if at, grain, ok := w.dateValue(v, i); ok {
		return result.FormatMoment(at, grain, w.Language)
	}
	if n, ok := v.(int64); ok { // an identifier or a year: no separators
		return strconv.FormatInt(n, 10)
	}
	text, ok := result.Text(v, w.Table.Columns[i])
	if !ok {
		return w.say.text("missing_value", nil)
	}
	if w.countries(i) {
		if name := result.CountryName(text, w.Language); name != "" {
			return name
		}
	}
	if len(text) > maxText { // bytes: no fewer than characters
		if runes := []rune(text); len(runes) > maxText {
			text = string(runes[:maxText-1]) + "…"
		}
	}
	if text = prose.Safe(prose.Line(text)); !seen(text) {
		return w.say.text("blank", nil)
	}
	return text
}

// seen reports whether somebody who looks at a text sees anything of it.
func seen(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// countries reports whether a column that is named after countries has codes of them and
// nothing else: sentences say their names.
func (w *work) countries(column int) bool {
	c := &w.columns[column]
	if c.countries == nil {
		all := w.words.Country.in(w.Table.Columns[column].Name) || w.words.Country.in(w.Columns[column].Label)
		for r := 0; all && r < len(w.Table.Rows); r++ {
			if v := w.Table.Rows[r][column]; v != nil {
				text, isText := v.(string)
				all = isText && result.CountryName(text, w.Language) != ""
			}
		}
		c.countries = &all
	}
	return *c.countries
}

func (w *work) roleIsNumber(i int) bool { return w.roles[i] == roleMeasure }

// number writes a number with the unit of its column.
func (w *work) number(n result.Number, i int) string {
	unit := w.Columns[i].Unit
	switch unit {
	case "":
		return w.beside(n.String(), i)
	case "%", "％":
		return result.InGroup(n.String()+"%", result.Percentages)
	case UnitFraction:
		return w.percent(n.Float64())
	case UnitPoints:
		text := strings.TrimSuffix(result.Percent(n.Float64()), "%")
		points := result.PercentagePoints(text, w.Language)
		if text == "1" || text == "-1" {
			return points // with decimals it would be a plural
		}
		return result.InGroup(points, result.Percentages)
	}
	text := n.String()
	if (currency(unit) || moneySign(unit)) && w.fractions(i) {
		text = cents(text)
	}
	text = w.beside(text, i)
	if moneySign(unit) {
		amount := strings.TrimPrefix(text, "-")
		return strings.Repeat("-", len(text)-len(amount)) + unit + amount
	}
	if w.Language == lang.Chinese && !isLatin(unit) {
		return text + unit
	}
	return text + " " + unit
}

// beside marks a number of a column for those that stand beside it in a sentence. What is
// compared, that of another time, and the change between them are one group. Where all numbers
// are whole there is none: a mean of them has decimals that they have not.
func (w *work) beside(text string, column int) string {
	if w.Table.Columns[column].Kind() == result.KindInteger || !w.fractions(column) {
		return text
	}
	name := strings.ToLower(w.Table.Columns[column].Name)
	for _, of := range []string{strings.TrimPrefix(name, "previous_"), strings.TrimSuffix(name, "_change")} {
		if at := w.column(of); of != name && at >= 0 {
			column = at
			break
		}
	}
	return result.InGroup(text, result.ColumnGroup(column))
}

// percent writes a share or a change for a sentence.
func (w *work) percent(ratio float64) string {
	return result.InGroup(result.Percent(ratio), result.Percentages)
}

// moneySign reports whether a unit is a sign of money, such as $ or HK$, which stands before
// the amount.
func moneySign(unit string) bool {
	last, _ := utf8.DecodeLastRuneInString(unit)
	return unicode.Is(unicode.Sc, last)
}

// currency reports whether a unit is a code of ISO 4217.
func currency(unit string) bool {
	return len(unit) == 3 && strings.Trim(unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// fractions reports whether some number of a column is no whole one: then all amounts of
// it are written with two decimals, so that they are alike beside each other.
func (w *work) fractions(column int) bool {
	c := &w.columns[column]
	if c.fractions == nil {
		some := slices.ContainsFunc(w.floats(column), func(v float64) bool { return v != math.Trunc(v) && !math.IsNaN(v) })
		c.fractions = &some
	}
	return *c.fractions
}

// cents writes an amount with two decimals at least.
func cents(text string) string {
	whole, fraction, _ := strings.Cut(text, ".")
	if strings.ContainsAny(text, "eE") || len(fraction) >= 2 {
		return text
	}
	return whole + "." + fraction + strings.Repeat("0", 2-len(fraction))
}

func isLatin(s string) bool { return s != "" && s[0] < 0x80 }

func (w *work) dateValue(v any, i int) (at time.Time, grain result.Grain, ok bool) {
	kind := w.Table.Columns[i].Kind()
	text, isText := v.(string)
	if !isText || kind != result.KindDate && kind != result.KindTimestamp {
		return at, grain, false
	}
	at, grain, ok = result.ParseMoment(text, w.Now.Location())
	if period := periodNamed(w.Table.Columns[i].Name); ok && period != result.GrainNone && midnight(at) && starts(at, period) {
		grain = period
	}
	return at, grain, ok
}

// periodNamed is the period that a column of points in time is named by where rows
// stand for whole ones; GrainNone: it is not.
func periodNamed(column string) result.Grain {
	switch strings.ToLower(column) {
	case "week":
		return result.GrainWeek
	case "month":
		return result.GrainMonth
	case "quarter":
		return result.GrainQuarter
	case "year":
		return result.GrainYear
	}
	return result.GrainNone
}

// starts reports whether a day is the first of a period.
func starts(day time.Time, period result.Grain) bool {
	switch period {
	case result.GrainYear:
		return day.YearDay() == 1
	case result.GrainQuarter:
		return day.Day() == 1 && day.Month()%3 == 1
	case result.GrainMonth:
		return day.Day() == 1
	}
	return period == result.GrainWeek
}

// measured are the numbers of a measure that are there, with their rows.
type measured struct {
	column  int
	numbers []result.Number
	rows    []int
}

func (w *work) measure(column int) measured {
	if m, ok := w.read[column]; ok {
		return m
	}
	m := measured{column: column}
	for r, row := range w.Table.Rows {
		if n, ok := result.NumberOf(row[column], w.Table.Columns[column]); ok {
			m.numbers, m.rows = append(m.numbers, n), append(m.rows, r)
		}
	}
	w.read[column] = m
	return m
}

// additive reports whether the values of a column add up to something.
func (w *work) additive(column int) bool {
	switch w.Columns[column].Aggregate {
	case AggregateCountDistinct, AggregateOther:
		return false
	case AggregateCount:
		return true
	}
	// A sum of ratios is named like a ratio: then the name knows better.
	return !w.words.NotAdditive.in(w.Table.Columns[column].Name) && !slices.Contains([]string{"%", UnitFraction, UnitPoints}, w.Columns[column].Unit)
}

// addsOverTime reports whether the values of a column add up over periods: of a level, such as
// a stock or the visitors of a day, they do not.
func (w *work) addsOverTime(column int) bool { return w.additive(column) && !w.Columns[column].Level }

// averages reports whether the mean of a column's values means something: of stored
// values and of different things counted it does, of averages, ratios, extremes and
// quantiles it does not.
func (w *work) averages(column int) bool {
	switch w.Columns[column].Aggregate {
	case AggregateCount, AggregateCountDistinct:
		return true
	case AggregateOther:
		return false
	}
	return !w.words.Averaged.in(w.Table.Columns[column].Name) && !slices.Contains([]string{"%", "％", UnitFraction, UnitPoints}, w.Columns[column].Unit)
}

// extremes returns the positions of the first least and first greatest number.
func extremes(numbers []result.Number) (low, high int) {
	for i, n := range numbers {
		if n.Cmp(numbers[low]) < 0 {
			low = i
		}
		if n.Cmp(numbers[high]) > 0 {
			high = i
		}
	}
	return low, high
}
