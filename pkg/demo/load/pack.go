package load

import (
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// A coordinator keeps the text of its last statements, their plans too, for some
// minutes: some hundred bytes a row of a million rows are more than a small one
// has. So rows are packed. Each becomes a record of fixed width, and the columns
// of a record are numbers in base 36:
//
//	number  the value less the smallest of the batch; of a date its day, of a
//	        timestamp its second, of a decimal its digits
//	word    the place of the value's text in a list that the statement brings
//
// A column with one value has width 0. Both ways have a number for NULL.
const base = 36

// maxSpan bounds the difference of numbers in a batch.
const maxSpan = 1 << 60

// field is a column of a batch, packed.
type field struct {
	width int
	codes []int64 // a row each
	// before and after stand around the SQL of the number, and make the value of it.
	// A column of width 0 has no number; before is its value.
	before, after string
}

// sql is the value, given where its number is.
func (f field) sql(number string) string {
	if f.width == 0 {
		return f.before
	}
	return f.before + number + f.after
}

// size is how much of the statement the column takes.
func (f field) size() int { return len(f.before) + f.width*len(f.codes) }

// pack packs the values of a column, the shorter way.
func pack(c catalog.Column, values []sql.NullString) (field, error) {
	words, err := packWords(c, values)
	if err != nil {
		return field{}, err
	}
	if numbers, ok := packNumbers(c, values); ok && numbers.size() < words.size() {
		return numbers, nil
	}
	return words, nil
}

func widthOf(biggest int64) int { return len(strconv.FormatInt(biggest, base)) }

// packWords lists the different texts.
func packWords(c catalog.Column, values []sql.NullString) (field, error) {
	places := make(map[string]int64)
	var words []string
	nulls := false
	for _, v := range values {
		if _, known := places[v.String]; !v.Valid || known {
			nulls = nulls || !v.Valid
			continue
		}
		places[v.String] = int64(len(words))
		words = append(words, v.String)
	}
	switch {
	case len(words) == 0:
		return field{codes: make([]int64, len(values)), before: "CAST(NULL AS " + c.Type + ")"}, nil
	case len(words) == 1 && !nulls:
		return field{codes: make([]int64, len(values)), before: "CAST(" + printer.String(words[0]) + " AS " + c.Type + ")"}, nil
	}
	text, separator, ok := join(words)
	if !ok {
		return field{}, errors.New("the values of the column " + c.Name + " hold every separator")
	}
	f := field{codes: make([]int64, len(values)), width: widthOf(int64(len(words)))}
	for i, v := range values {
		f.codes[i] = int64(len(words)) // beyond the list: NULL
		if v.Valid {
			f.codes[i] = places[v.String]
		}
	}
	f.before = "CAST(element_at(split(" + printer.String(text) + ", " + printer.String(separator) + "), "
	f.after = " + 1) AS " + c.Type + ")"
	return f, nil
}

// join puts words into one text, between a character that none of them has.
func join(words []string) (text, separator string, ok bool) {
	for _, separator = range []string{"|", "~", "^", "\x1f"} {
		text = strings.Join(words, separator)
		if strings.Count(text, separator) == len(words)-1 {
			return text, separator, true
		}
	}
	return "", "", false
}

// packNumbers takes the values for whole numbers; false where they are none.
func packNumbers(c catalog.Column, values []sql.NullString) (field, bool) {
	typ := types.Parse(c.Type)
	numbers := make([]int64, len(values))
	var low, high int64
	seen, nulls := false, false
	for i, v := range values {
		if !v.Valid {
			nulls = true
			continue
		}
		n, ok := wholeNumber(typ, v.String)
		if !ok {
			return field{}, false
		}
		numbers[i] = n
		if !seen {
			low, high, seen = n, n, true
		}
		low, high = min(low, n), max(high, n)
	}
	span := high - low
	if !seen || span < 0 || span > maxSpan { // less than 0: the difference is beyond 64 bits
		return field{}, false
	}
	biggest := span
	if nulls {
		biggest++
	}
	before, after := fromNumber(typ, c.Type, low)
	if nulls {
		before, after = before+"nullif(", ", "+strconv.FormatInt(biggest, 10)+")"+after
	}
	f := field{codes: numbers, width: widthOf(biggest), before: before, after: after}
	for i, v := range values {
		if f.codes[i] -= low; !v.Valid {
			f.codes[i] = biggest
		}
	}
	return f, true
}

const (
	day         = 24 * time.Hour
	secondsForm = "2006-01-02 15:04:05"
)

// wholeNumber is the number that stands for a value's text.
func wholeNumber(t types.Type, text string) (int64, bool) {
	switch t.Base {
	case "bigint", "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil
	case "decimal":
		whole, fraction, _ := strings.Cut(text, ".")
		if len(fraction) != t.Scale || len(whole)+len(fraction) > 18 {
			return 0, false
		}
		n, err := strconv.ParseInt(whole+fraction, 10, 64)
		return n, err == nil
	case "date":
		at, err := time.Parse(time.DateOnly, text)
		return at.Unix() / int64(day/time.Second), err == nil
	case "timestamp":
		at, err := time.Parse(secondsForm, text)
		return at.Unix(), err == nil && at.Nanosecond() == 0
	}
	return 0, false
}

// fromNumber is the SQL around a number less low that makes a value of it.
func fromNumber(t types.Type, typ string, low int64) (before, after string) {
	offset := ""
	if low != 0 {
		offset = " + " + strconv.FormatInt(low, 10)
	}
	switch t.Base {
	case "decimal":
		unit := "1"
		if t.Scale > 0 {
			unit = "0." + strings.Repeat("0", t.Scale-1) + "1"
		}
		return "CAST(CAST(", offset + " AS decimal(18,0)) * DECIMAL '" + unit + "' AS " + typ + ")"
	case "date":
		return "date_add('day', ", ", DATE '" + time.Unix(low*int64(day/time.Second), 0).UTC().Format(time.DateOnly) + "')"
	case "timestamp":
		return "CAST(date_add('second', ", ", TIMESTAMP '" + time.Unix(low, 0).UTC().Format(secondsForm) + "') AS " + typ + ")"
	}
	return "CAST(", offset + " AS " + typ + ")" // bigint, integer
}
