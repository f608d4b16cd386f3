package pipeline

import (
	"regexp"
	"strings"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// plainYear is a year alone: columns of years and of days both take it, and the
// grammar reads it.
var plainYear = regexp.MustCompile(`^(?i:in |during )?\d{4}年?$`)

// ofYear says of which year periods are: "each month of 2026".
var ofYear = regexp.MustCompile(`^(?i: of (?:the )?(?:year )?(?:\d{4}|this year|last year|the (?:last|past|previous) year))\b`)

// whichPeriod asks for one of the periods that time is cut into.
var whichPeriod = regexp.MustCompile(`\b(?:which|what) (day|week|month|quarter|year)\b`)

// periods puts expressions of time in the place of their words where the tables
// have columns of time. What is the name of a column or a stored value stays.
func (p *Pipeline) periods(tokens []token.Token, question string, s *Schema, now time.Time) []token.Token {
	if !s.layer.Dated() {
		return tokens
	}
	if m := whichPeriod.FindStringSubmatchIndex(strings.ToLower(question)); m != nil {
		unit := strings.ToLower(question)[m[2]:m[3]]
		if !s.index.HasColumn(unit) {
			tokens = token.Merge(tokens, m[0], m[1], token.Period{Grain: unit})
		}
	}
	today := dates.Today(now)
	for _, f := range p.dates.Find(question, now) {
		switch {
		case f.Comparison, plainYear.MatchString(f.Text), s.index.HasValue(f.Text), s.index.HasValue(lastWord(f.Text)):
			continue
		case f.Grain != "":
			if !s.index.HasColumn(f.Grain) && !s.index.Names(lastWord(f.Text)) && (!strings.HasPrefix(strings.ToLower(question[f.End:]), " of ") || ofYear.MatchString(question[f.End:])) {
				tokens = token.Merge(tokens, f.Start, f.End, token.Period{Grain: f.Grain})
			}
			continue
		}
		var period token.Period
		if !f.From.IsZero() {
			period.First = f.From.Format(time.DateOnly)
		}
		if !f.To.IsZero() {
			period.Last = f.To.AddDate(0, 0, -1).Format(time.DateOnly)
		}
		if f.GoesOn && f.Unit == "" && f.To.Equal(today) && f.From.Before(today) {
			// A period that goes on: rows of today are there already, and may be
			// dated ahead.
			period.Last = ""
		}
		if period.First != "" || period.Last != "" {
			tokens = token.Merge(tokens, f.Start, f.End, period)
		}
	}
	return tokens
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }
