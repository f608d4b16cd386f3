package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func records() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "tracks"}, RowCount: 900, Columns: []catalog.Column{key("track_id"), named("name", 900, "Numbers", "Facelift", "Night Drive"), col("milliseconds", "bigint"), col("album_id", "bigint")},
			ForeignKeys: []catalog.ForeignKey{to("album_id", "albums")}},
		{Name: catalog.Name{Table: "albums"}, RowCount: 90, Columns: []catalog.Column{key("album_id"), named("title", 90, "Facelift", "Balls to the Wall"), col("year", "bigint")}},
		{Name: catalog.Name{Table: "reviews"}, RowCount: 500, Columns: []catalog.Column{key("review_id"), col("album_id", "bigint"), col("critic_id", "bigint"), col("stars", "bigint"), col("review_date", "date")},
			ForeignKeys: []catalog.ForeignKey{to("album_id", "albums"), to("critic_id", "critics")}},
		{Name: catalog.Name{Table: "critics"}, RowCount: 40, Columns: []catalog.Column{key("critic_id"), named("name", 40, "Ann Lee", "Bob Ray"), col("age", "bigint")}},
	}
}

func office() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "employee"}, RowCount: 90, Columns: []catalog.Column{
			key("emp_id"), texts("emp_fname", "Steve", "Mary"), named("emp_lname", 80, "Johnson", "Bell"), col("salary", "double"), col("branch_id", "bigint"),
		}, ForeignKeys: []catalog.ForeignKey{to("branch_id", "branch")}},
		{Name: catalog.Name{Table: "branch"}, RowCount: 9, Columns: []catalog.Column{key("branch_id"), named("branch_name", 9, "North", "South"), col("rent", "double"), col("area", "double")}},
		{Name: catalog.Name{Table: "customers"}, RowCount: 400, Columns: []catalog.Column{
			key("customer_id"), texts("first_name", "Steve", "Rita"), named("last_name", 390, "Brown", "Silva"), col("support_emp_id", "bigint"),
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"support_emp_id"}, RefTable: catalog.Name{Table: "employee"}, RefColumns: []string{"emp_id"}}}},
	}
}

// named is a column of names that are all different.
func named(name string, rows int64, values ...string) catalog.Column {
	c := texts(name, values...)
	c.Distinct, c.NotNull = rows, true
	return c
}

// What is said to be called something is what the word before says, a number of things is nothing that is called
// Numbers, and the newest thing has a day or a year of its own.
func TestNamesAreOfTheirThings(t *testing.T) {
	t.Parallel()
	s := open(t, records()...)
	s.answers(t, map[string]string{
		"List the title of albums with the number of tracks greater than 10.":    "SELECT t1.title FROM albums AS t1 JOIN tracks AS t2 ON t1.album_id = t2.album_id GROUP BY t1.title HAVING count(*) > 10",
		"What are the tracks in the album called Facelift?":                      "SELECT t1.name FROM tracks AS t1 JOIN albums AS t2 ON t1.album_id = t2.album_id WHERE t2.title = 'Facelift'",
		"How long is the track Night Drive?":                                     "SELECT milliseconds, name FROM tracks WHERE name = 'Night Drive'",
		"What is the name of the newest album?":                                  "SELECT title FROM albums ORDER BY year DESC LIMIT 1",
		"Which album has the smallest number of tracks?":                         "SELECT t2.title FROM tracks AS t1 JOIN albums AS t2 ON t1.album_id = t2.album_id GROUP BY t2.album_id, t2.title ORDER BY count(*) LIMIT 1",
		"What are the maximum and minimum number of stars across all reviews?":   "SELECT max(stars) AS highest_stars, min(stars) AS lowest_stars FROM reviews",
		"Show the titles of albums and the names of the critics.":                "SELECT t1.title, t3.name FROM albums AS t1 JOIN reviews AS t2 ON t1.album_id = t2.album_id JOIN critics AS t3 ON t2.critic_id = t3.critic_id",
		"What is the average stars of reviews by critics whose age is above 30?": "SELECT avg(t1.stars) AS average_stars FROM reviews AS t1 JOIN critics AS t2 ON t1.critic_id = t2.critic_id WHERE t2.age > 30",
	})
	for _, question := range []string{
		"Show the average stars for each album not reviewed by Ann Lee.",    // those are no reviews of hers without a day
		"Show the name and id of the album with the highest average stars.", // and no name of a critic
		"How wide is the track Night Drive?",
		"List the reviews not written by a critic named Ann Lee.",
	} {
		got, read := s.ask(t, question)
		require.True(t, strings.HasPrefix(got, "refused") || len(read.Unread) > 0, "%s: %s", question, got)
	}
}

