package child

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// value turns a value of the driver into the form that package warehouse
// documents. t is the Presto type; where it is Unknown the value decides.
func value(v any, t types.Type) any {
	switch v := v.(type) {
	case nil, bool, float64, int64:
		return number(v, t)
	case int8:
		return number(int64(v), t)
	case int16:
		return number(int64(v), t)
	case int32:
		return number(int64(v), t)
	case int:
		return number(int64(v), t)
	case uint8:
		return int64(v)
	case uint16:
		return int64(v)
	case uint32:
		return int64(v)
	case uint64:
		return wide(new(big.Int).SetUint64(v), t)
	case float32:
		// The double of the real's shortest text, as Trino returns it: 0.1, not
		// 0.10000000149011612.
		f, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64) // its own text
		return f
	case *big.Int:
		return wide(v, t)
	case driver.Decimal:
		return number(decimal(v), t)
	case time.Time:
		return clock(v, t)
	case driver.Interval:
		return interval(v, t)
	case driver.UUID:
		return v.String()
	case []byte:
		return bytes(v, t)
	case []any:
		return items(v, t)
	case map[string]any:
		if t.Base == "timestamp with time zone" {
			return zoned(v, t)
		}
		return fields(v, t)
	case driver.OrderedMap:
		return entries(v, t)
	case string:
		if t.Base == "char" { // held without the blanks at its end
			return v + strings.Repeat(" ", max(0, t.Precision-utf8.RuneCountInString(v)))
		}
		return v
	}
	return fmt.Sprint(v)
}

// number fits a number to the type that Presto gives it.
func number(v any, t types.Type) any {
	switch n := v.(type) {
	case int64:
		if t.IsFloat() {
			return float64(n)
		}
		if t.IsDecimal() {
			return fixed(strconv.FormatInt(n, 10), t.Scale)
		}
	case string: // a decimal's text
		switch {
		case t.IsInteger():
			if i, err := strconv.ParseInt(n, 10, 64); err == nil {
				return i
			}
		case t.IsFloat():
			if f, err := strconv.ParseFloat(n, 64); err == nil {
				return f
			}
		case t.IsDecimal():
			return fixed(n, t.Scale)
		}
	}
	return v
}

// wide returns a bigint where the value is one, else its text.
func wide(n *big.Int, t types.Type) any {
	if t.IsDecimal() {
		return fixed(n.String(), t.Scale)
	}
	if n.IsInt64() {
		return number(n.Int64(), t)
	}
	return n.String()
}

// fixed gives a decimal's text scale digits after the point.
func fixed(text string, scale int) string {
	whole, fraction, _ := strings.Cut(text, ".")
	if scale <= 0 {
		return whole
	}
	for len(fraction) < scale {
		fraction += "0"
	}
	return whole + "." + fraction
}

func decimal(d driver.Decimal) string {
	digits, sign := new(big.Int).Abs(d.Value).String(), ""
	if d.Value.Sign() < 0 {
		sign = "-"
	}
	scale := int(d.Scale)
	if scale == 0 {
		return sign + digits
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

func clock(v time.Time, t types.Type) string {
	fraction := func(p int) string {
		if p <= 0 {
			return ""
		}
		return "." + strings.Repeat("0", min(p, 9))
	}
	switch t.Base {
	case "date":
		return dateText(v)
	case "time":
		return v.Format("15:04:05" + fraction(t.Precision))
	case "timestamp with time zone":
		return dateText(v.UTC()) + v.UTC().Format(" 15:04:05"+fraction(t.Precision)) + " UTC"
	case "timestamp":
		return dateText(v) + v.Format(" 15:04:05"+fraction(t.Precision))
	}
	return dateText(v) + v.Format(" 15:04:05.000")
}

// zoned writes a timestamp with a zone, which is held as its instant and the zone.
func zoned(v map[string]any, t types.Type) any {
	instant, isTime := v["t"].(time.Time)
	zone, isText := v["z"].(string)
	if !isTime || !isText {
		return nil
	}
	local, err := presto.Local(instant, zone)
	if err != nil {
		return nil
	}
	return presto.TimestampText(local, int64(t.Precision)) + " " + zone
}

func dateText(v time.Time) string { return presto.DateText(v) }

func interval(v driver.Interval, t types.Type) string {
	if t.Base == "interval year to month" || t.Base != "interval day to second" && v.Months != 0 {
		months, sign := int64(v.Months), ""
		if months < 0 {
			months, sign = -months, "-"
		}
		return fmt.Sprintf("%s%d-%d", sign, months/12, months%12)
	}
	millis := (int64(v.Days)+30*int64(v.Months))*86_400_000 + v.Micros/1000
	sign := ""
	if millis < 0 {
		millis, sign = -millis, "-"
	}
	return fmt.Sprintf("%s%d %02d:%02d:%02d.%03d", sign,
		millis/86_400_000, millis/3_600_000%24, millis/60_000%60, millis/1000%60, millis%1000)
}

func bytes(v []byte, t types.Type) any {
	if t.Base == "uuid" && len(v) == 16 {
		return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
	}
	if t.IsText() || t.Base == "json" {
		return string(v)
	}
	return v
}
