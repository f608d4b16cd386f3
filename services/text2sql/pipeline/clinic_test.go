package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// clinic is a small schema with the shapes that ingested files have: flags, empty
// fields, days held as text.
func clinic() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	return []catalog.Table{
		{Name: name("vets"), RowCount: 4, Columns: []catalog.Column{
			{Name: "vet_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 4},
			{Name: "full_name", Type: "varchar", Distinct: 4, Samples: []string{"Ann Roth", "Bo Lind", "Cy Marx", "Di Kern"}},
			{Name: "specialty", Type: "varchar", Distinct: 3, Samples: []string{"surgery", "dental", "general"}},
		}},
		{Name: name("owners"), RowCount: 40, Columns: []catalog.Column{
			{Name: "owner_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 40},
			{Name: "name", Type: "varchar", Distinct: 40},
			{Name: "city", Type: "varchar", Distinct: 3, Samples: []string{"Bern", "Zürich", "Chur"}},
			{Name: "phone", Type: "varchar", Distinct: 30}, {Name: "newsletter", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
		}},
		{Name: name("pets"), RowCount: 60, Columns: []catalog.Column{
			{Name: "pet_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 60},
			{Name: "name", Type: "varchar", Distinct: 50}, {Name: "owner_id", Type: "bigint"},
			{Name: "species", Type: "varchar", Distinct: 3, Samples: []string{"dog", "cat", "rabbit"}},
			{Name: "weight_kg", Type: "double"}, {Name: "vaccinated", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"owner_id"}, RefTable: name("owners"), RefColumns: []string{"owner_id"}}}},
		{Name: name("appointments"), RowCount: 300, Columns: []catalog.Column{
			{Name: "appointment_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 300},
			{Name: "pet_id", Type: "bigint"}, {Name: "vet_id", Type: "bigint"},
			{Name: "visit_date", Type: "varchar", Distinct: 120, Samples: []string{"2025-01-03", "2025-02-11", "2024-11-30", "2025-06-17"}},
			{Name: "minutes", Type: "bigint"}, {Name: "fee", Type: "double"}, {Name: "no_show", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
		}, ForeignKeys: []catalog.ForeignKey{
			{Columns: []string{"pet_id"}, RefTable: name("pets"), RefColumns: []string{"pet_id"}},
			{Columns: []string{"vet_id"}, RefTable: name("vets"), RefColumns: []string{"vet_id"}},
		}},
	}
}

// transit is a small schema of stations, bikes and members.
func transit() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	return []catalog.Table{
		{Name: name("stations"), RowCount: 20, Columns: []catalog.Column{
			{Name: "station_id", Type: "bigint", PrimaryKey: true, Distinct: 20},
			{Name: "name", Type: "varchar", Distinct: 20}, {Name: "district", Type: "varchar", Distinct: 3, Samples: []string{"Centre", "North", "Harbour"}},
			{Name: "docks", Type: "bigint"},
		}},
		{Name: name("members"), RowCount: 90, Columns: []catalog.Column{
			{Name: "member_id", Type: "bigint", PrimaryKey: true, Distinct: 90}, {Name: "name", Type: "varchar", Distinct: 88},
			{Name: "email", Type: "varchar", Distinct: 70}, {Name: "plan", Type: "varchar", Distinct: 2, Samples: []string{"monthly", "yearly"}},
			{Name: "active", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}}, {Name: "joined", Type: "date"},
		}},
		{Name: name("rides"), RowCount: 900, Columns: []catalog.Column{
			{Name: "ride_id", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "member_id", Type: "bigint"}, {Name: "station_id", Type: "bigint"},
			{Name: "minutes", Type: "bigint"}, {Name: "price", Type: "double"}, {Name: "started_at", Type: "timestamp"},
		}, ForeignKeys: []catalog.ForeignKey{
			{Columns: []string{"member_id"}, RefTable: name("members"), RefColumns: []string{"member_id"}},
			{Columns: []string{"station_id"}, RefTable: name("stations"), RefColumns: []string{"station_id"}},
		}},
	}
}

// check asks questions on one schema, as of one day.
func check(t *testing.T, tables []catalog.Table, cases [][2]string) {
	t.Helper()
	p := newPipeline(t)
	schema := p.Prepare(tables, nil)
	now := time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)
	for _, c := range cases {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c[0], Schema: schema, Now: now})
			require.Equal(t, pipeline.Answered, res.Outcome, "%s %v %v\n%s", res.Reason, res.NotUnderstood, res.Doubts, res.Draft)
			require.Equal(t, c[1], normal(res.SQL))
			require.LessOrEqual(t, res.Confidence, 0.97)
			_, err := parser.Parse(res.SQL)
			require.NoError(t, err)
		})
	}
}

