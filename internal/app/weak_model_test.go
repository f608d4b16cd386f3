package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/source"
)

// harbour is a dump in which numbers and dates are kept as text, as old systems do.
const harbour = `
CREATE TABLE ships (ship_id int NOT NULL, name varchar(40), flag varchar(20), tonnage varchar(10), built varchar(12), PRIMARY KEY (ship_id));
INSERT INTO ships VALUES (1,'Aurora','Panama','900','12/03/1998'),(2,'Borealis','Malta','12000','01/07/2004'),(3,'Corvus','Panama','10500','30/11/1987'),
 (4,'Dorado','Liberia','4000','15/05/2011'),(5,'Equus','Malta','8800','09/09/1999');
CREATE TABLE visits (visit_id int NOT NULL, ship_id int, berth varchar(20), arrived date, crates int, fee decimal(10,2), draught varchar(10), pilot_id int, PRIMARY KEY (visit_id),
 CONSTRAINT f FOREIGN KEY (ship_id) REFERENCES ships (ship_id));
INSERT INTO visits VALUES (1,1,'North','2024-01-05',10,100.00,'7.5',NULL),(2,1,'South','2024-02-09',20,250.50,'7,8',NULL),(3,2,'North','2024-02-11',35,80.25,'11.2',NULL),
 (4,3,'South','2024-03-01',5,300.00,'n/a',NULL),(5,4,'North','2024-03-02',50,120.00,'9.1',NULL),(6,5,'South','2024-03-20',7,60.75,'10.4',NULL),(7,2,'Pier','2024-04-04',12,90.00,'11.0',NULL);
`

// asked is a question over the harbour with a right statement and its rows.
type asked struct {
	question, sql string
	rows          string // JSON
}

var (
	howMany   = asked{"How many ships are there?", "SELECT count(*) FROM harbour.main.ships", `[["5"]]`}
	perBerth  = asked{"How many visits were there per berth?", "SELECT berth, count(*) FROM harbour.main.visits GROUP BY berth", `[["North","3"],["Pier","1"],["South","3"]]`}
	ofPanama  = asked{"What is the total fee of ships under the flag of Panama?", "SELECT sum(v.fee) FROM harbour.main.visits v JOIN harbour.main.ships s ON v.ship_id = s.ship_id WHERE s.flag = 'Panama'", `[["650.5"]]`}
	inMarch   = asked{"How many crates arrived in March 2024?", "SELECT sum(crates) FROM harbour.main.visits WHERE arrived >= DATE '2024-03-01' AND arrived < DATE '2024-04-01'", `[["62"]]`}
	heaviest  = asked{"Which ship has the largest tonnage?", "SELECT name FROM harbour.main.ships ORDER BY CAST(tonnage AS double) DESC LIMIT 1", `[["Borealis"]]`}
	heavy     = asked{"How many ships have a tonnage above 5000?", "SELECT count(*) FROM harbour.main.ships WHERE CAST(tonnage AS double) > 5000", `[["3"]]`}
	oldOnes   = asked{"How many ships were built before 2000?", "SELECT count(*) FROM harbour.main.ships WHERE date_parse(built, '%d/%m/%Y') < DATE '2000-01-01'", `[["3"]]`}
	share     = asked{"What share of the visits was at berth North?", "SELECT CAST(count_if(berth = 'North') AS double) / count(*) FROM harbour.main.visits", `[["0.428571"]]`}
	busiest   = asked{"Which berth had the most visits?", "SELECT berth FROM harbour.main.visits GROUP BY berth HAVING count(*) >= ALL (SELECT count(*) FROM harbour.main.visits GROUP BY berth)", `[["North"],["South"]]`}
	deepest   = asked{"How many visits had a draught that is a number?", "SELECT count(*) FROM harbour.main.visits WHERE regexp_like(draught, '^[0-9.]+$')", `[["5"]]`}
	feet      = asked{"How many ships are there under the flag of Panama?", "SELECT count(*) FROM harbour.main.ships WHERE flag = 'Panama'", `[["2"]]`}
	latePilot = asked{"Which pilot had the most visits?", "SELECT pilot_id FROM harbour.main.visits WHERE pilot_id IS NOT NULL GROUP BY pilot_id HAVING count(*) >= ALL (SELECT count(*) FROM harbour.main.visits WHERE pilot_id IS NOT NULL GROUP BY pilot_id)", `null`}
	meanDepth = asked{"What is the average draught?", "SELECT avg(CAST(replace(draught, ',', '.') AS double)) FROM harbour.main.visits WHERE draught <> 'n/a'", `[["9.5"]]`}
)

