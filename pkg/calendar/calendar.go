// Package calendar counts in days, months, quarters and years as people and SQL
// engines do.
package calendar

import "time"

// AddMonths returns the same day of the month n months later, or earlier where n is
// negative. Where that month has no such day it returns its last one: 31 May and
// three months earlier is 28 February, as Trino and DuckDB have it. AddDate of the
// standard library goes on counting into March.
func AddMonths(t time.Time, n int) time.Time {
	first := t.AddDate(0, n, 1-t.Day())
	return first.AddDate(0, 0, min(t.Day(), Days(first))-1)
}

// Days is the number of days of the month that t is in.
func Days(t time.Time) int { return t.AddDate(0, 1, 1-t.Day()).AddDate(0, 0, -1).Day() }