func TestStoredValuesInOtherForms(t *testing.T) {
	t.Parallel()
	check(t, clinic(), [][2]string{
		{"How many dogs are there?", "SELECT count(*) AS number_of_pets FROM pets WHERE species = 'dog'"},
		{"How many rabbits do we have?", "SELECT count(*) AS number_of_pets FROM pets WHERE species = 'rabbit'"},
		{"List the names of all cats.", "SELECT name FROM pets WHERE species = 'cat'"},
		{"owners in ZURICH", "SELECT name FROM owners WHERE city = 'Zürich'"},
		{"owners in city Bern", "SELECT name FROM owners WHERE city = 'Bern'"},
		{"heaviest dog", "SELECT name FROM pets WHERE species = 'dog' ORDER BY weight_kg DESC LIMIT 1"},
	})
	check(t, transit(), [][2]string{
		{"List the names of stations in the Centre district.", "SELECT name FROM stations WHERE district = 'Centre'"},
		{"List the names of stations in the centre district", "SELECT name FROM stations WHERE district = 'Centre'"},
		{"stations in district North", "SELECT name FROM stations WHERE district = 'North'"},
		{"stations in the Centre and North districts", "SELECT name FROM stations WHERE district IN ('Centre', 'North')"},
		{"names and districts of stations in the Centre district", "SELECT name, district FROM stations WHERE district = 'Centre'"},
		{"members on the monthly plan", "SELECT name FROM members WHERE plan = 'monthly'"},
	})
}

func TestGroupsWithoutAnAggregateWord(t *testing.T) {
	t.Parallel()
	const (
		vets   = "FROM appointments AS t1 JOIN vets AS t2 ON t1.vet_id = t2.vet_id GROUP BY t2.vet_id, t2.full_name ORDER BY "
		visits = "SELECT t2.full_name, count(*) AS number_of_appointments " + vets + "number_of_appointments DESC, t2.full_name"
	)
	check(t, clinic(), [][2]string{
		{"appointments per vet", visits},
		{"number of appointments by vet", visits},
		{"number of appointments for each vet", visits},
		{"fee per vet", "SELECT t2.full_name, sum(t1.fee) AS total_fee " + vets + "total_fee DESC, t2.full_name"},
		{"number of pets by species", "SELECT species, count(*) AS number_of_pets FROM pets GROUP BY species ORDER BY number_of_pets DESC, species"},
		{"average fee by species", "SELECT t2.species, avg(t1.fee) AS average_fee FROM appointments AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY average_fee DESC, t2.species"},
	})
	check(t, transit(), [][2]string{
		{"stations per district", "SELECT district, count(*) AS number_of_stations FROM stations GROUP BY district ORDER BY number_of_stations DESC, district"},
	})
}

func TestFlagsInWords(t *testing.T) {
	t.Parallel()
	check(t, clinic(), [][2]string{
		{"Which owners get the newsletter?", "SELECT name FROM owners WHERE newsletter = TRUE"},
		{"How many owners get the newsletter?", "SELECT count(*) AS number_of_owners FROM owners WHERE newsletter = TRUE"},
		{"Which owners don't get the newsletter?", "SELECT name FROM owners WHERE newsletter = FALSE"},
		{"How many pets are not vaccinated?", "SELECT count(*) AS number_of_pets FROM pets WHERE vaccinated = FALSE"},
	})
	check(t, transit(), [][2]string{
		{"How many active members are there?", "SELECT count(*) AS number_of_members FROM members WHERE active = TRUE"},
		{"names of inactive members", "SELECT name FROM members WHERE active = FALSE"},
		{"number of active members by plan", "SELECT plan, count(*) AS number_of_members FROM members WHERE active = TRUE GROUP BY plan ORDER BY number_of_members DESC, plan"},
		{"show name and active of members", "SELECT name, active FROM members"},
	})
	check(t, clinic(), [][2]string{{"fee of no-shows", "SELECT fee FROM appointments WHERE no_show = TRUE"}})
	p := newPipeline(t)
	res := p.Answer(pipeline.Input{Question: "active stations", Schema: p.Prepare(transit(), nil), Now: time.Now()})
	require.Equal(t, pipeline.Abstained, res.Outcome, "members are active, stations are not: %s", res.SQL)
}

