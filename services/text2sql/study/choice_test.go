package study_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/study"
)

func planOver(t *testing.T, kind study.Kind, question string, now time.Time, columns ...catalog.Column) string {
	t.Helper()
	planner, err := study.New()
	require.NoError(t, err)
	table := catalog.Table{Name: catalog.Name{Schema: "main", Table: "visits"}, Columns: columns}
	p, err := planner.Make(study.Input{Kind: kind, Question: question, Tables: []catalog.Table{table}, Now: now, Language: lang.English, MaxColumns: 20})
	require.NoError(t, err)
	return strings.Join(strings.Fields(printer.Format(p.Statement)), " ")
}

// TestTheDayOfRows: the one that is named comes before that of the partitions, that one
// before the others, and a person's own day last of all is not taken.
func TestTheDayOfRows(t *testing.T) {
	t.Parallel()
	born := catalog.Column{Name: "born_on", Type: "date", Personal: &catalog.Personal{Kind: "birth date"}}
	made, loaded := catalog.Column{Name: "made_on", Type: "date"}, catalog.Column{Name: "loaded_on", Type: "date", Partition: true}
	for _, c := range []struct {
		question string
		columns  []catalog.Column
		day      string
	}{
		{"how fresh are visits", []catalog.Column{born, made}, "made_on"},
		{"how fresh are visits", []catalog.Column{born, made, loaded}, "loaded_on"},
		{"how fresh are visits by made_on", []catalog.Column{born, loaded, made}, "made_on"},
		{"how fresh are visits by born_on", []catalog.Column{made, born}, "born_on"},
	} {
		sql := planOver(t, study.Freshness, c.question, now, c.columns...)
		require.Contains(t, sql, "CAST("+c.day+" AS date)", "%s: %s", c.question, sql)
	}
}

// TestCohortsByWeek begin on Mondays, so many whole weeks ago, whatever day it is.
func TestCohortsByWeek(t *testing.T) {
	t.Parallel()
	columns := []catalog.Column{{Name: "visit_id", Type: "bigint"}, {Name: "member_id", Type: "bigint"}, {Name: "made_on", Type: "date"}}
	since := map[string]bool{}
	for day := 17; day <= 23; day++ { // Monday to Sunday
		sql := planOver(t, study.Cohort, "weekly retention of visits by member", time.Date(2026, 8, day, 9, 0, 0, 0, time.UTC), columns...)
		_, rest, ok := strings.Cut(sql, "cohort >= DATE '")
		require.True(t, ok, sql)
		first, err := time.Parse(time.DateOnly, rest[:10])
		require.NoError(t, err)
		require.Equal(t, time.Monday, first.Weekday(), sql)
		since[rest[:10]] = true
		require.Contains(t, sql, "date_trunc('week', made_on)")
	}
	require.Len(t, since, 1, "the days of one week have the same weeks before them")
	next := planOver(t, study.Cohort, "weekly retention of visits by member", time.Date(2026, 8, 24, 9, 0, 0, 0, time.UTC), columns...)
	for first := range since {
		require.NotContains(t, next, "cohort >= DATE '"+first)
	}
}

// TestRowsOfAnUnkeyedTable: every column is a part of what tells rows apart, each by a name
// of its own.
func TestRowsOfAnUnkeyedTable(t *testing.T) {
	t.Parallel()
	sql := planOver(t, study.Rows, "rows of visits", now, catalog.Column{Name: "place", Type: "varchar"}, catalog.Column{Name: "note", Type: "varchar"})
	require.Contains(t, sql, "place AS k1, note AS k2")
	require.Contains(t, sql, "GROUP BY place, note")
}

// TestTheActorIsSharedByRows: of several ids the one that no two rows share numbers the rows;
// where each is shared, or nothing is known of them, nothing is guessed.
func TestTheActorIsSharedByRows(t *testing.T) {
	t.Parallel()
	planner, err := study.New()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		event, lead int64
		actor       string
	}{"one numbers the rows": {900, 300, "lead_id"}, "both are shared": {800, 300, ""}, "nothing is known": {0, 0, ""}} {
		table := catalog.Table{Name: catalog.Name{Schema: "main", Table: "lead_events"}, RowCount: 900, Columns: []catalog.Column{
			{Name: "event_id", Type: "bigint", Distinct: c.event}, {Name: "lead_id", Type: "varchar", Distinct: c.lead},
			{Name: "stage", Type: "varchar", Distinct: 4}, {Name: "event_date", Type: "date"},
		}}
		p, err := planner.Make(study.Input{Kind: study.Funnel, Question: "funnel of lead events by stage", Tables: []catalog.Table{table}, Now: now, Language: lang.English, MaxColumns: 20})
		if c.actor == "" {
			require.ErrorContains(t, err, "event_id, lead_id", name)
			continue
		}
		require.NoError(t, err, name)
		require.Contains(t, strings.Join(strings.Fields(printer.Format(p.Statement)), " "), "GROUP BY "+c.actor+", stage", name)
	}
}
