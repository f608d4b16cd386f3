package analyse

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dibrain/dibrain/pkg/result"
)

// Bounds of what is looked for in rows that are no series and no ranking: those of a
// table as it is stored.
const (
	minRows          = 50
	maxTestedRows    = 2_000 // beyond, every so many rows are looked at
	maxRowCategories = 6
	maxRowMeasures   = 6
	maxRowTimes      = 2
	maxSplits        = 3  // categories whose values are looked at one by one over time
	maxRowValues     = 30 // different values of a category
	listedGroups     = 6  // groups whose means are all told
	minGroup         = 8  // rows of a group that is told of
	toldRows         = 12
	// rowsP is the chance that all tests together find something in rows without
	// structure; each test has a part of it.
	rowsP = 0.01
	// Least effects that are worth a finding: how many times a group's mean or share is
	// that of the others, and a correlation.
	apart, correlated = 1.25, 0.3
	// inOrder is the part of the rows in which a second time follows the first of a span.
	inOrder = 0.95
)

// columnKind is what a column of rows is.
type columnKind int

// Kinds of columns.
const (
	otherKind columnKind = iota
	timeKind
	measureKind
	categoryKind
	geographyKind
	identifierKind
)

// profiled is a column of rows: its kind, and its values as numbers (measures; times in
// days) or as groups (categories), by row that is looked at. NaN and -1 stand for none.
type profiled struct {
	column int // -1: made of two others
	end    int // of what is made of two times: the column of the second; else -1
	label  string
	unit   string
	kind   columnKind
	number []float64
	group  []int
	names  []string
	ranks  []float64 // of the numbers, where all are there and somebody asked
}

// ranked are the ranks of all rows' numbers; nil where some have none.
func (p *profiled) ranked() []float64 {
	if p.ranks == nil && !slices.ContainsFunc(p.number, math.IsNaN) {
		p.ranks, _ = ranksOf(p.number)
	}
	return p.ranks
}

// profile tells what each column is, and reads every so manyth row of it.
func (w *work) profile(every int) []profiled {
	var out []profiled
	var rows []int
	for r := 0; r < len(w.Table.Rows); r += every {
		rows = append(rows, r)
	}
	for i := range w.Table.Columns {
		p := profiled{column: i, end: -1, label: w.label(i), kind: w.kindOf(i, rows)}
		switch p.kind {
		case timeKind:
			p.number = make([]float64, len(rows))
			moments := w.moments(i)
			for n, r := range rows {
				if p.number[n] = math.NaN(); moments[r].ok {
					p.number[n] = float64(moments[r].at.Unix()) / (24 * 60 * 60)
				}
			}
		case measureKind:
			p.number = make([]float64, len(rows))
			numbers := w.floats(i)
			for n, r := range rows {
				p.number[n] = numbers[r]
			}
		case categoryKind, geographyKind:
			at := map[int]int{}
			p.group = make([]int, len(rows))
			written := w.values(i)
			for n, r := range rows {
				if p.group[n] = -1; nothing(w.Table.Rows[r][i]) {
					continue
				}
				value := written.of[r]
				if _, known := at[value]; !known {
					at[value] = len(p.names)
					p.names = append(p.names, w.named(w.Table.Rows[r][i], i))
				}
				p.group[n] = at[value]
			}
		}
		out = append(out, p)
	}
	return append(out, w.spans(out)...)
}

// kindOf tells the kind of a column by its type, its name, and how often values are
// repeated: a text that hardly any two rows share names the row.
func (w *work) kindOf(i int, rows []int) columnKind {
	switch w.roles[i] {
	case roleTime:
		return timeKind
	case roleMeasure:
		return measureKind
	case roleCategory:
	default:
		return otherKind
	}
	different := map[any]bool{}
	for _, r := range rows {
		if v := w.Table.Rows[r][i]; !nothing(v) {
			different[v] = true
		}
		if len(different) > maxRowValues {
			break
		}
	}
	switch {
	case w.words.Identifier.in(w.Table.Columns[i].Name) || len(different) > maxRowValues:
		return identifierKind
	case len(different) < 2:
		return otherKind
	case w.words.Geography.in(w.Table.Columns[i].Name):
		return geographyKind
	}
	return categoryKind
}