func TestWhatRowsHaveAndLack(t *testing.T) {
	t.Parallel()
	const pets = "(SELECT 1 FROM pets AS t2 WHERE t1.owner_id = t2.owner_id"
	check(t, clinic(), [][2]string{
		{"owners without a phone", "SELECT name FROM owners WHERE phone IS NULL"},
		{"List owners who don't have a phone number.", "SELECT name FROM owners WHERE phone IS NULL"},
		{"How many owners have no phone on file?", "SELECT count(*) AS number_of_owners FROM owners WHERE phone IS NULL"},
		{"owners in Bern without a phone", "SELECT name FROM owners WHERE city = 'Bern' AND phone IS NULL"},
		{"names of owners with a phone", "SELECT name FROM owners WHERE phone IS NOT NULL"},
		{"Which owners have no pets?", "SELECT t1.name FROM owners AS t1 WHERE NOT EXISTS " + pets + ")"},
		{"owners who don't have a cat", "SELECT t1.name FROM owners AS t1 WHERE NOT EXISTS " + pets + " AND t2.species = 'cat')"},
		{"owners who have a dog", "SELECT t1.name FROM owners AS t1 WHERE EXISTS " + pets + " AND t2.species = 'dog')"},
	})
}

func TestTimes(t *testing.T) {
	t.Parallel()
	const (
		count = "SELECT count(*) AS number_of_appointments FROM appointments WHERE visit_date "
		month = "date_trunc('month', TRY_CAST(visit_date AS date))"
	)
	check(t, clinic(), [][2]string{
		{"How many appointments in 2025?", count + ">= '2025-01-01' AND visit_date < '2026-01-01'"},
		{"How many appointments were there in March 2025?", count + ">= '2025-03-01' AND visit_date < '2025-04-01'"},
		{"number of appointments after 2025-06-01", count + ">= '2025-06-02'"},
		{"number of appointments before 2025-06-01", count + "< '2025-06-01'"},
		{"How many appointments between 2025-01-01 and 2025-03-31?", count + ">= '2025-01-01' AND visit_date < '2025-04-01'"},
		{"total fee last month", "SELECT sum(fee) AS total_fee FROM appointments WHERE visit_date >= '2025-06-01' AND visit_date < '2025-07-01'"},
		{"appointments by month in 2025", "SELECT " + month + " AS month, count(*) AS number_of_appointments FROM appointments WHERE visit_date >= '2025-01-01' AND visit_date < '2026-01-01' GROUP BY " + month + " ORDER BY month"},
		{"total fee per vet in March 2025", "SELECT t2.full_name, sum(t1.fee) AS total_fee FROM appointments AS t1 JOIN vets AS t2 ON t1.vet_id = t2.vet_id WHERE t1.visit_date >= '2025-03-01' AND t1.visit_date < '2025-04-01' GROUP BY t2.vet_id, t2.full_name ORDER BY total_fee DESC, t2.full_name"},
	})
	check(t, transit(), [][2]string{
		{"How many members joined in 2024?", "SELECT count(*) AS number_of_members FROM members WHERE joined >= date '2024-01-01' AND joined < date '2025-01-01'"},
		{"How many members joined after 2024-05-01?", "SELECT count(*) AS number_of_members FROM members WHERE joined >= date '2024-05-02'"},
		{"average price by month for active members", "SELECT date_trunc('month', t1.started_at) AS month, avg(t1.price) AS average_price FROM rides AS t1 JOIN members AS t2 ON t1.member_id = t2.member_id WHERE t2.active = TRUE GROUP BY date_trunc('month', t1.started_at) ORDER BY month"},
		{"rides per month in 2025", "SELECT date_trunc('month', started_at) AS month, count(*) AS number_of_rides FROM rides WHERE started_at >= date '2025-01-01' AND started_at < date '2026-01-01' GROUP BY date_trunc('month', started_at) ORDER BY month"},
	})
}

