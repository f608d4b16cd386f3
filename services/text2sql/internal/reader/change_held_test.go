package reader_test

import (
	"testing"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// jobs are those of a workshop: values of several words, and columns of numbers.
func jobs() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "jobs"}, RowCount: 900, Columns: []catalog.Column{
		key("job_no"), texts("job_type", "Full Service", "Basic Service"), texts("mechanic", "Sian Probert", "Ann Lee", "Huw Price"), texts("remark", "dusty", "late", "wet"),
		col("booked", "date"), {Name: "cost", Type: "double", NotNull: true, Distinct: 200},
	}}}
}

// TestWhatIsInForceIsPointedAt: what a follow-up names is looked for in what is in force first.
func TestWhatIsInForceIsPointedAt(t *testing.T) {
	t.Parallel()
	s := open(t, jobs()...)
	s.talks(t, []talk{
		{"a part of a value in force stands for it, and what is dropped goes", "How many jobs of Sian Probert were there?", [][2]string{
			{"drop Sian", "SELECT count(*) AS number_of_jobs FROM jobs"},
		}},
		{"what is left out may be what is not wanted", "How many jobs of Sian Probert were there?", [][2]string{
			{"without Sian Probert", "either"},
		}},
		{"what goes is gone, said twice", "How many jobs of Sian Probert were there?", [][2]string{
			{"never mind the mechanic, all mechanics", "SELECT count(*) AS number_of_jobs FROM jobs"},
		}},
		{"a number from the other side takes the place of one that it cannot be met with", "How many jobs had a cost under 30?", [][2]string{
			{"and at least 40?", "SELECT count(*) AS number_of_jobs FROM jobs WHERE cost >= 40"},
			{"over 50", "SELECT count(*) AS number_of_jobs FROM jobs WHERE cost > 50"},
		}},
		{"the other end has as many", "top 2 mechanics by number of jobs", [][2]string{
			{"the bottom ones", "SELECT mechanic, count(*) AS number_of_jobs FROM jobs GROUP BY mechanic ORDER BY number_of_jobs LIMIT 2"},
		}},
		{"what is replaced is the end of an order", "How many jobs were there per mechanic?", [][2]string{
			{"the lowest instead of the highest", "SELECT mechanic, count(*) AS number_of_jobs FROM jobs GROUP BY mechanic ORDER BY number_of_jobs LIMIT 1"},
		}},
		{"a share may be asked for by its hundred", "How many jobs were there per mechanic?", [][2]string{
			{"in percent", "SELECT mechanic, 100 * CAST(count(*) AS double) / nullif(sum(count(*)) OVER (), 0) AS jobs_percentage_of_total FROM jobs GROUP BY mechanic ORDER BY jobs_percentage_of_total DESC, mechanic"},
		}},
		{"what is theirs stands beside", "How many jobs were there per mechanic?", [][2]string{
			{"with their average cost", "SELECT mechanic, count(*) AS number_of_jobs, avg(cost) AS average_cost FROM jobs GROUP BY mechanic ORDER BY number_of_jobs DESC, mechanic"},
		}},
		{"how often, and a total of money", "How many jobs were there per mechanic?", [][2]string{
			{"换成总额", "SELECT mechanic, sum(cost) AS total_cost FROM jobs GROUP BY mechanic ORDER BY total_cost DESC, mechanic"},
			{"次数最少的2位", "SELECT mechanic, count(*) AS number_of_jobs FROM jobs GROUP BY mechanic ORDER BY number_of_jobs LIMIT 2"},
		}},
		{"a pronoun leans on what was said", "How many jobs of Ann Lee were there?", [][2]string{
			{"what did she cost in total?", "SELECT sum(cost) AS total_cost FROM jobs WHERE mechanic = 'Ann Lee'"},
			{"how many records is that per job type?", "SELECT job_type, count(*) AS number_of_jobs FROM jobs WHERE mechanic = 'Ann Lee' GROUP BY job_type ORDER BY number_of_jobs DESC, job_type"},
		}},
	})
}
