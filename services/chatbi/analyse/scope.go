package analyse

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/result"
)

// Bounds of what a sentence says of what an answer is of.
const (
	scopeCountries  = 4
	scopeConditions = 3
	scopeRunes      = 120 // of the conditions named
)

// scope says what an answer is of: the countries, the conditions and the days. Two periods
// that are set beside each other say it themselves.
func (w *work) scope() args {
	if w.Compared != nil {
		return nil
	}
	out := args{}
	var names []string
	for _, code := range w.Countries {
		names = append(names, result.CountryName(code, w.Language))
	}
	if len(names) > 0 && len(names) <= scopeCountries && !w.listsCountries() {
		out["in"] = w.say.text("scope_in", args{"names": w.say.list(names)})
	}
	if text, more := w.conditions(); text != "" {
		key := "scope_only"
		if more > 0 {
			key = "scope_only_more"
		}
		out["only"] = w.say.text(key, args{"conditions": text, "n": count(more)})
	}
	out["on"] = w.days()
	return out
}

// days are the days asked for, as they stand behind or before what is said of them; empty:
// not known, or no whole days.
func (w *work) days() string {
	if !w.Asked.OfDays() {
		return ""
	}
	day := func(t time.Time) string { return result.FormatMoment(t, result.GrainDay, w.Language) }
	switch {
	case w.Asked.To.IsZero():
		return w.say.text("scope_since", args{"from": day(w.Asked.From)})
	case w.Asked.From.IsZero():
		return w.say.text("scope_until", args{"to": day(w.Asked.To.AddDate(0, 0, -1))})
	}
	a := args{}
	return w.say.text(w.when("scope_on", a), a)
}

// conditions are the first conditions, as many as a sentence takes, and how many more
// there are.
func (w *work) conditions() (text string, more int) {
	var told []string
	length := 0
	for _, c := range w.Conditions {
		length += utf8.RuneCountInString(c)
		if len(told) == scopeConditions || length > scopeRunes {
			break
		}
		told = append(told, c)
	}
	return strings.Join(told, w.Language.Pick("; ", "；")), len(w.Conditions) - len(told)
}

// listsCountries reports whether several countries stand in the rows.
func (w *work) listsCountries() bool {
	if len(w.Countries) < 2 {
		return false
	}
	for _, row := range w.Table.Rows {
		for _, v := range row {
			if text, ok := v.(string); ok && text == w.Countries[0] {
				return true
			}
		}
	}
	return false
}
