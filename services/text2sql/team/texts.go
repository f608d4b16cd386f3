package team

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// Classes of findings on texts that stand for something else.
const (
	ClassTextOrder = "TEXT_ORDER" // numbers or dates in the order of their letters
	ClassCastLoss  = "CAST_LOSS"  // a cast that some stored values do not bear
)

// texts looks at the text columns that a statement orders or casts, by the stored values
// that are known.
func (b *Board) texts(sql string, uses []tools.TextUse) []Finding {
	var out []Finding
	for _, u := range uses {
		column, ok := b.column(tools.Constant{Table: u.Table, Column: u.Column})
		if !ok {
			continue
		}
		stored := slices.DeleteFunc(slices.Clone(column.Samples), func(s string) bool { return strings.TrimSpace(s) == "" })
		if len(stored) == 0 {
			continue
		}
		switch {
		case u.To != "":
			if lost := slices.IndexFunc(stored, func(s string) bool { return !bears(s, u.To) }); lost >= 0 {
				f := Finding{Class: ClassCastLoss, SQL: sql, Message: b.say("cast_loss", u.Table, u.Column, u.To)}
				if b.mayTell(column) {
					f.Message += b.Task.Language.Pick(" ", "") + b.say("such_as", stored[lost])
				}
				out = append(out, f)
			}
		case misordered(stored, u.Against):
			f := Finding{Class: ClassTextOrder, SQL: sql, Message: b.say("text_order", u.Table, u.Column)}
			if b.mayTell(column) {
				f.Message += b.Task.Language.Pick(" ", "") + b.say("such_as", stored[0])
			}
			out = append(out, f)
		}
	}
	return out
}

// mayTell reports a column whose stored values may be told where a model is asked.
func (b *Board) mayTell(c catalog.Column) bool {
	return c.Personal == nil || b.Task.Strategy != ByModel
}

// misordered reports texts that all are numbers, or all dates, and whose order as texts
// is another one: numbers of one length and ISO dates are in order.
func misordered(stored, against []string) bool {
	all := slices.Concat(stored, against)
	switch {
	case every(stored, isNumber):
		length := len(stored[0])
		return !every(all, func(s string) bool { return len(s) == length && every(strings.Split(s, ""), isDigit) })
	case every(stored, isISO):
		return !every(against, isISO)
	}
	return every(stored, isDate)
}

func every(list []string, is func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !is(s) })
}

func isDigit(s string) bool { return len(s) == 1 && s[0] >= '0' && s[0] <= '9' }

func isNumber(s string) bool {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// isoForms begin with year, month and day in this order and full width.
var isoForms = [...]string{time.DateOnly, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02 15:04", "2006-01", "2006"}

func isISO(s string) bool { return parses(s, isoForms[:]) }

// otherForms are dates whose order as texts is not that of time.
var otherForms = [...]string{
	"2/1/2006", "1/2/2006", "2/1/06", "1/2/06", "2.1.2006", "2.1.06", "2-1-2006", "1-2-2006", "2-Jan-2006", "2-Jan-06", "2 Jan 2006", "2 January 2006",
	"Jan 2, 2006", "January 2, 2006", "2006/1/2", "2006-1-2", "2006年1月2日", "1/2/2006 15:04", "2/1/2006 15:04", "1/2/2006 15:04:05", "2/1/2006 15:04:05",
}

func isDate(s string) bool { return parses(s, otherForms[:]) || parses(s, isoForms[:]) }

func parses(s string, forms []string) bool {
	s = strings.TrimSpace(s)
	return slices.ContainsFunc(forms, func(form string) bool { _, err := time.Parse(form, s); return err == nil })
}

// bears reports whether Presto can cast a text to a type, as far as is known.
func bears(s, to string) bool {
	base, _, _ := strings.Cut(to, "(")
	switch strings.TrimSpace(base) {
	case "double", "real", "decimal":
		return isNumber(s)
	case "bigint", "integer", "int", "smallint", "tinyint":
		_, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		return err == nil
	case "date":
		return parses(s, []string{time.DateOnly, "2006-1-2"})
	case "timestamp":
		return parses(s, []string{time.DateOnly, "2006-1-2", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05.999999999 Z07:00"})
	}
	return true
}
