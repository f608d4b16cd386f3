package cost

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func half(n int) value { return value{kind: kindNumber, number: big.NewRat(int64(n), 2)} }

// member says by the spans alone whether a value is in a domain.
func (d Domain) member(v value) bool {
	for _, s := range d.spans {
		if s.from.compare(below(v)) <= 0 && above(v).compare(s.to) <= 0 {
			return true
		}
	}
	return false
}

// TestDomainsAreSets: intersections, unions and complements are those of the sets of
// values, and their spans are in order, never empty and never touch.
func TestDomainsAreSets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d, e := anyDomain(rt, 3), anyDomain(rt, 3)
		among := pointsOf([]value{half(rapid.IntRange(-20, 20).Draw(rt, "point")), half(rapid.IntRange(-20, 20).Draw(rt, "point"))})
		both, either, rest := d.intersect(e), d.union(e), among.others()
		for _, x := range []Domain{both, either, rest, d.withoutNull()} {
			for i, s := range x.spans {
				require.Negative(rt, s.from.compare(s.to))
				if i > 0 {
					require.Negative(rt, x.spans[i-1].to.compare(s.from))
				}
			}
		}
		require.Equal(rt, d.null && e.null, both.Null())
		require.Equal(rt, d.null || e.null, either.Null())
		require.False(rt, rest.Null())
		require.False(rt, d.withoutNull().Null())
		points, all := int64(0), true
		for n := -21; n <= 21; n++ {
			v := half(n)
			in, also := d.member(v), e.member(v)
			require.Equal(rt, in && also, both.member(v), "%s and %s: %s", d, e, v)
			require.Equal(rt, in || also, either.member(v), "%s or %s: %s", d, e, v)
			require.Equal(rt, !among.member(v), rest.member(v), "others than %s: %s", among, v)
			require.Equal(rt, in, d.withoutNull().member(v))
			require.Equal(rt, in || d.kind == kindNone && len(d.spans) > 0, d.Contains(v.String()))
			all = all && in
			if in {
				points++
			}
		}
		require.Equal(rt, all && d.null, d.IsAll())
		require.Equal(rt, points == 0 && !d.null, d.IsNothing())
		if n, ok := d.Points(); ok {
			require.Equal(rt, points, n, d)
		}
		require.Equal(rt, !d.member(half(-21)) || !d.member(half(21)), d.Bounded())
	})
}

// anyDomain draws a domain whose ends are whole numbers from -10 to 10.
func anyDomain(t *rapid.T, depth int) Domain {
	end := func() value { return half(2 * rapid.IntRange(-10, 10).Draw(t, "end")) }
	edges := func(v value) edge {
		if rapid.Bool().Draw(t, "after") {
			return above(v)
		}
		return below(v)
	}
	switch rapid.IntRange(0, 9).Draw(t, "form") {
	case 0:
		return All()
	case 1:
		return Nothing()
	case 2:
		return notNull()
	case 3:
		return onlyNull()
	case 4:
		return point(end())
	case 5:
		return except(end())
	case 6:
		return between(lowest(), edges(end()))
	case 7:
		return between(edges(end()), highest())
	case 8:
		return pointsOf([]value{end(), end(), end()})
	}
	d := between(edges(end()), edges(end()))
	if depth > 0 {
		return d.union(anyDomain(t, depth-1))
	}
	return d
}