// misread begins the classes of statements that hold, run, and answer another question: how
// many of them are told depends on what the rules can read.
const misread = "misread: "

// slip is what a weak model says on the way to an answer. Prompts for which nothing is
// said get the right answer.
type slip struct {
	class string
	asked
	router []llmtest.Answer // to the supervisor's prompt, in turn; the last one again and again
	writes []llmtest.Answer // to the prompt that asks for SQL
	mends  []llmtest.Answer // to a repair
}

func said(text string) []llmtest.Answer { return []llmtest.Answer{{Text: text}} }

func wrote(sql ...string) (out []llmtest.Answer) {
	for _, s := range sql {
		raw, _ := json.Marshal(map[string]any{"outcome": "sql", "understood": "x", "candidates": []any{map[string]any{"sql": s}}}) // texts: it always is
		out = append(out, llmtest.Answer{Text: string(raw)})
	}
	return out
}

func mended(sql ...string) (out []llmtest.Answer) {
	for _, s := range sql {
		raw, _ := json.Marshal(map[string]any{"why": "x", "sql": s})
		out = append(out, llmtest.Answer{Text: string(raw)})
	}
	return out
}

func called(tool, args string) []llmtest.Answer {
	return []llmtest.Answer{{Calls: []llmtest.Call{{Name: tool, Arguments: args}}}}
}

// wants are the arguments with which a careful model begins.
func wants(question, goal string) string {
	args := map[string]any{"user_question": question, "rewritten_question": question}
	if goal != "" {
		args["final_intent"] = goal
	}
	raw, _ := json.Marshal(args)
	return string(raw)
}

const result = "execute_sql_and_analyze_result"

