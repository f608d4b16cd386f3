package presto

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

func timeFunctions() []Function {
	return []Function{
		unary("presto_text_date", TextDate),
		binary("presto_text_timestamp", func(s string, p int64) (time.Time, error) { return TextTimestamp(s, int(p)) }),
		binary("presto_text_instant", func(s string, p int64) (time.Time, error) {
			t, _, err := TextInstant(s, int(p))
			return t, err
		}),
		unary("presto_text_instant_zone", func(s string) (string, error) {
			_, zone, err := TextInstant(s, 6)
			return zone, err
		}),
		binary("presto_text_time", textTime),
		unary("presto_date_text", must(DateText)),
		binary("presto_timestamp_text", must2(TimestampText)),
		ternary("presto_instant_text", func(t time.Time, zone string, p int64) (string, error) {
			local, err := Local(t, zone)
			return TimestampText(local, p) + " " + zone, err
		}),
		binary("presto_round_timestamp", must2(RoundTimestamp)),
		binary("presto_iso_timestamp", must2(func(t time.Time, p int64) string {
			return strings.Replace(TimestampText(t, p), " ", "T", 1)
		})),
		ternary("presto_iso_instant", isoInstant),
		unary("presto_iso_date", must(func(t time.Time) string { return strings.TrimPrefix(DateText(t), "+") })),
		unary("presto_text_iso_date", func(s string) (time.Time, error) {
			t, _, err := parseISO(s, isoDate)
			return t, err
		}),
		unary("presto_text_iso_instant", func(s string) (time.Time, error) {
			t, _, err := parseISO(s, isoAny)
			return t, err
		}),
		unary("presto_text_iso_zone", func(s string) (string, error) {
			_, zone, err := parseISO(s, isoAny)
			return zone, err
		}),
		unary("presto_unix_instant", unixInstant),
		unary("presto_readable_seconds", readableSeconds),
		unary("presto_duration_millis", durationMillis),
		unary("presto_data_size", dataSize),
		unary("presto_day_interval_text", must(DayIntervalText)),
		unary("presto_month_interval_text", must(MonthIntervalText)),
	}
}

// DayIntervalText writes an interval of so many milliseconds: 1 02:03:04.000.
func DayIntervalText(millis int64) string {
	sign, n := "", uint64(millis)
	if millis < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d %02d:%02d:%02d.%03d", sign, n/86_400_000, n/3_600_000%24, n/60_000%60, n/1000%60, n%1000)
}

// MonthIntervalText writes an interval of so many months: 1-3.
func MonthIntervalText(months int64) string {
	sign := ""
	if months < 0 {
		sign, months = "-", -months
	}
	return fmt.Sprintf("%s%d-%d", sign, months/12, months%12)
}

// DateText is CAST(date AS varchar); years of more than four digits have a sign.
func DateText(t time.Time) string {
	y, m, d := t.Date()
	switch {
	case y < 0:
		return fmt.Sprintf("-%04d-%02d-%02d", -y, m, d)
	case y > 9999:
		return fmt.Sprintf("+%d-%02d-%02d", y, m, d)
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, d)
}

// TimestampText is CAST(timestamp(p) AS varchar).
func TimestampText(t time.Time, p int64) string {
	text := DateText(t) + t.Format(" 15:04:05")
	if p > 0 {
		text += "." + fmt.Sprintf("%09d", t.Nanosecond())[:min(p, 9)]
	}
	return text
}

// RoundTimestamp rounds half up to p digits of a second.
func RoundTimestamp(t time.Time, p int64) time.Time {
	if p >= 9 {
		return t
	}
	unit := int64(math.Pow10(9 - int(max(p, 0))))
	nanos := (int64(t.Nanosecond()) + unit/2) / unit * unit
	return t.Add(time.Duration(nanos - int64(t.Nanosecond())))
}

var dateText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([+-]?[0-9]{1,9})-([0-9]{1,2})-([0-9]{1,2})$`)
})

// maxYear bounds years by what an engine's dates can hold.
const maxYear = 290_000

// TextDate is CAST(varchar AS date).
func TextDate(s string) (time.Time, error) {
	t, ok := readDate(javaTrim(s))
	if !ok {
		return time.Time{}, uncastable(s, "date")
	}
	return t, nil
}

func readDate(s string) (time.Time, bool) {
	parts := dateText().FindStringSubmatch(s)
	if parts == nil {
		return time.Time{}, false
	}
	y, _ := strconv.Atoi(parts[1])
	m, _ := strconv.Atoi(parts[2])
	d, _ := strconv.Atoi(parts[3])
	return day(y, m, d)
}

// day returns a day that exists.
func day(y, m, d int) (time.Time, bool) {
	if y < -maxYear || y > maxYear || m < 1 || m > 12 || d < 1 || d > 31 {
		return time.Time{}, false
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == d
}

var timestampText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([+-]?[0-9]{4,9}-[0-9]{1,2}-[0-9]{1,2})(?: ([0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2}(?:\.[0-9]{1,12})?)?))?\s*(.+)?$`)
})

// textTimestamp reads a timestamp and its zone, empty where it has none, and
// rounds to p digits.
func textTimestamp(s string, p int) (local time.Time, zone string, err error) {
	parts := timestampText().FindStringSubmatch(javaTrim(s))
	failed := uncastable(s, "timestamp")
	if parts == nil {
		return time.Time{}, "", failed
	}
	t, ok := readDate(parts[1])
	if !ok {
		return time.Time{}, "", failed
	}
	if parts[2] != "" {
		nanos, ok := clock(parts[2], p)
		if !ok {
			return time.Time{}, "", failed
		}
		t = t.Add(nanos)
	}
	if parts[3] != "" {
		if zone, ok = ZoneName(parts[3]); !ok {
			return time.Time{}, "", failed
		}
	}
	return t, zone, nil
}