// TestUnknownBounds: a bound whose value is not known yet stays one in intersections,
// and in unions only where both sides have it.
func TestUnknownBounds(t *testing.T) {
	t.Parallel()
	for _, d := range []Domain{unknownBound(true, false), unknownBound(false, true), onlyNull(), All()} {
		require.Equal(t, d, d.union(Nothing()))
		require.Equal(t, d, Nothing().union(d))
	}
	low, high, number := unknownBound(true, false), unknownBound(false, true), between(below(half(2)), highest())
	for _, c := range []struct {
		name       string
		d          Domain
		low, high  bool
		bounded    bool
		everything bool
	}{
		{"low", low, true, false, true, false},
		{"low and high", low.intersect(high), true, true, true, false},
		{"low or high", low.union(high), false, false, false, false},
		{"low or low", low.union(low), true, false, true, false},
		{"high or high", high.union(high), false, true, true, false},
		{"low or >= 1", low.union(number), true, false, true, false},
		{">= 1 or low", number.union(low), true, false, true, false},
		{"high or >= 1", high.union(number), false, false, false, false},
		{"low and >= 1", low.intersect(number), true, false, true, false},
		{"high or < 1", between(lowest(), below(half(2))).union(high), false, true, true, false},
		{"low or nothing", low.union(Nothing()), true, false, true, false},
		{"nothing or high", Nothing().union(high), false, true, true, false},
		{"low or NULL", low.union(onlyNull()), true, false, true, false},
		{"high or NULL", high.union(onlyNull()), false, true, true, false},
		{"low or all", low.union(All()), false, false, false, true},
	} {
		require.Equal(t, c.low, c.d.low, c.name)
		require.Equal(t, c.high, c.d.high, c.name)
		require.Equal(t, c.bounded, c.d.Bounded(), c.name)
		require.Equal(t, c.everything, c.d.IsAll(), c.name)
		_, points := c.d.Points()
		require.False(t, points, c.name)
		_, days := c.d.Days()
		require.False(t, days, c.name)
	}
	point := point(half(2)).intersect(unknownBound(true, false))
	_, ok := point.Points()
	require.False(t, ok)
	text := between(below(value{kind: kindText, text: "a"}), highest())
	require.Equal(t, number, number.intersect(text), "two kinds cannot be: one says enough")
	require.True(t, number.union(text).IsAll())
	require.Equal(t, kindNumber, number.intersect(notNull()).kind)
	require.Equal(t, kindNumber, notNull().union(number).kind)
}

// TestTooManySpansAreOne: what has more than 256 spans is its hull.
func TestTooManySpansAreOne(t *testing.T) {
	t.Parallel()
	values := func(n, first int) (out []value) {
		for i := range n {
			out = append(out, half(4*i+first))
		}
		return out
	}
	require.Len(t, pointsOf(values(maxSpans, 0)).bounded().spans, maxSpans)
	hull := pointsOf(values(maxSpans+1, 0)).bounded()
	require.Len(t, hull.spans, 1)
	require.True(t, hull.member(half(0)) && hull.member(half(1)) && hull.member(half(4*maxSpans)))
	require.False(t, hull.member(half(-1)) || hull.member(half(4*maxSpans+1)))
	require.Len(t, pointsOf(values(maxSpans, 0)).union(pointsOf(values(1, 1))).spans, 1)
	require.Len(t, pointsOf(values(maxSpans/2, 0)).union(pointsOf(values(maxSpans/2, 1))).spans, maxSpans)
}

// TestDaysOfADomain counts the midnights within spans, however they end.
func TestDaysOfADomain(t *testing.T) {
	t.Parallel()
	at := func(text string) value {
		v, ok := readTime(text)
		require.True(t, ok, text)
		return v
	}
	for _, c := range []struct {
		from, to edge
		want     int64
	}{
		{below(at("2024-02-28")), above(at("2024-03-01")), 3},
		{above(at("2024-02-28")), below(at("2024-03-01")), 1},
		{below(at("2024-02-28")), below(at("2024-02-29")), 1},
		{above(at("2024-02-28")), above(at("2024-02-28 23:59:59")), 0},
		{below(at("2024-02-28 00:00:01")), above(at("2024-03-01")), 2},
		{below(at("2024-02-28 12:00:00")), below(at("2024-03-01 12:00:00")), 2},
		{below(at("1969-12-30 12:00:00")), above(at("1970-01-02")), 3},
		{below(at("2024-02-28 01:00:00")), below(at("2024-02-28 02:00:00")), 0},
	} {
		d := between(c.from, c.to)
		n, ok := d.Days()
		require.True(t, ok)
		require.Equal(t, c.want, n, d)
		n, ok = d.union(between(below(at("2030-01-01")), above(at("2030-01-02")))).Days()
		require.True(t, ok)
		require.Equal(t, c.want+2, n, d)
	}
	for _, d := range []Domain{All(), notNull(), point(half(1)), between(lowest(), below(at("2024-01-01"))), between(below(at("2024-01-01")), highest())} {
		_, ok := d.Days()
		require.False(t, ok, d)
	}
}