func slips() []slip {
	var all []slip
	add := func(s ...slip) { all = append(all, s...) }
	loop := strings.Repeat("and then the ships and then the berths ", 200)
	for _, a := range []asked{howMany, ofPanama} {
		j := wrote(a.sql)[0].Text
		add(
			slip{class: "malformed", asked: a, writes: said(j[:len(j)-2])},
			slip{class: "malformed", asked: a, writes: said(strings.Replace(j, "}]", "},]", 1))},
			slip{class: "malformed", asked: a, writes: said("{'outcome': 'sql', 'candidates': [{'sql': \"" + a.sql + "\"}]}\n```sql\n" + a.sql + ";\n```")},
			slip{class: "malformed", asked: a, writes: said(`{"sql": "` + a.sql + `"}`)},
			slip{class: "malformed", asked: a, writes: said(a.sql + ";")},
			slip{class: "prose", asked: a, writes: said("Sure! Here is the query you asked for:\n\n" + j + "\n\nLet me know whether that helps {or not}.")},
			slip{class: "prose", asked: a, writes: said("<think>Maybe {count}? I should write SQL.</think>\n```json\n" + j + "\n```")},
			slip{class: "prose", asked: a, writes: said("The query is:\n```sql\n" + a.sql + "\n```\nIt returns one row with 4711.")},
			slip{class: "several statements", asked: a, writes: wrote(a.sql + "; SELECT 1"), mends: mended(a.sql)},
			slip{class: "several statements", asked: a, writes: wrote("SET SESSION x = 1; " + a.sql), mends: mended(a.sql)},
			slip{class: "endless", asked: a, writes: []llmtest.Answer{{Text: loop, Finish: "length"}, wrote(a.sql)[0]}},
			slip{class: "call as text", asked: a, router: said(`{"name": "data_discovery", "arguments": ` + wants(a.question, result) + `}`)},
			slip{class: "call as text", asked: a, router: said("<tool_call>\n{\"name\": \"data_discovery\", \"arguments\": " + wants(a.question, result) + "}\n</tool_call>")},
			slip{class: "call as text", asked: a, router: said("I will search.\n```json\n{\"tool\": \"data_discovery\", \"parameters\": " + wants(a.question, result) + "}\n```")},
			slip{class: "figures in words", asked: a, router: said("The answer is 4,711.")},
			slip{class: "wrong tool", asked: a, router: called("generate_sql", wants(a.question, result))},
			slip{class: "wrong tool", asked: a, router: called("reject_out_of_scope", `{"rewritten_question":"x","reason":"out_of_scope"}`)},
			slip{class: "wrong tool", asked: a, router: called("ask_human", `{"rewritten_question":"x","question":"Which ships?"}`)},
			slip{class: "wrong tool", asked: a, router: append(called("run_python", `{"code":"print(4711)"}`), called("data_discovery", wants(a.question, result))...)},
			slip{class: "several calls", asked: a, router: []llmtest.Answer{{Calls: []llmtest.Call{{Name: "data_discovery", Arguments: wants(a.question, result)}, {Name: "generate_sql", Arguments: wants(a.question, result)}}}}},
			slip{class: "missing goal", asked: a, router: called("data_discovery", wants(a.question, ""))},
			slip{class: "missing goal", asked: a, router: called("generate_sql", wants(a.question, ""))},
		)
	}
	// What rules cannot read as well: the model has nothing to lean on.
	fee := func(cond string) string { return strings.Replace(ofPanama.sql, "s.flag = 'Panama'", cond, 1) }
	crates := func(cond string) string {
		return "SELECT sum(crates) FROM harbour.main.visits WHERE " + cond
	}
	add(
		slip{class: "endless", asked: howMany, writes: []llmtest.Answer{{Text: loop, Finish: "length"}}},
		slip{class: "refusal", asked: howMany, writes: said("I'm sorry, but I cannot help with that.")},
		slip{class: "refusal", asked: howMany, writes: said(`{"outcome":"cannot","understood":"x","missing":"There is no table of ships."}`)},
		slip{class: "refusal", asked: perBerth, writes: said(`{"outcome":"ask","understood":"x","question":"Which berth?","options":["North","South"]}`)},
		slip{class: "invented figure", asked: howMany, writes: wrote("SELECT 4711 AS ships"), mends: mended(howMany.sql)},
		slip{class: "invented figure", asked: howMany, writes: wrote("SELECT 4711 AS ships"), mends: mended("SELECT 42 AS ships")},

		slip{class: "invented value", asked: ofPanama, writes: wrote(fee("s.flag = 'PANAMA'"))},
		slip{class: "invented value", asked: ofPanama, writes: wrote(fee("s.flag = 'Panamá'"))},
		slip{class: "invented value", asked: ofPanama, writes: wrote(fee("s.flag = 'Pannama'")), mends: mended(ofPanama.sql)},
		slip{class: "invented value", asked: ofPanama, writes: wrote(fee("s.flag = 'Republic of Panama'")), mends: mended(ofPanama.sql)},
		slip{class: "invented value", asked: ofPanama, writes: wrote(fee("s.flag IN ('Panam')")), mends: mended(fee("s.flag = 'Panam'"))},
		slip{class: "invented value", asked: ofPanama, writes: wrote(fee("s.flag = 'PA'"))},

		slip{class: "invented column", asked: ofPanama, writes: wrote(strings.Replace(ofPanama.sql, "v.fee", "v.amount", 1)), mends: mended(ofPanama.sql)},
		slip{class: "invented column", asked: ofPanama, writes: wrote(strings.Replace(ofPanama.sql, "v.fee", "v.fees", 1)), mends: mended(ofPanama.sql)},
		slip{class: "invented column", asked: perBerth, writes: wrote("SELECT dock, count(*) FROM harbour.main.visits GROUP BY dock"), mends: mended(perBerth.sql)},
		slip{class: "invented column", asked: perBerth, writes: wrote("SELECT dock, count(*) FROM harbour.main.visits GROUP BY dock"), mends: mended("SELECT quay, count(*) FROM harbour.main.visits GROUP BY quay")},
		slip{class: "invented table", asked: perBerth, writes: wrote("SELECT berth, count(*) FROM harbour.main.port_calls GROUP BY berth"), mends: mended(perBerth.sql)},

		slip{class: "date format", asked: inMarch, writes: wrote(crates("arrived >= '2024-03-01' AND arrived < '2024-04-01'")), mends: mended(inMarch.sql)},
		slip{class: "date format", asked: inMarch, writes: wrote(crates("arrived >= DATE '01/03/2024' AND arrived < DATE '01/04/2024'")), mends: mended(inMarch.sql)},
		slip{class: "date format", asked: inMarch, writes: wrote(crates("arrived LIKE '2024-03%'")), mends: mended(inMarch.sql)},
		slip{class: "date format", asked: oldOnes, writes: wrote("SELECT count(*) FROM harbour.main.ships WHERE built < '2000-01-01'"), mends: mended(oldOnes.sql)},
		slip{class: "date format", asked: oldOnes, writes: wrote("SELECT count(*) FROM harbour.main.ships WHERE CAST(built AS date) < DATE '2000-01-01'"), mends: mended(oldOnes.sql)},
		slip{class: "date format", asked: oldOnes, writes: wrote("SELECT count(*) FROM harbour.main.ships WHERE built < '01/01/2000'"), mends: mended("SELECT count(*) FROM harbour.main.ships WHERE built < '2000'")},

		slip{class: "dialect", asked: inMarch, writes: wrote("SELECT SUM(`crates`) FROM `harbour`.`main`.`visits` WHERE `arrived` >= DATE '2024-03-01' AND `arrived` < DATE '2024-04-01'"), mends: mended(inMarch.sql)},
		slip{class: "dialect", asked: inMarch, writes: wrote(crates("arrived::date >= '2024-03-01'::date AND arrived < '2024-04-01'::date")), mends: mended(inMarch.sql)},
		slip{class: "dialect", asked: inMarch, writes: wrote(crates("strftime('%Y-%m', arrived) = '2024-03'")), mends: mended(inMarch.sql)},
		slip{class: "dialect", asked: inMarch, writes: wrote(crates("EXTRACT(YEAR_MONTH FROM arrived) = 202403")), mends: mended(inMarch.sql)},
		slip{class: "dialect", asked: heaviest, writes: wrote("SELECT TOP 1 name FROM harbour.main.ships ORDER BY CAST(tonnage AS double) DESC"), mends: mended(heaviest.sql)},
		slip{class: "dialect", asked: heaviest, writes: wrote("SELECT name FROM harbour.main.ships ORDER BY tonnage + 0 DESC LIMIT 1"), mends: mended(heaviest.sql)},
		slip{class: "dialect", asked: heavy, writes: wrote("SELECT COUNT(IF(CAST(tonnage AS SIGNED) > 5000, 1, NULL)) FROM harbour.main.ships"), mends: mended(heavy.sql)},

		slip{class: "cast of text", asked: deepest, writes: wrote("SELECT count(TRY_CAST(draught AS bigint)) FROM harbour.main.visits"), mends: mended(deepest.sql)},
		slip{class: "cast of text", asked: meanDepth, writes: wrote("SELECT avg(TRY_CAST(draught AS double)) FROM harbour.main.visits"), mends: mended(meanDepth.sql)},
		slip{class: "cast of text", asked: meanDepth, writes: wrote("SELECT avg(CAST(draught AS double)) FROM harbour.main.visits"), mends: mended(meanDepth.sql)},
		slip{class: "cast of text", asked: meanDepth, writes: wrote("SELECT avg(TRY_CAST(draught AS double)) FROM harbour.main.visits"), mends: mended("SELECT avg(TRY_CAST(draught AS double)) FROM harbour.main.visits")},

		slip{class: "text as number", asked: heaviest, writes: wrote("SELECT name FROM harbour.main.ships ORDER BY tonnage DESC LIMIT 1"), mends: mended(heaviest.sql)},
		slip{class: "text as number", asked: heaviest, writes: wrote("SELECT name FROM harbour.main.ships WHERE tonnage = (SELECT max(tonnage) FROM harbour.main.ships)"), mends: mended(heaviest.sql)},
		slip{class: "text as number", asked: heavy, writes: wrote("SELECT count(*) FROM harbour.main.ships WHERE tonnage > '5000'"), mends: mended(heavy.sql)},
		slip{class: "text as number", asked: heavy, writes: wrote("SELECT count(*) FROM harbour.main.ships WHERE tonnage > 5000"), mends: mended(heavy.sql)},
		slip{class: "text as number", asked: heavy, writes: wrote("SELECT count(*) FROM harbour.main.ships WHERE tonnage BETWEEN '5000' AND '99999'"), mends: mended("SELECT count(*) FROM harbour.main.ships WHERE tonnage > '5000'")},

		slip{class: "division", asked: share, writes: wrote("SELECT count_if(berth = 'North') * 1.0 / count(*) FROM harbour.main.visits")},
		slip{class: "division", asked: share, writes: wrote("SELECT 1.0 * sum(CASE WHEN berth = 'North' THEN 1 ELSE 0 END) / count(*) AS share FROM harbour.main.visits")},
		slip{class: "division", asked: share, writes: wrote("SELECT count_if(berth = 'North') / count(*) FROM harbour.main.visits")},
		slip{class: "division", asked: share, writes: wrote("SELECT (SELECT count(*) FROM harbour.main.visits WHERE berth = 'NORTH') / (SELECT count(*) FROM harbour.main.visits)")},

		slip{class: "ties", asked: busiest, writes: wrote("SELECT berth FROM harbour.main.visits GROUP BY berth ORDER BY count(*) DESC LIMIT 1")},
		slip{class: "NULL only", asked: ofPanama, writes: wrote("SELECT sum(pilot_id) FROM harbour.main.visits"), mends: mended(ofPanama.sql)},
		// Statements that hold, run, and say something else.
		slip{class: "missing GROUP BY", asked: perBerth, writes: wrote("SELECT berth, count(*) FROM harbour.main.visits"), mends: mended(perBerth.sql)},
		slip{class: "missing GROUP BY", asked: perBerth, writes: wrote("SELECT berth, count(*) FROM harbour.main.visits"), mends: mended("SELECT berth, count(*) FROM harbour.main.visits")},
		slip{class: misread + "missing GROUP BY", asked: perBerth, writes: wrote("SELECT max(berth), count(*) FROM harbour.main.visits")},
		slip{class: "wrong join", asked: ofPanama, writes: wrote(strings.Replace(ofPanama.sql, "v.ship_id = s.ship_id", "v.visit_id = s.ship_id", 1)), mends: mended(ofPanama.sql)},
		slip{class: "wrong join", asked: ofPanama, writes: wrote(strings.Replace(ofPanama.sql, "v.ship_id = s.ship_id", "v.visit_id = s.ship_id", 1)), mends: mended(strings.Replace(ofPanama.sql, "v.ship_id = s.ship_id", "v.visit_id = s.ship_id", 1))},
		slip{class: "wrong join", asked: ofPanama, writes: wrote(strings.Replace(ofPanama.sql, "v.ship_id = s.ship_id", "v.crates = s.ship_id", 1)), mends: mended(ofPanama.sql)},
		slip{class: "missing join", asked: ofPanama, writes: wrote("SELECT sum(v.fee) FROM harbour.main.visits v, harbour.main.ships s WHERE s.flag = 'Panama'"), mends: mended(ofPanama.sql)},
		slip{class: "missing join", asked: ofPanama, writes: wrote("SELECT sum(v.fee) FROM harbour.main.visits v CROSS JOIN harbour.main.ships s WHERE s.flag = 'Panama'"), mends: mended("SELECT sum(v.fee) FROM harbour.main.visits v, harbour.main.ships s WHERE s.flag = 'Panama'")},
		slip{class: misread + "repeated rows", asked: feet, writes: wrote("SELECT count(s.ship_id) FROM harbour.main.ships s JOIN harbour.main.visits v ON v.ship_id = s.ship_id WHERE s.flag = 'Panama'")},
		slip{class: misread + "forgotten condition", asked: ofPanama, writes: wrote("SELECT sum(fee) FROM harbour.main.visits")},
		slip{class: misread + "forgotten condition", asked: inMarch, writes: wrote("SELECT sum(crates) FROM harbour.main.visits")},
		slip{class: misread + "forgotten condition", asked: inMarch, writes: wrote(crates("month(arrived) = 3"))},
		slip{class: misread + "other period", asked: inMarch, writes: wrote(crates("arrived >= DATE '2024-02-01' AND arrived < DATE '2024-03-01'"))},
		slip{class: misread + "other period", asked: inMarch, writes: wrote(crates("arrived > DATE '2024-03-01' AND arrived < DATE '2024-03-31'"))},
		slip{class: misread + "other value", asked: ofPanama, writes: wrote(fee("s.flag = 'Malta'"))},
		slip{class: misread + "other column", asked: ofPanama, writes: wrote(strings.Replace(ofPanama.sql, "v.fee", "v.crates", 1))},
		slip{class: misread + "other aggregate", asked: inMarch, writes: wrote("SELECT count(crates) FROM harbour.main.visits WHERE arrived >= DATE '2024-03-01' AND arrived < DATE '2024-04-01'")},
		slip{class: misread + "other aggregate", asked: ofPanama, writes: wrote(strings.Replace(ofPanama.sql, "sum(v.fee)", "avg(v.fee)", 1))},
		slip{class: misread + "other direction", asked: heaviest, writes: wrote("SELECT name FROM harbour.main.ships ORDER BY CAST(tonnage AS double) LIMIT 1")},
		slip{class: "NULLs first", asked: latePilot, writes: wrote("SELECT visit_id FROM harbour.main.visits ORDER BY pilot_id DESC LIMIT 1")},

		slip{class: "dialect", asked: inMarch, writes: wrote(crates("DATE_FORMAT(arrived, '%Y-%m') = '2024-03'")), mends: mended(inMarch.sql)},
		slip{class: "dialect", asked: inMarch, writes: wrote("SELECT ISNULL(SUM([crates]), 0) FROM [harbour].[main].[visits] WHERE YEAR([arrived]) = 2024 AND MONTH([arrived]) = 3"), mends: mended(inMarch.sql)},
		slip{class: "dialect", asked: inMarch, writes: wrote(crates("DATEPART(month, arrived) = 3 AND DATEPART(year, arrived) = 2024")), mends: mended(inMarch.sql)},
		slip{class: "dialect", asked: inMarch, writes: wrote(crates("to_char(arrived, 'YYYY-MM') = '2024-03'")), mends: mended(crates("to_char(arrived, 'YYYY-MM') = '2024-03'"))},
		slip{class: "dialect", asked: oldOnes, writes: wrote("SELECT count(*) FROM harbour.main.ships WHERE STR_TO_DATE(built, '%d/%m/%Y') < '2000-01-01'"), mends: mended(oldOnes.sql)},
		slip{class: "dialect", asked: perBerth, writes: wrote("SELECT berth, COUNT(*) FROM harbour.main.visits GROUP BY 1 LIMIT 0, 100"), mends: mended(perBerth.sql)},

		slip{class: "nothing said", asked: howMany, writes: said("")},
		slip{class: "nothing said", asked: perBerth, writes: said("{}")},
		slip{class: "nothing said", asked: perBerth, writes: said(`{"outcome":"sql","understood":"x","candidates":[]}`)},
		slip{class: "nothing said", asked: perBerth, writes: wrote("")},
		slip{class: "endpoint", asked: howMany, writes: []llmtest.Answer{{Status: http.StatusTooManyRequests, Text: "slow down"}}},
		slip{class: "endpoint", asked: perBerth, writes: []llmtest.Answer{{Status: http.StatusTooManyRequests, Text: "slow down"}, wrote(perBerth.sql)[0]}},
		slip{class: "endpoint", asked: perBerth, router: []llmtest.Answer{{Status: http.StatusInternalServerError, Text: "out of memory"}}},
		slip{class: "endpoint", asked: ofPanama, writes: []llmtest.Answer{{Raw: "<html>502 Bad Gateway</html>"}}},
		slip{class: "empty", asked: inMarch, writes: wrote("SELECT crates FROM harbour.main.visits WHERE arrived > DATE '2034-03-01'")},
		slip{class: "zero", asked: howMany, writes: wrote("SELECT count(*) FROM harbour.main.ships WHERE flag = 'Ships'")},
	)
	return all
}

