// Package datestest holds the todays under which every test of dates runs: the ends of
// months, quarters and years, a leap day, and days around a change of the clocks. A
// test that knows one ordinary day only does not see what goes wrong on the others.
package datestest

import (
	_ "embed" // todays.yaml
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

//go:embed todays.yaml
var table []byte

// Case is an expression of time, asked at a moment.
type Case struct {
	// What names the expression, whatever its wording: "past 3 months".
	What, Text string
	Now        time.Time
	Why        string // what is special about this day
	// From and To are days as 2006-01-02; To is the day after the last.
	From, To string
}

// Name names a case in the output of tests.
func (c Case) Name() string {
	return c.Text + " on " + c.Now.Format(time.DateOnly) + " " + c.Now.Location().String()
}

// Cases returns each expression in English and in Chinese under each of the todays.
func Cases(t testing.TB) []Case {
	t.Helper()
	var data struct {
		Wordings map[string][]string `yaml:"wordings"`
		Todays   []struct {
			Now  string            `yaml:"now"`
			Zone string            `yaml:"zone"`
			Why  string            `yaml:"why"`
			Days map[string]string `yaml:"days"`
		} `yaml:"todays"`
	}
	require.NoError(t, yaml.Unmarshal(table, &data))
	var out []Case
	for _, today := range data.Todays {
		zone, err := time.LoadLocation(today.Zone)
		require.NoError(t, err)
		now, err := time.ParseInLocation("2006-01-02T15:04", today.Now, zone)
		require.NoError(t, err)
		for what, texts := range data.Wordings {
			from, to, ok := strings.Cut(today.Days[what], " ")
			require.True(t, ok, "%s has no days on %s", what, today.Now)
			for _, text := range texts {
				out = append(out, Case{What: what, Text: text, Now: now, Why: today.Why, From: from, To: to})
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}