// What is asked for is shown: each of several wishes, the number by which something is chosen where it is asked for
// too, of a name the part that was said, and the name of what stands before "name".
func TestWishesAreShown(t *testing.T) {
	t.Parallel()
	open(t, office()...).answers(t, map[string]string{
		"What is the count of customers of Steve Johnson?":                           "SELECT count(*) AS number_of_customers FROM customers AS t1 JOIN employee AS t2 ON t1.support_emp_id = t2.emp_id WHERE t2.emp_fname = 'Steve' AND t2.emp_lname = 'Johnson'",
		"What is the last name of the employee with the highest salary?":             "SELECT emp_lname FROM employee ORDER BY salary DESC LIMIT 1",
		"What is the branch name of the employee with the lowest salary?":            "SELECT t2.branch_name FROM employee AS t1 JOIN branch AS t2 ON t1.branch_id = t2.branch_id GROUP BY t2.branch_id, t2.branch_name ORDER BY sum(t1.salary) LIMIT 1",
		"Show the average salary and the branch with the highest average salary.":    "SELECT t2.branch_name, avg(t1.salary) AS average_salary FROM employee AS t1 JOIN branch AS t2 ON t1.branch_id = t2.branch_id GROUP BY t2.branch_id, t2.branch_name ORDER BY average_salary DESC LIMIT 1",
		"What is the average salary across employees from North?":                    "SELECT avg(t1.salary) AS average_salary FROM employee AS t1 JOIN branch AS t2 ON t1.branch_id = t2.branch_id WHERE t2.branch_name = 'North'",
		"Which branches have a rent bigger than 100 and smaller than 500?":           "SELECT branch_name FROM branch WHERE rent > 100 AND rent < 500",
		"What are the first and last names of the employee with the highest salary?": "SELECT emp_fname, emp_lname FROM employee ORDER BY salary DESC LIMIT 1",
		"Show the branches and the number of employees.":                             "SELECT t2.branch_name, count(*) AS number_of_employees FROM employee AS t1 JOIN branch AS t2 ON t1.branch_id = t2.branch_id GROUP BY t2.branch_id, t2.branch_name ORDER BY number_of_employees DESC, t2.branch_name",
		"Show the first names of employees and the names of the branches.":           "SELECT t1.emp_fname, t2.branch_name FROM employee AS t1 JOIN branch AS t2 ON t1.branch_id = t2.branch_id",
	})
}

// The best place in an order is its first, an average per row is one of rows, and what
// stands behind "for" twice is told apart.
func TestPlacesAndSides(t *testing.T) {
	t.Parallel()
	songs := open(t, catalog.Table{Name: catalog.Name{Table: "bookings"}, RowCount: 900, Columns: []catalog.Column{
		texts("genre", "musical", "tragedy"), texts("play", "Medea", "Evita"), col("tickets", "bigint"), {Name: "booked_on", Type: "date", NotNull: true}, col("rank", "bigint"),
	}})
	songs.answers(t, map[string]string{
		"What is the average number of tickets per booking?":                   "SELECT avg(tickets) AS average_tickets FROM bookings",
		"Average number of tickets per booking for musicals and for tragedies": "SELECT genre, avg(tickets) AS average_tickets FROM bookings WHERE genre IN ('musical', 'tragedy') GROUP BY genre ORDER BY average_tickets DESC, genre",
		"What was the best rank per play?":                                     "SELECT play, min(rank) AS lowest_rank FROM bookings GROUP BY play ORDER BY lowest_rank DESC, play",
		"What was the highest rank per play?":                                  "SELECT play, max(rank) AS highest_rank FROM bookings GROUP BY play ORDER BY highest_rank DESC, play",
	})
}