// weak is an endpoint that says what the slip at hand has a model say.
type weak struct {
	mu     sync.Mutex
	at     slip
	counts map[string]int
}

func (w *weak) begin(s slip) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.counts = s, map[string]int{}
}

// asked is how often the slip's requests of a kind came.
func (w *weak) asked(kind string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts[kind]
}

func (w *weak) answer(r llmtest.Request) llmtest.Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := func(kind string, list, otherwise []llmtest.Answer) llmtest.Answer {
		if len(list) == 0 {
			list = otherwise
		}
		w.counts[kind]++
		return list[min(w.counts[kind], len(list))-1]
	}
	switch {
	case r.Body["tools"] != nil:
		return next("router", w.at.router, called("data_discovery", wants(w.at.question, result)))
	case strings.Contains(r.Raw, "Something is wrong with it"):
		return next("repair", w.at.mends, mended(""))
	case strings.Contains(r.Raw, "You write Presto"):
		return next("sql", w.at.writes, wrote(w.at.sql))
	}
	return llmtest.Answer{Text: `{"next":"give_up","why":"no idea"}`}
}

// shown are the rows that a person gets, as JSON with texts of six digits; "" for none.
func shown(t *testing.T, a *routerv1.AskResponse) string {
	t.Helper()
	for _, c := range slices.Backward(a.GetAnswer().GetToolCalls()) {
		ran := c.GetExecute()
		if ran == nil || ran.GetOutcome() != chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE {
			continue
		}
		var rows [][]string
		for _, r := range ran.GetPage().GetRows() {
			var cells []string
			for _, v := range r.GetValues() {
				cell := fmt.Sprint(v.AsInterface())
				var f float64
				if n, err := fmt.Sscanf(cell, "%g", &f); n == 1 && err == nil {
					cell = fmt.Sprintf("%.6g", f)
				}
				cells = append(cells, cell)
			}
			rows = append(rows, cells)
		}
		slices.SortFunc(rows, slices.Compare)
		raw, err := json.Marshal(rows)
		require.NoError(t, err)
		return string(raw)
	}
	return ""
}

