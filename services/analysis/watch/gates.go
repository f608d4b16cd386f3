package watch

import (
	"slices"
	"strings"
)

// arrived says whether data has come since the marks of the last run: to each of the named
// tables, or, where none is named, to any that was read. known is false where nothing tells
// how far the data reaches, and then a run is due. A table of which alone that is not told
// keeps nothing back.
func arrived(last, now []Mark, named bool) (newer, known bool) {
	some, all := false, true
	for _, m := range now {
		at := slices.IndexFunc(last, func(l Mark) bool { return strings.EqualFold(l.Table, m.Table) })
		is, comparable := true, true // it was not read before
		if at >= 0 {
			is, comparable = newerThan(m, last[at])
		}
		if comparable {
			known, some, all = true, some || is, all && is
		}
	}
	switch {
	case !known:
		return true, false
	case named:
		return all, true
	}
	return some, true
}

// newerThan compares the newest partition, and the last change where one of the partitions
// is not known.
func newerThan(now, last Mark) (newer, comparable bool) {
	if now.Newest != "" && last.Newest != "" && now.Newest != last.Newest {
		return now.Newest > last.Newest, true
	}
	if !now.Updated.IsZero() && !last.Updated.IsZero() {
		return now.Updated.After(last.Updated), true
	}
	return false, now.Newest != "" && last.Newest != ""
}

// untold leaves out what was told before.
func untold(found []Finding, told []string) []Finding {
	var out []Finding
	for _, f := range found {
		known := slices.Contains(told, f.Key) || slices.ContainsFunc(out, func(have Finding) bool { return have.Key == f.Key })
		if !known {
			out = append(out, f)
		}
	}
	return out
}
