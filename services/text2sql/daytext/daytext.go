// Package daytext recognises text columns that hold days or times: files often
// bring dates that way, and the order of ISO texts is that of time.
package daytext

import (
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// Kind returns the type that a text column's values can be cast to: "date" where
// all known ones are days as 2006-01-02, "timestamp" where some have a time of
// day after a blank; empty for any other column.
func Kind(d *semantic.Dimension) string {
	if !semantic.IsText(d.Type) || len(d.Values) == 0 {
		return ""
	}
	kind := "date"
	for _, v := range d.Values {
		if len(v.Value) < len(time.DateOnly) {
			return ""
		}
		day, rest := v.Value[:len(time.DateOnly)], v.Value[len(time.DateOnly):]
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return ""
		}
		if rest == "" {
			continue
		}
		if rest[0] != ' ' || strings.Trim(rest, " 0123456789:.") != "" {
			return ""
		}
		kind = "timestamp"
	}
	return kind
}

// Holds reports whether a column dates its rows, by its type or by its texts.
func Holds(d *semantic.Dimension) bool { return semantic.IsTime(d.Type) || Kind(d) != "" }
