package reader_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// practice is a schema whose names are not the everyday words for what it holds.
func practice() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "physicians"}, RowCount: 60, Columns: []catalog.Column{key("physician_id"), col("physician_name", "varchar"), texts("speciality", "skin", "heart", "bone")}},
		{Name: catalog.Name{Table: "consultations"}, RowCount: 6000, Columns: []catalog.Column{key("consultation_id"), {Name: "physician_id", Type: "bigint", Distinct: 50}, col("held_on", "date"), texts("gender", "f", "m"),
			col("fee_eur", "double"), col("elevation", "double")}, ForeignKeys: []catalog.ForeignKey{to("physician_id", "physicians")}},
	}
}

// ward is one file of an office, in Chinese.
func ward() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "诊疗"}, RowCount: 3000, Columns: []catalog.Column{
		texts("院区", "东院", "西院"), col("医师", "varchar"), texts("性别", "男", "女"), col("费用(元)", "double"), col("就诊日期", "date"),
	}}}
}

// A word that no name has means the name that general language gives, and is told.
func TestWordsMeanNames(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"practice": open(t, practice()...), "ward": open(t, ward()...)}
	for _, c := range []struct{ in, question, want, word, meant string }{
		{"practice", "How much money did we make in 2030?", "SELECT sum(fee_eur) AS total_fee_eur FROM consultations WHERE held_on >= DATE '2030-01-01' AND held_on < DATE '2031-01-01'", "money", "fee_eur"},
		{"ward", "每个大夫的诊疗次数", `SELECT "医师", count(*) AS "number_of_诊疗" FROM "诊疗" GROUP BY "医师" ORDER BY "number_of_诊疗" DESC, "医师"`, "大夫", "医师"},
		{"ward", "每位大夫的平均费用", `SELECT "医师", avg("费用(元)") AS "average_费用_元" FROM "诊疗" GROUP BY "医师" ORDER BY "average_费用_元" DESC, "医师"`, "大夫", "医师"},
		{"ward", "How much money did we make in 2030?", `SELECT sum("费用(元)") AS "total_费用_元" FROM "诊疗" WHERE "就诊日期" >= DATE '2030-01-01' AND "就诊日期" < DATE '2031-01-01'`, "money", "费用(元)"},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			got, reading := shops[c.in].ask(t, c.question)
			require.Equal(t, c.want, got)
			require.Empty(t, reading.Unread)
			require.Contains(t, reading.Notes, reader.Note{ID: "meant", Args: []string{c.word, c.meant}})
		})
	}
}

// What the data says comes first: a name that was said is not meant by another word, and
// a meaning is never sure where two names are about as near, or one word too many.
func TestMeaningsComeLast(t *testing.T) {
	t.Parallel()
	two := practice()
	two[1].Columns = append(two[1].Columns, col("refund_eur", "double"))
	shops := map[string]shop{"practice": open(t, practice()...), "two": open(t, two...), "harbour": open(t, harbour()...)}
	for _, c := range []struct{ in, question, not string }{
		{"practice", "How much money in fees did we make in 2030?", "meant"},       // the fees are said
		{"two", "How much money did we make in 2030?", "meant"},                    // fees or refunds
		{"harbour", "How many fishermen licences were there in Vigo?", "licences"}, // nothing of the kind
		{"practice", "How many consultations were billing?", "meant"},              // what is done is told by its place
		{"practice", "How many money consultations were there in 2030?", "meant"},  // which of them, and no fee
		{"practice", "How many consultations led to money in 2030?", "meant"},      // a verb stands there
		{"practice", "total moneys in 2030", "meant"},                              // many are counted
		{"practice", "average fee of consultation members", "meant"},               // part of a name
		{"practice", "total number of payments in total", "meant"},                 // they are counted
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			_, reading := shops[c.in].ask(t, c.question)
			require.False(t, slices.ContainsFunc(reading.Notes, func(n reader.Note) bool {
				return n.ID == "meant" && (c.not == "meant" || slices.Contains(n.Args, c.not))
			}), reading.Notes)
		})
	}
}

// A meaning is told wherever it is used: no word put into a question leads to a name in
// silence.
func TestAMeaningIsNeverSilent(t *testing.T) {
	t.Parallel()
	s := open(t, practice()...)
	for _, question := range []string{"average fee by gender", "How many consultations were there in 2030?"} {
		plain, _ := s.ask(t, question)
		pieces := strings.Fields(question)
		for at := range pieces {
			for _, word := range []string{"money", "surgeon", "sawbones", "zebra", "compensation"} {
				q := strings.Join(slices.Insert(slices.Clone(pieces), at, word), " ")
				sql, reading := s.ask(t, q)
				if strings.HasPrefix(sql, "refused: ") || len(reading.Unread) > 0 {
					continue
				}
				known := sql != plain || slices.ContainsFunc(reading.Notes, func(n reader.Note) bool { return slices.Contains(n.Args, word) })
				require.True(t, known, "%s: %s", q, sql)
			}
		}
	}
}

func BenchmarkMeanings(b *testing.B) {
	s := open(b, practice()...)
	for _, question := range []string{"How many consultations were there in 2030?", "Which surgeon earned the most money for compensation, treatment and paper in 2030?"} {
		s.reader.Question(question, s.view, today).Readings() // unpacks the meanings
		b.Run(question, func(b *testing.B) {
			for b.Loop() {
				s.reader.Question(question, s.view, today).Readings()
			}
		})
	}
}

// A name that many rows share names what they are about: its amounts are added up.
func TestNamesThatManyRowsShare(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "charges"}, RowCount: 6000, Columns: []catalog.Column{
		key("charge_id"), texts("siteName", "North", "South", "East"), col("fee_EUR", "double"),
	}})
	got, _ := s.ask(t, "Which site has the most fee?")
	require.Contains(t, got, "GROUP BY siteName ORDER BY sum(fee_EUR) DESC LIMIT 1")
}