func TestOrderWordsDoNotCutTheList(t *testing.T) {
	t.Parallel()
	check(t, clinic(), [][2]string{
		{"pets by weight, highest first", "SELECT name FROM pets ORDER BY weight_kg DESC"},
		{"pets, heaviest first", "SELECT name FROM pets ORDER BY weight_kg DESC"},
		{"cats from heaviest to lightest", "SELECT name FROM pets WHERE species = 'cat' ORDER BY weight_kg DESC"},
		{"average weight by species, lowest first", "SELECT species, avg(weight_kg) AS average_weight_kg FROM pets GROUP BY species ORDER BY average_weight_kg"},
		{"show all vets by number of appointments, top first", "SELECT t1.full_name, count(*) AS number_of_appointments FROM vets AS t1 JOIN appointments AS t2 ON t1.vet_id = t2.vet_id GROUP BY t1.vet_id, t1.full_name ORDER BY number_of_appointments DESC"},
	})
	check(t, transit(), [][2]string{
		{"List all members alphabetically", "SELECT name FROM members ORDER BY name"},
		{"list the stations with the most docks first", "SELECT name FROM stations ORDER BY docks DESC"},
		{"newest members first", "SELECT name FROM members ORDER BY joined DESC"},
	})
}

func TestShares(t *testing.T) {
	t.Parallel()
	const cats = "SELECT CAST(count_if(species = 'cat') AS double) / nullif(count(*), 0) AS cat_share FROM pets"
	check(t, clinic(), [][2]string{
		{"share of cats", cats},
		{"What percentage of pets are cats?", "SELECT 100 * CAST(count_if(species = 'cat') AS double) / nullif(count(*), 0) AS cat_percentage FROM pets"},
		{"no-show rate per vet", "SELECT t2.full_name, CAST(count_if(t1.no_show = TRUE) AS double) / nullif(count(*), 0) AS no_show_rate FROM appointments AS t1 JOIN vets AS t2 ON t1.vet_id = t2.vet_id GROUP BY t2.vet_id, t2.full_name ORDER BY no_show_rate DESC, t2.full_name"},
		{"percentage of dogs that are vaccinated", "SELECT 100 * CAST(count_if(vaccinated = TRUE) AS double) / nullif(count(*), 0) AS vaccinated_percentage FROM pets WHERE species = 'dog'"},
		{"share of vaccinated pets by species", "SELECT species, CAST(count_if(vaccinated = TRUE) AS double) / nullif(count(*), 0) AS vaccinated_rate FROM pets GROUP BY species ORDER BY vaccinated_rate DESC, species"},
	})
	p := newPipeline(t)
	for _, q := range []string{"percentage of llamas", "share of owners with cats", "what percentage of appointments"} { // no exact value, or of other rows
		res := p.Answer(pipeline.Input{Question: q, Schema: p.Prepare(clinic(), nil), Now: time.Now()})
		require.Equal(t, pipeline.Abstained, res.Outcome, "%s: %s", q, res.SQL)
	}
}

func TestLabelsOfAggregates(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	cases := []struct {
		question string
		language lang.Language
		label    pipeline.Label
	}{
		{"appointments per vet", lang.English, pipeline.Label{Column: "number_of_appointments", Label: "number of appointments"}},
		{"appointments per vet", lang.Chinese, pipeline.Label{Column: "number_of_appointments", Label: "appointments数量"}},
		{"total fee per vet", lang.English, pipeline.Label{Column: "total_fee", Label: "total fee"}},
		{"total fee per vet", lang.Chinese, pipeline.Label{Column: "total_fee", Label: "fee 合计"}},
		{"average minutes per vet", lang.English, pipeline.Label{Column: "average_minutes", Label: "average minutes"}},
		{"share of cats", lang.English, pipeline.Label{Column: "cat_share", Label: "share of cat", Unit: "%"}},
		{"no-show rate per vet", lang.English, pipeline.Label{Column: "no_show_rate", Label: "no show rate", Unit: "%"}},
	}
	for _, c := range cases {
		res := p.Answer(pipeline.Input{Question: c.question, Schema: schema, Language: c.language, Now: time.Now()})
		require.Equal(t, []pipeline.Label{c.label}, res.Labels, c.question)
	}
}