// harbourBy is the product over the harbour, with a model for the router and for text to SQL.
func harbourBy(t *testing.T, model *weak) (routerv1.RouterServiceClient, *llmtest.Server) {
	t.Helper()
	conn, endpoint := harbourConn(t, model)
	return routerv1.NewRouterServiceClient(conn), endpoint
}

// harbourConn is the same for who asks other services too.
func harbourConn(t *testing.T, model *weak) (*grpc.ClientConn, *llmtest.Server) {
	t.Helper()
	endpoint := llmtest.New(t, model.answer)
	c := testConfig(t)
	c.Source = "harbour"
	for _, of := range []*string{&c.Router.Config.DefaultSource, &c.FindData.Config.DefaultSource, &c.Text2SQL.Config.DefaultSource, &c.FixSQL.Config.DefaultSource, &c.ChatBI.Config.DefaultSource} {
		*of = "harbour"
	}
	c.Text2SQL.Config.Strategy, c.Router.Config.Strategy = "llm", "llm"
	c.LLM.Config.BaseURL, c.LLM.Config.Model, c.LLM.Config.Attempts = endpoint.URL, "small", 1
	c.Text2SQL.Config.KeepModelAnswers = time.Millisecond // each slip is made anew
	c.Limits.RequestBurst = 1000                          // however fast the machine is
	file := filepath.Join(t.TempDir(), "harbour.sql")
	require.NoError(t, os.WriteFile(file, []byte(harbour), 0o600))
	store, err := source.Open(c.DataDir)
	require.NoError(t, err)
	_, err = ingest.SQLDump(t.Context(), store, "harbour", file, ingest.Options{})
	require.NoError(t, err)
	return start(t, c, app.All).dial(), endpoint
}

