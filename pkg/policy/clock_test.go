package policy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// TestTimeIsOfTheServer: every function of the time becomes a literal of the
// policy's own clock and zone, so nothing that runs the condition has a say in it.
func TestTimeIsOfTheServer(t *testing.T) {
	t.Parallel()
	singapore, err := time.LoadLocation("Asia/Singapore")
	require.NoError(t, err)
	table := &catalog.Table{Name: catalog.Name{Region: "sg", Schema: "shop", Table: "t"}, Columns: []catalog.Column{
		{Name: "d", Type: "date"}, {Name: "sold", Type: "timestamp(3)"}, {Name: "z", Type: "timestamp(3) with time zone"},
		{Name: "c", Type: "time(3)"}, {Name: "name", Type: "varchar"},
	}}
	const head = "SELECT d, sold, z, c, name FROM sg.shop.t WHERE "
	for _, c := range []struct{ filter, utc, singapore string }{
		{"d > current_date - interval '30' day", "d > DATE '2024-02-29' - interval '30' day", "d > DATE '2024-03-01' - interval '30' day"},
		{"z <= now()", "z <= TIMESTAMP '2024-02-29 20:30:15.123 UTC'", "z <= TIMESTAMP '2024-03-01 04:30:15.123 +08:00'"},
		{"z <= current_timestamp(0)", "z <= TIMESTAMP '2024-02-29 20:30:15 UTC'", "z <= TIMESTAMP '2024-03-01 04:30:15 +08:00'"},
		{"sold < localtimestamp", "sold < TIMESTAMP '2024-02-29 20:30:15.123'", "sold < TIMESTAMP '2024-03-01 04:30:15.123'"},
		{"c < localtime", "c < TIME '20:30:15.123'", "c < TIME '04:30:15.123'"},
		{"name = current_timezone()", "name = 'UTC'", "name = 'Asia/Singapore'"},
	} {
		for zone, want := range map[*time.Location]string{nil: c.utc, singapore: c.singapore} {
			now := time.Date(2024, 2, 29, 20, 30, 15, 123_456_789, time.UTC)
			p, err := policy.Parse("p", []byte("rules: [{filter: \""+c.filter+"\"}]"),
				policy.WithClock(func() time.Time { return now }), policy.InZone(zone))
			require.NoError(t, err, c.filter)
			access := p.For(run.Principal{ID: "bob"}, "").Access(table.Name)
			cover, err := access.Cover(table)
			require.NoError(t, err, c.filter)
			require.Equal(t, head+want, printer.Print(cover.Query))
			now = now.AddDate(0, 1, 0)
			later, err := access.Cover(table)
			require.NoError(t, err)
			if zone == nil && c.filter == "name = current_timezone()" {
				continue
			}
			if c.filter[0] == 'd' || c.filter[0] == 'z' {
				require.NotEqual(t, printer.Print(cover.Query), printer.Print(later.Query), "what is remembered of an asker does not stop the clock")
			}
		}
	}
}