// spans are the days between two times of a row, where the second follows the first in
// nearly all of them: from the opening of a ticket to its closing.
func (w *work) spans(columns []profiled) []profiled {
	var times, out []profiled
	for _, p := range columns {
		if p.kind == timeKind && len(times) < maxRowTimes+1 {
			times = append(times, p)
		}
	}
	for _, a := range times {
		for _, b := range times {
			if a.column == b.column {
				continue
			}
			p := profiled{column: -1, end: b.column, kind: measureKind, unit: w.say.text("day_many", nil), label: w.say.text("span", args{"a": a.label, "b": b.label}), number: make([]float64, len(a.number))}
			both, ordered, some := 0, 0, false
			for r := range a.number {
				d := b.number[r] - a.number[r]
				if p.number[r] = d; math.IsNaN(d) {
					continue
				}
				both++
				if d >= 0 {
					ordered++
					some = some || d > 0
				}
			}
			if both >= minRows && some && float64(ordered) >= inOrder*float64(both) {
				out = append(out, p)
			}
		}
	}
	return out
}

// finding of rows with how sure it is.
type rowFinding struct {
	kind, key string
	args      args
	evidence  map[string]float64
	p         float64
}

// rowFindings looks for what the columns of rows have to do with each other: measures
// that differ between groups or go together, groups that are frequent where another is,
// and courses over time.
func (w *work) rowFindings() {
	if len(w.Table.Rows) < minRows || w.partial() {
		return
	}
	every := (len(w.Table.Rows) + maxTestedRows - 1) / maxTestedRows
	var categories, measures, times []profiled
	profiles := w.profile(every)
	slices.SortStableFunc(profiles, func(a, b profiled) int { // a row begins at the earliest of its times
		if a.kind != timeKind || b.kind != timeKind {
			return 0
		}
		return cmp.Compare(meanOf(a.number), meanOf(b.number))
	})
	for _, p := range profiles {
		switch {
		case (p.kind == categoryKind || p.kind == geographyKind) && len(categories) < maxRowCategories:
			categories = append(categories, p)
		case p.kind == measureKind && len(measures) < maxRowMeasures:
			measures = append(measures, p)
		case p.kind == timeKind && len(times) < maxRowTimes:
			times = append(times, p)
		}
	}
	var found []rowFinding
	tests := 0
	note := func(f rowFinding, tested, ok bool) {
		if tested {
			tests++
		}
		if ok {
			found = append(found, f)
		}
	}
	numbers := append(slices.Clone(measures), times...)
	for i := range measures {
		m := &numbers[i]
		for _, c := range categories {
			note(w.differ(*m, c))
		}
		for j := range numbers {
			other := &numbers[j]
			if other.kind != timeKind && other.column <= m.column || other.column == m.end {
				continue // each pair once; what lasts longer ends later
			}
			note(w.together(m, other, "", nil))
			for _, c := range categories[:min(len(categories), maxSplits)] {
				for g := range c.names {
					if other.kind == timeKind {
						note(w.together(m, other, c.names[g], func(r int) bool { return c.group[r] == g }))
					}
				}
			}
		}
	}
	for i, a := range categories {
		for _, b := range categories[:i] { // of both directions, the one that says more
			f, tested, ok := w.frequentIn(a, b)
			if g, _, too := w.frequentIn(b, a); too && (!ok || g.evidence["share"] > f.evidence["share"]) {
				f, ok = g, true
			}
			note(f, tested, ok)
		}
		note(w.mostRows(a))
	}
	for _, t := range times[:min(len(times), 1)] {
		note(w.manyOverTime(t, "", nil))
		for _, c := range categories[:min(len(categories), maxSplits)] {
			for g := range c.names {
				note(w.manyOverTime(t, c.names[g], func(r int) bool { return c.group[r] == g }))
			}
		}
	}
	level := rowsP / float64(max(tests, 1))
	found = slices.DeleteFunc(found, func(f rowFinding) bool { return f.p > level })
	slices.SortStableFunc(found, func(a, b rowFinding) int { return cmp.Compare(a.p, b.p) })
	kinds := map[string]int{}
	for _, f := range found {
		if kinds[f.kind] < toldRows/4 { // one kind does not crowd the others out
			kinds[f.kind]++
			f.args["p"] = formatP(f.p)
			w.find(f.kind, f.key, f.args, f.evidence)
			if last := &w.out.Findings[len(w.out.Findings)-1]; every > 1 {
				last.Text += w.Language.Pick(" ", "") + w.say.text("rows_sampled", args{"every": count(every)})
				last.Evidence["every"] = float64(every)
			}
		}
	}
}