// TestDomainsForPeople: what is written of a domain is what a reader of SQL knows.
func TestDomainsForPeople(t *testing.T) {
	t.Parallel()
	var many, ranges []value
	var wide, listed Domain
	for i := range maxListed + 1 {
		listed = wide
		many, ranges = append(many, half(2*i)), append(ranges, half(8*i))
		wide = wide.union(between(below(ranges[i]), below(half(8*i+2))))
	}
	instant := value{kind: kindInstant, number: big.NewRat(3, 2)}
	for want, d := range map[string]Domain{
		"everything": All(), "nothing": Nothing(), "NULL": onlyNull(), "not NULL": notNull(),
		"= 0.5": point(half(1)), "= -1.5": point(half(-3)), "= 0.5 or NULL": point(half(1)).union(onlyNull()),
		"one of 0, 1, 2, 3, 4, 5, 6, 7, …": pointsOf(many),
		"one of 0, 1, 2, 3, 4, 5, 6, 7":    pointsOf(many[:maxListed]),
		">= 0 and < 1 or >= 4 and < 5 or >= 8 and < 9 or >= 12 and < 13 or >= 16 and < 17 or >= 20 and < 21 or >= 24 and < 25 or >= 28 and < 29 or …": wide,
		">= 0 and < 1 or >= 4 and < 5 or >= 8 and < 9 or >= 12 and < 13 or >= 16 and < 17 or >= 20 and < 21 or >= 24 and < 25 or >= 28 and < 29":      listed,
		"> 0.5 and <= 1":                        between(above(half(1)), above(half(2))),
		"= 'it''s'":                             point(value{kind: kindText, text: "it's"}),
		"= true":                                point(boolean(true)),
		"= false":                               point(boolean(false)),
		"= 1970-01-01 00:00:01.5":               point(instant),
		"= 1969-12-31 23:59:59.5":               point(value{kind: kindTime, number: big.NewRat(-1, 2)}),
		"= 1969-12-31":                          point(value{kind: kindTime, number: big.NewRat(-86_400, 1)}),
		"= 12345678901234567890":                point(mustRead(t, "12345678901234567890")),
		"= 0.125":                               point(mustRead(t, "0.1250")),
		"bounded by a value known when it runs": unknownBound(true, false),
		"bounded by a value known when it runs or NULL": unknownBound(false, true).union(onlyNull()),
	} {
		require.Equal(t, want, d.String())
	}
}

func mustRead(t *testing.T, text string) value {
	t.Helper()
	v, ok := readValue(kindNumber, text)
	require.True(t, ok)
	return v
}

// TestStoredTextsAreRead: the catalog's texts of values are read as their column's
// type writes them, and what is none may be needed.
func TestStoredTextsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2024-01-31": "2024-01-31T00:00:00Z", "2024-1-3": "2024-01-03T00:00:00Z", " 2024-01-31 ": "2024-01-31T00:00:00Z",
		"2024-01-31 23:59:59": "2024-01-31T23:59:59Z", "2024-01-31T10:30": "2024-01-31T10:30:00Z", "2024-01-31 10:30:00.125": "2024-01-31T10:30:00.125Z",
		"2024-02-30": "", "2023-02-29": "", "2024-13-01": "", "2024-00-01": "", "2024-01-00": "", "2024-01-31 24:00": "", "2024-01-31 10:60": "",
		"2024-01-31 10:30:60": "", "24-01-31": "", "2024-01-31 UTC": "", "": "", "x": "", "2024-01-31 10": "",
	} {
		v, ok := readTime(text)
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, kindTime, v.kind)
			require.Equal(t, want, v.time().Format(time.RFC3339Nano), text)
			require.Equal(t, v.number, instant(kindTime, v.time()).number)
		}
	}
	digits := func(n int) string { return "1" + strings.Repeat("0", n-1) }
	for text, want := range map[string]bool{
		"10": true, "-1.5": true, "1e3": false, "1E3": false, "1/2": false, "0x10": false, "0X10": false, "1p3": false, "1P3": false, "x": false, "": false,
		digits(maxDigits): true, digits(maxDigits + 1): false,
	} {
		_, ok := readValue(kindNumber, text)
		require.Equal(t, want, ok, text)
	}
	yes, ok := readValue(kindBoolean, "true")
	require.True(t, ok && yes.number.Sign() == 1)
	_, ok = readValue(kindBoolean, "maybe")
	require.False(t, ok)
	_, ok = readValue(kindInstant, "2024-01-01")
	require.False(t, ok)
	require.True(t, point(half(2)).Contains("not a number"))
	require.True(t, point(boolean(true)).Contains("true"))
	require.False(t, point(boolean(true)).Contains("false"))
	text := point(value{kind: kindText, text: "b"})
	require.True(t, text.Contains("b"))
	require.False(t, text.Contains("a") || text.Contains("c"))
}