// "The most fees" of something with several rows of them is their sum; kinds are
// counted once each.
func TestTotalsAndKinds(t *testing.T) {
	t.Parallel()
	check(t, clinic(), [][2]string{
		{"which specialty earns the most fee", "SELECT t2.specialty FROM appointments AS t1 JOIN vets AS t2 ON t1.vet_id = t2.vet_id WHERE t2.specialty IS NOT NULL GROUP BY t2.specialty ORDER BY sum(t1.fee) DESC LIMIT 1"},
		{"how many cities are there", "SELECT count(DISTINCT city) AS number_of_cities FROM owners"},
	})
	check(t, transit(), [][2]string{
		{"which district has the most docks", "SELECT district FROM stations WHERE district IS NOT NULL GROUP BY district ORDER BY sum(docks) DESC LIMIT 1"},
		{"which station has the most docks", "SELECT name FROM stations ORDER BY docks DESC LIMIT 1"},
	})
}

// A column's name that says already how it is summed up is not said twice.
func TestTotalOfATotal(t *testing.T) {
	t.Parallel()
	halls := []catalog.Table{{Name: catalog.Name{Table: "halls"}, RowCount: 9, Columns: []catalog.Column{
		{Name: "hall_id", Type: "bigint", PrimaryKey: true, Distinct: 9},
		{Name: "town", Type: "varchar", Distinct: 3, Samples: []string{"Bern", "Chur", "Thun"}},
		{Name: "total_visitors", Type: "bigint"},
	}}}
	check(t, halls, [][2]string{
		{"What is the total of the total visitors of each town?", "SELECT town, sum(total_visitors) AS total_visitors FROM halls GROUP BY town ORDER BY total_visitors DESC, town"},
	})
}

// A person is not answered with a day or a number.
func TestWhoIsNoDay(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(transit(), nil)
	for _, q := range []string{"who started at most often?", "who has the highest minutes?"} {
		res := p.Answer(pipeline.Input{Question: q, Schema: schema, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)})
		require.NotEqual(t, pipeline.Answered, res.Outcome, "%s: %s", q, res.SQL)
	}
}

// TestNobodyCountsThingsByTheirOwnNames: a number of doctors for each doctor is one, whether the key or the name
// tells them apart; where names come twice they are groups.
func TestNobodyCountsThingsByTheirOwnNames(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	for distinct, answered := range map[int64]bool{8: false, 6: true} {
		schema := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "doctors"}, RowCount: 8, Columns: []catalog.Column{
			{Name: "doctor_id", Type: "bigint", PrimaryKey: true, Distinct: 8}, {Name: "full_name", Type: "varchar", Distinct: distinct},
		}}}, nil)
		for _, question := range []string{"number of doctors for each full name", "每个full name的医生数量"} {
			got := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)})
			require.Equal(t, answered, got.Outcome == pipeline.Answered, "%s %s", question, got.SQL)
		}
	}
}

// TestThoseThatPointToOneAreMany: a number of doctors for each of their supervisors is no number of doctors for each doctor.
func TestThoseThatPointToOneAreMany(t *testing.T) {
	t.Parallel()
	doctors := catalog.Name{Table: "doctors"}
	schema := newPipeline(t).Prepare([]catalog.Table{{Name: doctors, RowCount: 8, Columns: []catalog.Column{
		{Name: "doctor_id", Type: "bigint", PrimaryKey: true, Distinct: 8}, {Name: "full_name", Type: "varchar", Distinct: 8}, {Name: "supervisor_id", Type: "bigint", Distinct: 3},
	}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"supervisor_id"}, RefTable: doctors, RefColumns: []string{"doctor_id"}}}}}, nil)
	got := newPipeline(t).Answer(pipeline.Input{Question: "how many doctors does each supervisor have?", Schema: schema, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)})
	require.Equal(t, pipeline.Answered, got.Outcome)
	require.Contains(t, got.SQL, "GROUP BY supervisor_id")
}