// meanOf is the mean of the numbers that are there.
func meanOf(numbers []float64) float64 {
	total, n := 0.0, 0.0
	for _, v := range numbers {
		if !math.IsNaN(v) {
			total, n = total+v, n+1
		}
	}
	return total / max(n, 1)
}

// amount writes a statistic of a profiled measure.
func (w *work) amount(p profiled, v float64) string {
	if p.column >= 0 {
		text, _ := w.statistic(v, p.column)
		return text
	}
	n, _ := result.Float(math.Round(10*v) / 10)
	return n.String() + w.Language.Pick(" ", "") + p.unit
}

// differ tests whether a measure differs between groups (Kruskal and Wallis), and tells
// the group whose mean is farthest from that of all others together.
func (w *work) differ(m, c profiled) (f rowFinding, tested, ok bool) {
	var values []float64
	var group []int
	for r, v := range m.number {
		if c.group[r] >= 0 && !math.IsNaN(v) {
			values, group = append(values, v), append(group, c.group[r])
		}
	}
	if len(values) < minRows {
		return f, false, false
	}
	ranks, ties := ranksOf(values)
	k := len(c.names)
	sums, rankSums, counts := make([]float64, k), make([]float64, k), make([]float64, k)
	total := 0.0
	for i, g := range group {
		sums[g] += values[i]
		rankSums[g] += ranks[i]
		counts[g]++
		total += values[i]
	}
	n := float64(len(values))
	h, groups := 0.0, 0
	best, farthest := -1, 0.0
	for g := range k {
		if counts[g] == 0 {
			continue
		}
		groups++
		h += rankSums[g] * rankSums[g] / counts[g]
		if counts[g] < minGroup || n-counts[g] < minGroup {
			continue
		}
		mean, rest := sums[g]/counts[g], (total-sums[g])/(n-counts[g])
		if d := math.Abs(mean - rest); d > farthest {
			best, farthest = g, d
		}
	}
	correction := 1 - ties/(n*n*n-n)
	if groups < 2 || correction <= 0 {
		return f, false, false
	}
	h = (12/(n*(n+1))*h - 3*(n+1)) / correction
	f.p = chiSquare(h, groups-1)
	if best < 0 {
		return f, true, false
	}
	mean, rest := sums[best]/counts[best], (total-sums[best])/(n-counts[best])
	if mean*rest <= 0 || max(mean/rest, rest/mean) < apart {
		return f, true, false
	}
	f.kind, f.key = "difference", "find_differs_high"
	if mean < rest {
		f.key = "find_differs_low"
	}
	f.args = args{"label": m.label, "category": c.label, "name": c.names[best], "mean": w.amount(m, mean), "rest": w.amount(m, rest), "others": ""}
	if groups > 2 && groups <= listedGroups {
		var others []string
		for g, name := range c.names {
			if g != best && counts[g] > 0 {
				others = append(others, w.say.text("rank_next", args{"name": name, "value": w.amount(m, sums[g]/counts[g])}))
			}
		}
		f.args["others"] = w.say.text("differs_others", args{"list": w.say.list(others)})
	}
	f.evidence = map[string]float64{"mean": mean, "rest": rest, "n": counts[best], "rows": n, "p": f.p}
	return f, true, true
}