// TestAModelKnowsWhoAsks: the day, the source and what is known of the asker reach the
// requests of the router and of text to SQL.
func TestAModelKnowsWhoAsks(t *testing.T) {
	t.Parallel()
	model := &weak{}
	router, endpoint := harbourBy(t, model)
	model.begin(slip{asked: asked{question: "visits to our berth", sql: "SELECT count(*) FROM harbour.main.visits WHERE berth = 'Pier'"}})
	_, err := router.Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Source: "harbour", Question: "visits to our berth", UserContext: &commonv1.UserContext{
		Email: "ann@harbour.example", Department: "Pier", Region: "MT", Background: "I run the Pier.",
	}}})
	require.NoError(t, err)
	told := "<asker>\\nbackground: I run the Pier.\\ndepartment: Pier\\ne-mail: ann@harbour.example\\ncountry: MT\\n</asker>"
	kinds := map[bool]int{}
	for _, r := range endpoint.Requests() {
		require.Contains(t, r.Raw, told)
		require.Regexp(t, `[Tt]oday is 20\d\d-\d\d-\d\d`, r.Raw)
		if kinds[r.Body["tools"] != nil]++; r.Body["tools"] != nil {
			require.Contains(t, r.Raw, "<source>\\nharbour\\n</source>")
		}
	}
	require.Equal(t, map[bool]int{true: 1, false: 1}, kinds)
}

