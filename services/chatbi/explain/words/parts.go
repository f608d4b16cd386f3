package words

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// factors says what the factors account for, or the rate and the mix of a ratio. The
// numerator and the denominator of a ratio are said only where the mix is not known.
func (s *saying) factors() []string {
	if s.Mix != nil {
		parts := s.figures.parts([]float64{s.Mix.Rate, s.Mix.Shift}, s.figures.between(s.Metric))
		return []string{s.text("mix", args{"dimension": s.dimension(s.Mix.Dimension), "rate": parts[0], "shift": parts[1]})}
	}
	if len(s.Factors) == 0 {
		return nil
	}
	accounts := make([]float64, len(s.Factors))
	for i, f := range s.Factors {
		accounts[i] = f.Accounts
	}
	written := s.figures.parts(accounts, s.figures.between(s.Metric))
	texts := make([]string, len(s.Factors))
	for i, f := range s.Factors {
		own := figuresOf(s.unitBeside(s.factor(f.ID), s.labels.FactorUnits[f.ID]), s, f.Before, f.After)
		texts[i] = s.text("factor", args{"name": s.factor(f.ID), "before": beside(own.level(f.Before), i), "after": beside(own.level(f.After), i), "accounts": written[i]})
	}
	return []string{s.text("factors", args{"parts": s.list(texts), "change": s.figures.signed(s.figures.between(s.Metric))})}
}

// unitBeside is a unit as it is written beside a name: one that only says again what is
// counted is left out, and so is an English word among Chinese ones.
func (s *saying) unitBeside(name, unit string) string {
	word := unit != "" && unit != unitFraction && strings.ToLower(unit) == unit && strings.IndexFunc(unit, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
	if word && (s.language == lang.Chinese && len(unit) > longestSymbol || strings.Contains(strings.ToLower(name), unit)) {
		return ""
	}
	return unit
}

// longestSymbol is how many letters a symbol of a unit has at most: km, min, pcs.
const longestSymbol = 3

func (s *saying) factor(id string) string {
	otherwise := id
	if s.Kind == explain.Ratio && (id == explain.PartValue || id == explain.PartBase) {
		otherwise = s.text(id, nil)
	}
	return labelled(s.labels.Factors, id, otherwise)
}

// greatestShare is the greatest share of a change that tells something: of a small change
// everything is many times the whole.
const greatestShare = 10

// cells says one sentence for each telling element.
func (s *saying) cells() []string {
	var out []string
	for i, e := range s.Telling {
		own := figuresOf(s.labels.Unit, s, e.Metric.Before, e.Metric.After)
		a := args{"name": s.name(e), "before": beside(own.level(e.Metric.Before), i), "after": beside(own.level(e.Metric.After), i)}
		switch {
		case s.Metric.Change() == 0 || math.Abs(e.Share) > greatestShare:
		case e.Share >= 0:
			a["tail"] = s.text("cell_share", args{"share": share(e.Share)})
		default:
			a["tail"] = s.text("cell_accounts", args{"accounts": s.figures.signed(e.Accounts), "change": s.figures.signed(s.figures.between(s.Metric))})
		}
		if e.Metric.Before != 0 && s.labels.Unit != unitFraction {
			a["rate"] = s.text("rate", args{"rate": percent(e.Metric.Change() / math.Abs(e.Metric.Before))})
		}
		key := "cell"
		switch {
		case e.New:
			key = "cell_new"
		case e.Gone:
			key = "cell_gone"
		case len(s.Causes) > 0:
			a["tail"] += s.text("cell_expected", args{"expected": own.level(e.Expected)})
		}
		out = append(out, s.text(key, a))
	}
	return out
}

// when says the onset and the events at it.
func (s *saying) when() []string {
	var out []string
	if o := s.Onset; o != nil {
		out = append(out, s.onset(*o)...)
	}
	if len(s.Events) > 0 {
		names := make([]string, len(s.Events))
		for i, e := range s.Events {
			names[i] = prose.Line(e.Name)
		}
		key := "events_one"
		if s.Onset != nil {
			key = "events_at"
		}
		out = append(out, s.text(key, args{"events": s.list(names)}))
	}
	return out
}

// onset says when the course broke. A break against the change is not where it set in: a rise from
// a month that was low for three weeks is told by those weeks.
func (s *saying) onset(o explain.Onset) []string {
	levels := figuresOf(s.labels.Unit, s, o.Before, o.After)
	a := args{"date": s.date(o.Date), "before": levels.level(o.Before), "after": levels.level(o.After)}
	key, against := "onset", (o.After-o.Before)*s.Metric.Change() < 0
	switch {
	case against && o.Ended != nil:
		key, a["last"] = "stretch", s.date(o.Ended.AddDate(0, 0, -1))
	case against:
		key = "against"
	}
	if s.Kind != explain.Additive {
		key += "_level"
	}
	out := []string{s.text(key, a)}
	if o.Ended != nil && !against {
		out = append(out, s.text("ended", args{"date": s.date(*o.Ended)}))
	}
	return out
}

func (s *saying) date(t time.Time) string {
	return result.FormatMoment(t, result.GrainDay, s.language)
}

// restPoints is what of the change of a ratio belongs to none of the causes, in its own unit; 0
// where there is no cause, no change or no ratio.
func (s *saying) restPoints() float64 {
	rest := s.Metric.Change()
	if s.Kind != explain.Ratio || len(s.Causes) == 0 || rest == 0 {
		return 0
	}
	for _, c := range s.Causes {
		rest -= c.Accounts
	}
	return rest
}

// notes say what is usual, what is not covered, and what could not be split.
func (s *saying) notes() []string {
	var out []string
	if s.Usual != nil && s.Outcome != explain.NothingUnusual {
		low, high := s.usual()
		out = append(out, s.text("usual", args{"low": low, "high": high, "pairs": strconv.Itoa(s.Usual.Pairs)}))
	}
	rest, change := math.Abs(s.restPoints()), math.Abs(s.Metric.Change())
	if rest > 0 && rest >= leastRest*change && rest <= change/2 { // the headline says more
		out = append(out, s.text("rest_points", args{"rest": s.figures.signed(s.restPoints())}))
	}
	var overlapping []string
	for _, r := range s.Refusals {
		if s.Outcome == explain.NotDecomposable && r.Split != explain.ByTime {
			continue // the headline says it
		}
		if r.Reason == explain.ReasonOverlap && r.Subject != "" {
			overlapping = append(overlapping, s.dimension(r.Subject))
			continue
		}
		if r.Split == explain.ByTime {
			out = append(out, s.text("no_onset", args{"reason": s.reason(r)}))
			continue
		}
		out = append(out, s.text("refused", args{"split": s.text("split_"+string(r.Split), nil), "reason": s.reason(r)}))
	}
	if len(overlapping) > 0 {
		out = append(out, s.text("refused", args{"split": s.list(overlapping), "reason": s.text("cells_overlap", nil)}))
	}
	return out
}

// leastRest is the least part of the change that is worth saying that it is not covered.
const leastRest = 0.1

func (s *saying) reason(r explain.Refusal) string {
	subject := s.text("some_part", nil)
	if strings.TrimSpace(r.Subject) != "" {
		subject = s.factor(r.Subject)
	}
	return s.text(string(r.Reason), args{"subject": subject})
}