// together tests two columns of numbers, or a number and a time, for going together
// (Spearman's rank correlation with its t approximation), in all rows or in those of a group.
func (w *work) together(a, b *profiled, name string, in func(r int) bool) (f rowFinding, tested, ok bool) {
	var x, y []float64
	if in == nil {
		x, y = a.ranked(), b.ranked()
	}
	if x == nil || y == nil {
		x, y = nil, nil
		for r := range a.number {
			if !math.IsNaN(a.number[r]) && !math.IsNaN(b.number[r]) && (in == nil || in(r)) {
				x, y = append(x, a.number[r]), append(y, b.number[r])
			}
		}
		x, _ = ranksOf(x)
		y, _ = ranksOf(y)
	}
	if len(x) < minRows/2 {
		return f, false, false
	}
	rho := correlation(x, y)
	n := float64(len(x))
	f.p = math.Erfc(math.Abs(rho) * math.Sqrt((n-2)/max(1-rho*rho, 1e-12)) / math.Sqrt2)
	if math.Abs(rho) < correlated {
		return f, true, false
	}
	f.kind, f.key = "correlation", "find_together"
	if rho < 0 {
		f.key = "find_opposed"
	}
	if b.kind == timeKind {
		if f.key = "find_later_more"; rho < 0 {
			f.key = "find_later_less"
		}
	}
	first := a.label
	if name != "" {
		first = w.say.text("of_item", args{"label": a.label, "name": name})
	}
	f.args = args{"a": first, "b": b.label, "n": count(len(x)), "rho": twoDecimals(rho)}
	f.evidence = map[string]float64{"rho": rho, "n": n, "p": f.p}
	return f, true, true
}

func twoDecimals(v float64) string {
	n, _ := result.Float(math.Round(v*100) / 100)
	return n.String()
}

