package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// maxRoomsTables bounds the tables over which a question is followed.
const maxRoomsTables = 100

func newText2SQLRoomsCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	var source, today string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   `rooms "QUESTION"...`,
		Short: "Show what each room of the reading of questions saw of a question",
		Long: `Show what each room of the reading of questions saw of a question over the tables of a
source: what each span may be, the parts of the grammar that cover it, the readings
with what they cost, what the question asks of any SQL, and the answer. Nothing is
run, and no layer takes part. It is for people who work on the reading. --json prints
an object a question, with the signs that its confidence is made of.`,
		Example: `  dibrain text2sql rooms --source shop "How many purchases were there per product?"
  dibrain text2sql rooms --source shop --today 2026-11-20 "上个月有多少订单？"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			now := f.Clock()
			if today != "" {
				day, err := time.Parse(time.DateOnly, today)
				if err != nil {
					return fault.Invalid("--today", "DAY_INVALID", "--today is %q: give a day as YYYY-MM-DD.", today)
				}
				now = day
			}
			services, err := openServices(cmd.Context(), f, remote, source)
			if err != nil {
				return err
			}
			defer services.Close()
			listed, err := services.Catalog.ListTables(cmd.Context(), &findatav1.ListTablesRequest{Source: source, PageSize: maxRoomsTables, WithColumns: true})
			if err != nil {
				return err
			}
			p, err := pipeline.New(pipeline.Config{})
			if err != nil {
				return err
			}
			schema := p.Prepare(catalogpb.ToTables(listed.GetTables()), nil)
			for _, question := range args {
				rooms := p.Rooms(pipeline.Input{Question: question, Schema: schema, Now: now, ShowBasis: true})
				if !asJSON {
					writeRooms(f, &rooms)
					continue
				}
				if err := json.NewEncoder(f.IO.Out).Encode(roomsRecord(question, &rooms)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&source, "source", "", "source of the tables (default: config key source)")
	cmd.Flags().StringVar(&today, "today", "", "day that the question is asked on, YYYY-MM-DD (default: today)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object a question")
	return cmd
}

// roomsReading is a reading as JSON tells it.
type roomsReading struct {
	SQL    string             `json:"sql,omitempty"`
	Cost   float64            `json:"cost"`
	Sure   float64            `json:"sure"`
	Unread []string           `json:"unread,omitempty"`
	Unmet  []string           `json:"unmet,omitempty"`
	Signs  map[string]float64 `json:"signs,omitempty"`
}

// roomsJSON is what the rooms saw of a question, as JSON tells it. Outcome is answered,
// asked or abstained.
type roomsJSON struct {
	Question string         `json:"question"`
	Readings []roomsReading `json:"readings"`
	Outcome  string         `json:"outcome"`
	SQL      string         `json:"sql,omitempty"`
	Sure     float64        `json:"sure,omitempty"`
}

func roomsRecord(question string, rooms *pipeline.Rooms) roomsJSON {
	a := &rooms.Answer
	r := roomsJSON{Question: question, Readings: []roomsReading{}, Outcome: "abstained"}
	switch a.Outcome {
	case pipeline.Answered:
		r.Outcome, r.SQL, r.Sure = "answered", a.SQL, a.Confidence
	case pipeline.Asked:
		r.Outcome = "asked"
	}
	for _, x := range rooms.Readings {
		r.Readings = append(r.Readings, roomsReading{SQL: x.SQL, Cost: x.Cost, Sure: x.Sure, Unread: x.Unread, Unmet: x.Unmet, Signs: x.Signs})
	}
	return r
}

// writeRooms prints what each room saw, in the order of the work.
func writeRooms(f *Factory, rooms *pipeline.Rooms) {
	out := f.IO.Out
	fmt.Fprintln(out, "Spans: what the words, the names and the stored values say that each may be")
	var rows [][]string
	for _, p := range rooms.Pieces {
		rows = append(rows, []string{p.Text, p.Kind, p.Meaning, fmt.Sprintf("%.2f", p.Cost)})
	}
	fmt.Fprint(out, term.Table([]term.Column{{Title: "span"}, {Title: "kind"}, {Title: "may be"}, {Title: "cost", Right: true}}, rows, 0, f.style()))
	fmt.Fprintln(out, "\nGrammar: rows of parts that cover the question, likeliest first")
	for _, r := range rooms.Rows {
		fmt.Fprintf(out, "  %.2f  %s\n", r.Cost, strings.Join(r.Parts, ", "))
	}
	fmt.Fprintln(out, "\nReadings: what the parts mean together, likeliest first")
	for i, r := range rooms.Readings {
		fmt.Fprintf(out, "  %d  cost %.2f, as an answer %.2f sure: %s\n", i+1, r.Cost, r.Sure, r.Words)
		fmt.Fprintf(out, "     guessed: names %.2f, values %.2f, grammar %.2f, choice %.2f, not said %.2f\n", r.Doubt.Names, r.Doubt.Values, r.Doubt.Grammar, r.Doubt.Choice, r.Doubt.Guess)
		tellWords(f, "unread", r.Unread)
		tellWords(f, "does not meet", r.Unmet)
		if r.SQL != "" {
			fmt.Fprintf(out, "     %s\n", r.SQL)
		}
	}
	tellRefused(f, rooms.Refused)
	fmt.Fprintln(out, "\nDemands: what the question asks of any SQL")
	for _, d := range rooms.Demands {
		fmt.Fprintf(out, "  %s: %s\n", d.Name, d.Word)
	}
	if len(rooms.Demands) == 0 {
		fmt.Fprintln(out, "  nothing")
	}
	fmt.Fprintln(out, "\nAnswer")
	a := &rooms.Answer
	switch a.Outcome {
	case pipeline.Answered:
		fmt.Fprintf(out, "  %.2f sure\n  %s\n", a.Confidence, strings.ReplaceAll(a.SQL, "\n", "\n  "))
	case pipeline.Asked:
		fmt.Fprintf(out, "  asks: %s\n", a.Question)
	case pipeline.Abstained:
		fmt.Fprintf(out, "  none: %s\n", a.Reason)
	}
	for _, s := range a.Assumptions {
		fmt.Fprintf(out, "  told: %s\n", s)
	}
}

// tellRefused prints each reason once, with how many rows of parts it stopped, the first
// to come first.
func tellRefused(f *Factory, reasons []string) {
	times := map[string]int{}
	for _, why := range reasons {
		times[why]++
	}
	for _, why := range reasons {
		switch times[why] {
		case 0: // told
		case 1:
			fmt.Fprintf(f.IO.Out, "  no reading: %s\n", why)
		default:
			fmt.Fprintf(f.IO.Out, "  no reading, %d times: %s\n", times[why], why)
		}
		times[why] = 0
	}
}

func tellWords(f *Factory, what string, words []string) {
	if len(words) > 0 {
		fmt.Fprintf(f.IO.Out, "     %s: %s\n", what, strings.Join(words, ", "))
	}
}