// TextTimestamp is CAST(varchar AS timestamp(p)), of at most 9 digits.
func TextTimestamp(s string, p int) (time.Time, error) {
	t, _, err := textTimestamp(s, p)
	return t, err
}

// clock reads 15:04:05.123 rounded to p digits, at most 9.
func clock(s string, p int) (time.Duration, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	units := []time.Duration{time.Hour, time.Minute, time.Second}
	limits := []int{23, 59, 59}
	var total time.Duration
	for i, text := range strings.Split(whole, ":") {
		n, err := strconv.Atoi(text)
		if err != nil || n > limits[i] {
			return 0, false
		}
		total += time.Duration(n) * units[i]
	}
	if fraction != "" {
		n, err := strconv.ParseInt((fraction + "000000000000")[:12], 10, 64)
		if err != nil {
			return 0, false
		}
		unit := int64(math.Pow10(12 - min(max(p, 0), 9)))
		n = (n + unit/2) / unit * unit
		total += time.Duration(n / 1000)
	}
	return total, true
}

// TextInstant is CAST(varchar AS timestamp(p) with time zone); without a zone the
// text is in UTC, the zone of sessions. A time that the zone's clock skips is a
// mistake.
func TextInstant(s string, p int) (instant time.Time, zone string, err error) {
	local, zone, err := textTimestamp(s, p)
	if err != nil {
		return time.Time{}, "", uncastable(s, "timestamp with time zone")
	}
	if zone == "" {
		return local, "UTC", nil
	}
	t, exact, err := Instant(local, zone)
	if err != nil || !exact {
		return time.Time{}, "", uncastable(s, "timestamp with time zone")
	}
	return t, zone, nil
}

var timeText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2}(?:\.[0-9]{1,12})?)?$`)
})

// textTime reads a time of day as a timestamp of 1970-01-01.
func textTime(s string, p int64) (time.Time, error) {
	inner := javaTrim(s)
	if !timeText().MatchString(inner) {
		return time.Time{}, uncastable(s, "time")
	}
	d, ok := clock(inner, int(p))
	if !ok {
		return time.Time{}, uncastable(s, "time")
	}
	return time.Unix(0, 0).UTC().Add(d % (24 * time.Hour)), nil
}

func isoInstant(t time.Time, zone string, p int64) (string, error) {
	l, err := location(zone)
	if err != nil {
		return "", err
	}
	offset := offsetAt(t, l)
	local := t.Add(time.Duration(offset) * time.Second)
	text := strings.Replace(TimestampText(local, p), " ", "T", 1)
	if offset == 0 {
		return text + "Z", nil
	}
	return text + offsetName(offset/60), nil
}

// unixInstant rounds seconds since 1970 to milliseconds.
func unixInstant(seconds float64) (time.Time, error) {
	millis := math.Floor(seconds*1000 + 0.5)
	if math.IsNaN(millis) {
		millis = 0
	}
	if math.Abs(millis) > maxYear*366*86_400_000.0 {
		return time.Time{}, invalid("the time is out of range: %s seconds", DoubleText(seconds))
	}
	return time.UnixMilli(int64(millis)).UTC(), nil
}

// readableSeconds is human_readable_seconds.
func readableSeconds(x float64) (string, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "", invalid("human_readable_seconds of %s", DoubleText(x))
	}
	rest := int64(math.Min(math.Floor(math.Abs(x)+0.5), math.MaxInt64/2))
	var parts []string
	for _, u := range []struct {
		name string
		size int64
	}{{"week", 604_800}, {"day", 86_400}, {"hour", 3600}, {"minute", 60}, {"second", 1}} {
		n := rest / u.size
		rest %= u.size
		if n == 0 && (u.size > 1 || len(parts) > 0) {
			continue
		}
		text := strconv.FormatInt(n, 10) + " " + u.name
		if n != 1 {
			text += "s"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", "), nil
}

var durationText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]+)\s*$`)
})

// durationMillis is parse_duration, in milliseconds.
func durationMillis(s string) (int64, error) {
	parts := durationText().FindStringSubmatch(s)
	if parts == nil {
		return 0, invalid("'%s' is not a duration", Short(s))
	}
	unit, ok := map[string]float64{"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}[parts[2]]
	n, err := strconv.ParseFloat(parts[1], 64)
	if !ok || err != nil {
		return 0, invalid("'%s' is not a duration", Short(s))
	}
	millis := math.Floor(n*unit + 0.5)
	if millis >= math.MaxInt64 {
		return 0, invalid("the duration '%s' is too long", Short(s))
	}
	return int64(millis), nil
}

var sizeText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)([a-zA-Z]+)$`)
})

// dataSize is parse_data_size: bytes of a text such as 2.3MB, rounded down.
func dataSize(s string) (string, error) {
	parts := sizeText().FindStringSubmatch(s)
	if parts == nil {
		return "", invalid("invalid data size: '%s'", Short(s))
	}
	power := slices.Index([]string{"B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}, parts[2])
	if power < 0 {
		return "", invalid("invalid data size: '%s'", Short(s))
	}
	n, ok := new(big.Rat).SetString(parts[1])
	if !ok {
		return "", invalid("invalid data size: '%s'", Short(s))
	}
	n.Mul(n, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(10*power))))
	whole := new(big.Int).Quo(n.Num(), n.Denom())
	if whole.Cmp(tenTo(38)) >= 0 {
		return "", &Error{OutOfRange, "the data size '" + Short(s) + "' is out of range"}
	}
	return whole.String(), nil
}