// TestSlipsOfWeakModels asks the product, from the router to the rows, with a model that
// makes the mistakes of small ones: most questions still end right, and no wrong figure
// goes out without a warning. Statements that answer another question are counted apart.
func TestSlipsOfWeakModels(t *testing.T) {
	t.Parallel()
	model := &weak{}
	router, _ := harbourBy(t, model)

	right, all := map[string]int{}, map[string]int{}
	misreadings, untold := 0, 0
	for i, s := range slips() {
		model.begin(s)
		turn := &routerv1.Turn{Source: "harbour", Question: s.question}
		if s.router != nil { // over a source that is named the rules are sure of it
			turn.Source = ""
		}
		got, err := router.Ask(t.Context(), &routerv1.AskRequest{Turn: turn})
		require.NoError(t, err)
		if s.router != nil {
			require.Positive(t, model.asked("router"), "%d %s: %q", i, s.class, s.question)
		}
		rows := shown(t, got)
		isMisread := strings.HasPrefix(s.class, misread)
		for _, group := range []string{"", s.class} {
			if group == "" && isMisread {
				misreadings++
				continue
			}
			all[group]++
			right[group] += count(rows == s.rows)
		}
		if rows == s.rows {
			continue
		}
		warned := len(got.GetAnswer().GetWarnings()) > 0
		t.Logf("%d %s: %q: rows %q, warned %t: %s", i, s.class, s.question, rows, warned, strings.ReplaceAll(got.GetAnswer().GetText(), "\n", " "))
		if isMisread {
			untold += count(rows != "" && !warned)
		} else if rows != "" {
			require.True(t, warned, "%d %s: %q: a wrong figure without a warning: %s", i, s.class, s.question, rows)
		}
	}
	for class, n := range all {
		t.Logf("%s: %d of %d right", class, right[class], n)
	}
	t.Logf("misreadings: %d, untold %d", misreadings, untold)
	require.GreaterOrEqual(t, all[""], 80)
	require.GreaterOrEqual(t, float64(right[""]), .85*float64(all[""]))
	require.GreaterOrEqual(t, misreadings, 12)
	require.LessOrEqual(t, untold, 1) // the lowest for the highest of numbers kept as text, which rules do not read
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