// correlation is Spearman's of two columns' ranks: Pearson's of them.
func correlation(x, y []float64) float64 {
	mean := float64(len(x)+1) / 2
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mean, y[i]-mean
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// frequentIn tests two categories for independence (Pearson's chi-square), and tells the
// value of a that is most above its share elsewhere where b has one of its values.
func (w *work) frequentIn(a, b profiled) (f rowFinding, tested, ok bool) {
	ka, kb := len(a.names), len(b.names)
	cells := make([]float64, ka*kb)
	ofA, ofB := make([]float64, ka), make([]float64, kb)
	n := 0.0
	for r := range a.group {
		if a.group[r] >= 0 && b.group[r] >= 0 {
			cells[a.group[r]*kb+b.group[r]]++
			ofA[a.group[r]]++
			ofB[b.group[r]]++
			n++
		}
	}
	if n < minRows {
		return f, false, false
	}
	chi, best, most := 0.0, -1, 0.0
	for i := range cells {
		expected := ofA[i/kb] * ofB[i%kb] / n
		d := cells[i] - expected
		chi += d * d / expected
		if cells[i] < minGroup || ofB[i%kb] == n {
			continue
		}
		if z := d / math.Sqrt(expected); z > most {
			best, most = i, z
		}
	}
	f.p = chiSquare(chi, (ka-1)*(kb-1))
	if best < 0 || n < 5*float64(ka*kb) { // too thin for the approximation
		return f, true, false
	}
	share := cells[best] / ofB[best%kb]
	elsewhere := (ofA[best/kb] - cells[best]) / (n - ofB[best%kb])
	if share < apart*elsewhere || share > 0.995 { // one that follows from the other says nothing
		return f, true, false
	}
	f.kind, f.key = "together", "find_frequent_in"
	f.args = args{"name": a.names[best/kb], "label": a.label, "category": b.label, "where": b.names[best%kb], "share": w.percent(share), "rest": w.percent(elsewhere)}
	f.evidence = map[string]float64{"share": share, "rest": elsewhere, "n": cells[best], "rows": n, "p": f.p}
	return f, true, true
}

// mostRows tells of a value that a good part of the rows have, well more than an even
// spread would give it.
func (w *work) mostRows(c profiled) (f rowFinding, tested, ok bool) {
	counts := make([]float64, len(c.names))
	n := 0.0
	for _, g := range c.group {
		if g >= 0 {
			counts[g]++
			n++
		}
	}
	if n < minRows || len(counts) < 3 {
		return f, false, false
	}
	best, chi := 0, 0.0
	for g, v := range counts {
		if v > counts[best] {
			best = g
		}
		even := n / float64(len(counts))
		chi += (v - even) * (v - even) / even
	}
	f.p = chiSquare(chi, len(counts)-1)
	share := counts[best] / n
	if share < mostShare || share < mostTimes/float64(len(counts)) {
		return f, true, false
	}
	f.kind, f.key = "concentration", "find_most_rows"
	f.args = args{"label": c.label, "name": c.names[best], "n": count(int(counts[best])), "all": count(int(n)), "share": w.percent(share)}
	f.evidence = map[string]float64{"share": share, "value": counts[best], "n": n, "p": f.p}
	return f, true, true
}

// mostShare is the least share of the rows that is told, and mostTimes how many times that
// of an even spread it is at least.
const mostShare, mostTimes = 0.35, 1.5

// manyOverTime tests the number of rows by week or month for a trend (Mann-Kendall), the
// periods at the ends left out, which may be parts.
func (w *work) manyOverTime(t profiled, name string, in func(r int) bool) (f rowFinding, tested, ok bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range t.number {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	grain := result.GrainWeek
	if high-low > monthsFrom {
		grain = result.GrainMonth
	}
	if !(high-low >= weeksFrom) || high-low > maxExpected {
		return f, false, false
	}
	day := func(v float64) time.Time { return time.Unix(int64(v*24*60*60), 0).UTC() }
	start := day(low)
	from := time.Date(start.Year(), start.Month(), start.Day(), 0, 0, 0, 0, time.UTC)
	if grain == result.GrainMonth {
		from = time.Date(start.Year(), start.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	var ends []float64
	for at := grain.Next(from); len(ends) < maxTrendPoints; at = grain.Next(at) {
		ends = append(ends, float64(at.Unix())/(24*60*60))
		if ends[len(ends)-1] > high {
			break
		}
	}
	counts := make([]float64, len(ends))
	for r, v := range t.number {
		if math.IsNaN(v) || in != nil && !in(r) {
			continue
		}
		if i, _ := slices.BinarySearch(ends, math.Nextafter(v, math.Inf(1))); i < len(counts) {
			counts[i]++
		}
	}
	if len(counts) < minTrendPoints+2 {
		return f, false, false
	}
	counts = counts[1 : len(counts)-1]
	index := make([]int, len(counts))
	total := 0.0
	for i := range index {
		index[i] = i
		total += counts[i]
	}
	trend, ok := testTrend(index, counts, 1)
	if !ok || total < minRows/2 {
		return f, false, false
	}
	f.p = trend.p
	if math.Abs(trend.change) < apart-1 {
		return f, true, false
	}
	period := w.say.text(map[bool]string{true: "month_one", false: "week_one"}[grain == result.GrainMonth], nil)
	f.kind, f.key = "trend", "find_rows_up"
	if trend.slope < 0 {
		f.key = "find_rows_down"
	}
	what := w.say.text("rows_all", nil)
	if name != "" {
		what = w.say.text("rows_of", args{"name": name})
	}
	f.args = args{"rows": what, "label": t.label, "period": period, "slope": twoDecimals(math.Abs(trend.slope)), "change": w.percent(math.Abs(trend.change))}
	f.evidence = map[string]float64{"slope": trend.slope, "change": trend.change, "n": float64(len(counts)), "p": trend.p}
	return f, true, true
}

// Days that rows have to cover to be counted by month, and at all by week.
const monthsFrom, weeksFrom = 800, 70

// chiSquare is the chance that a chi-square exceeds x.
func chiSquare(x float64, degrees int) float64 {
	if degrees < 1 || x <= 0 {
		return 1
	}
	return distuv.ChiSquared{K: float64(degrees)}.Survival(x)
}
