package metric

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// grains are what time can be cut into and moved by.
var grains = []string{"", "hour", "day", "week", "month", "quarter", "year"}

// valid refuses an intent that no question has but that a model may make up: ids
// that the layer lacks, conditions without a number, periods without an end.
func valid(layer *semantic.Layer, in *intent.Intent) error {
	invalid := func(format string, args ...any) error {
		return &Problem{Code: "INVALID", What: []string{fmt.Sprintf(format, args...)}}
	}
	for _, o := range measured(in) {
		if !known(layer, o.ID) {
			return invalid("metric %s", o.ID)
		}
		if o.Agg == intent.AggRatio && !known(layer, o.Per.ID) {
			return invalid("metric %s", o.Per.ID)
		}
	}
	for _, h := range in.Having {
		want := 1
		if h.Op == intent.Between {
			want = 2
		}
		if h.Left == nil || h.Left.Kind != intent.KindMetric || len(h.Values) != want || h.Op != intent.Between && compared[h.Op] == "" {
			return invalid("having %s", h.Op)
		}
		for _, v := range h.Values {
			if _, err := strconv.ParseFloat(v.Text, 64); err != nil || !decimalForm.MatchString(v.Text) {
				return invalid("number %q", v.Text)
			}
		}
	}
	return validTime(in, invalid)
}

func validTime(in *intent.Intent, invalid func(string, ...any) error) error {
	t := in.Time
	if t == nil {
		return nil
	}
	days := []string{t.From, t.To}
	if c := t.Compare; c != nil {
		days = append(days, c.From, c.To)
		if byUnit := c.N > 0 && c.Unit != "" && c.Unit != "hour" && slices.Contains(grains, c.Unit); byUnit == (c.From != "" && c.To != "") {
			return invalid("comparison with %d %s", c.N, c.Unit)
		}
	}
	for _, d := range days {
		if _, err := time.Parse(time.DateOnly, d); err != nil && d != "" {
			return invalid("day %q", d)
		}
	}
	if !slices.Contains(grains, t.Grain) {
		return invalid("grain %q", t.Grain)
	}
	return nil
}

// known reports whether the layer has a metric, or a variant of it.
func known(layer *semantic.Layer, id string) bool {
	return slices.ContainsFunc(layer.Metrics, func(m semantic.Metric) bool { return m.ID == id || Base(m.ID) == id })
}
