package export

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/result"
)

func (j *job) csv(ctx context.Context) error { return j.separated(ctx, ',') }

func (j *job) tsv(ctx context.Context) error { return j.separated(ctx, '\t') }

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// separated writes texts between separators.
func (j *job) separated(ctx context.Context, separator rune) error {
	out := bufio.NewWriter(j.to)
	if j.BOM {
		if _, err := out.WriteString(byteOrderMark); err != nil {
			return err
		}
	}
	w := csv.NewWriter(out)
	w.Comma = separator
	cells, harmless := make([]string, len(j.Columns)), 0
	for i, c := range j.Columns {
		cells[i] = neutral(valid(c.Name), &harmless)
	}
	if err := w.Write(cells); err != nil {
		return err
	}
	for row, err := range j.Rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for i, v := range row {
			cells[i] = exact(v)
			if mayBeFormula(v, j.Columns[i]) {
				cells[i] = neutral(cells[i], &harmless)
			}
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	if harmless > 0 {
		j.note("%s would be read as formulas by a spreadsheet: they begin with ' now", plural(harmless, "text", "texts"))
	}
	return out.Flush()
}

// mayBeFormula reports values that a spreadsheet could run: texts, also those inside of
// columns of other types; numbers, dates and times stay as they are.
func mayBeFormula(v any, c result.Column) bool {
	if _, isText := v.(string); !isText {
		return false
	}
	if _, isNumber := result.NumberOf(v, c); isNumber {
		return false
	}
	return true
}

// plainNumber is a text that a spreadsheet takes for a number, whatever it begins with.
var plainNumber = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?$`)

// isFormula reports a text that a spreadsheet runs: one that begins, after blanks, with
// one of the marks of formulas, in their wide forms too, or with a tab or a line's end.
func isFormula(text string) bool {
	text = strings.TrimLeft(text, " \u00a0\u3000")
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) && text != "" && !plainNumber.MatchString(text)
}

// neutral puts an apostrophe before what would be run, as OWASP's page on CSV injection
// says.
func neutral(text string, changed *int) string {
	if !isFormula(text) {
		return text
	}
	*changed++
	return "'" + text
}

// valid is a text without bytes that are no characters.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// exact writes a value with all it has; null is empty.
func exact(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return valid(v)
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return double(v)
	}
	text, err := json.Marshal(inJSON(v))
	if err != nil { // scalars, lists and maps of texts
		return ""
	}
	return string(text)
}

// double writes a double so that it is read back as the same.
func double(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strconv.FormatFloat(v, 'f', -1, 64), "+") + "inity"
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// inJSON is a value with texts for what JSON cannot hold exactly.
func inJSON(v any) any {
	const exactInteger = 1 << 53
	switch v := v.(type) {
	case string:
		return valid(v)
	case int64:
		if v > exactInteger || v < -exactInteger {
			return strconv.FormatInt(v, 10)
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return double(v)
		}
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = inJSON(item)
		}
		return items
	case map[string]any:
		fields := make(map[string]any, len(v))
		for key, item := range v {
			fields[valid(key)] = inJSON(item)
		}
		return fields
	}
	return v
}

// json writes the columns and the rows as lists, so that columns of one name keep apart.
// Numbers that a double cannot hold exactly, dates and times are texts, as on the pages
// of the contract.
func (j *job) json(ctx context.Context) error {
	out := bufio.NewWriter(j.to)
	columns := make([]result.Column, len(j.Columns))
	for i, c := range j.Columns {
		columns[i] = result.Column{Name: valid(c.Name), Type: valid(c.Type)}
	}
	head, err := json.Marshal(columns)
	if err != nil {
		return err
	}
	if _, err := out.WriteString(`{"columns":` + string(head) + `,"rows":[`); err != nil {
		return err
	}
	before := "\n"
	for row, err := range j.Rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		text, err := json.Marshal(inJSON(row))
		if err != nil {
			return err
		}
		if _, err := out.WriteString(before + string(text)); err != nil {
			return err
		}
		before = ",\n"
	}
	if _, err := out.WriteString("\n]}\n"); err != nil {
		return err
	}
	return out.Flush()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return result.Int(int64(n)).String() + " " + many
}
