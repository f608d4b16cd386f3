package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// college is a schema of which classes have a teacher and an assistant, both of one table, and
// students have grades and letters of their own.
func college() []catalog.Table {
	share := func(name string, values ...string) catalog.Column {
		return catalog.Column{Name: name, Type: "double", Samples: values, Distinct: int64(len(values))}
	}
	pointer := func(column, table, ref string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: catalog.Name{Table: table}, RefColumns: []string{ref}}
	}
	return []catalog.Table{
		{Name: catalog.Name{Table: "teachers"}, RowCount: 40, Columns: []catalog.Column{key("teacher_id"), col("teacher_name", "varchar")}},
		{Name: catalog.Name{Table: "rooms"}, RowCount: 20, Columns: []catalog.Column{key("room_id"), col("room_name", "varchar")}},
		{Name: catalog.Name{Table: "classes"}, RowCount: 90, Columns: []catalog.Column{key("class_id"), col("title", "varchar"), {Name: "teacher_id", Type: "bigint", Distinct: 30}, {Name: "assistant_id", Type: "bigint", Distinct: 30},
			{Name: "room_id", Type: "bigint", Distinct: 20}, {Name: "has_projector", Type: "varchar"}, share("fill_rate", "0.25", "0.5", "1"), share("pass_percent", "25", "50", "75"), col("weight_g", "double"), texts("level", "beginner", "advanced", "expert")},
			ForeignKeys: []catalog.ForeignKey{pointer("teacher_id", "teachers", "teacher_id"), pointer("assistant_id", "teachers", "teacher_id"), to("room_id", "rooms")}},
		{Name: catalog.Name{Table: "students"}, RowCount: 400, Columns: []catalog.Column{key("student_id"), col("student_name", "varchar")}},
		{Name: catalog.Name{Table: "grades"}, RowCount: 4000, Columns: []catalog.Column{key("grade_id"), {Name: "student_id", Type: "bigint", Distinct: 300}, col("grade_date", "date")}, ForeignKeys: []catalog.ForeignKey{to("student_id", "students")}},
		{Name: catalog.Name{Table: "letters"}, RowCount: 4000, Columns: []catalog.Column{key("letter_id"), {Name: "student_id", Type: "bigint", Distinct: 300}, col("letter_date", "date")}, ForeignKeys: []catalog.ForeignKey{to("student_id", "students")}},
	}
}

// TestUnitsOfNumbers: a number is put into the unit of its column, within one quantity only;
// a share is a hundredth where the column holds parts of 1.
func TestUnitsOfNumbers(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"clinic": open(t, clinic()...), "harbour": open(t, harbour()...), "college": open(t, college()...)}
	for _, c := range []struct{ in, question, condition string }{
		{"clinic", "How many visits have a duration of more than 30 seconds?", "duration_seconds > 30"},
		{"clinic", "How many visits have a duration of more than 2 hours?", "duration_seconds > 7200"},
		{"clinic", "How many visits have a duration of more than 1.5 minutes?", "duration_seconds > 90"},
		{"clinic", "How many pets are heavier than 500 g?", "weight_kg > 0.5"},
		{"clinic", "How many pets are heavier than 1500 grams?", "weight_kg > 1.5"},
		{"clinic", "How many pets are heavier than 1,250 grams?", "weight_kg > 1.25"},
		{"harbour", "How many catches weigh over 0.5 tons?", "weight_kg > 500"},
		{"college", "How many classes have a weight of more than 2 kg?", "weight_g > 2000"},
		{"college", "How many classes have a pass percent of more than 30%?", "pass_percent > 30"},
	} {
		got, _ := shops[c.in].ask(t, c.question)
		require.True(t, strings.HasSuffix(got, " WHERE "+c.condition), "%s: %s", c.question, got)
	}
	got, _ := shops["clinic"].ask(t, "How many visits have a duration of more than 30 kg?")
	require.NotContains(t, got, "duration_seconds > 30", "kilograms are never compared with seconds")
}

// TestSeveralValuesAtOnce: of one column they stand together, denied ones too.
func TestSeveralValuesAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for question, condition := range map[string]string{
		"How many pets are dogs?":                  "species = 'dog'",
		"How many pets are not dogs?":              "species <> 'dog'",
		"How many pets are dogs or cats?":          "species IN ('dog', 'cat')",
		"Which pets are neither dogs nor cats?":    "species NOT IN ('dog', 'cat')",
		"How many pets are neither dogs nor cats?": "species NOT IN ('dog', 'cat')",
	} {
		got, _ := s.ask(t, question)
		require.True(t, strings.HasSuffix(got, "FROM pets WHERE "+condition), "%s: %s", question, got)
	}
}

// TestWhatIsNotThere: the lack of rows, of a pointer and of a value are conditions of their
// own; where it is not said which of two is lacking, none is taken.
func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"clinic": open(t, clinic()...), "harbour": open(t, harbour()...), "college": open(t, college()...)}
	for _, c := range []struct{ in, question, want string }{
		{"college", "Which classes have no room?", "SELECT title FROM classes WHERE room_id IS NULL"},
		{"college", "Which rooms have no classes?", "SELECT t1.room_name FROM rooms AS t1 WHERE NOT EXISTS (SELECT 1 FROM classes AS t2 WHERE t1.room_id = t2.room_id)"},
		{"college", "Which students have no letters?", "SELECT t1.student_name FROM students AS t1 WHERE NOT EXISTS (SELECT 1 FROM letters AS t2 WHERE t1.student_id = t2.student_id)"},
		{"harbour", "Which skippers never caught anything?", "SELECT t1.skipper_name FROM skippers AS t1 WHERE NOT EXISTS (SELECT 1 FROM catches AS t2 WHERE t1.skipper_id = t2.skipper_id)"},
		{"harbour", "How many catches have no species?", "SELECT count(*) AS number_of_catches FROM catches WHERE species IS NULL"},
		{"clinic", "Which pets have never come?", "SELECT t1.name FROM pets AS t1 WHERE NOT EXISTS (SELECT 1 FROM visits AS t2 WHERE t1.pet_id = t2.pet_id)"},
		{"clinic", "How many visits have an outcome?", "SELECT count(*) AS number_of_visits FROM visits WHERE outcome <> 'none'"},
		{"clinic", "How many visits have no outcome?", "SELECT count(*) AS number_of_visits FROM visits WHERE outcome = 'none'"},
	} {
		got, _ := shops[c.in].ask(t, c.question)
		require.Equal(t, c.want, got, c.question)
	}
	for _, c := range []struct{ in, question, never string }{
		{"college", "Which students have never come?", "EXISTS"},      // without a grade, or without a letter?
		{"college", "Which classes have no teacher?", "assistant_id"}, // of two of them the one that is called so, or none
		{"college", "How many classes have no projector?", "IS NULL"}, // nobody knows how it says no
		{"college", "How many classes have a projector?", "IS NOT NULL"},
	} {
		got, _ := shops[c.in].ask(t, c.question)
		require.NotContains(t, got, c.never, c.question)
	}
}
