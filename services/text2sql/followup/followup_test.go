package followup

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

type nameCase struct {
	Words           []string
	Kind, ID, Value string
}

type changeCases struct {
	Names     []nameCase
	Countries []string
	Intents   map[string]map[string]any
	Cases     []struct {
		Before  string
		Say     []string
		After   map[string]any
		Refused Why
		Unknown []string
		Whole   bool
	}
}

// linked finds the longest names and times of a text.
func linked(names []nameCase, dr *dates.Reader, text string, now time.Time) []Piece {
	var out []Piece
	free := func(start, end int) bool {
		return !slices.ContainsFunc(out, func(p Piece) bool { return start < p.End && p.Start < end })
	}
	found := dr.Find(text, now)
	for i := range found {
		out = append(out, Piece{Start: found[i].Start, End: found[i].End, Date: &found[i]})
	}
	type entry struct {
		word string
		name Name
	}
	var entries []entry
	for _, n := range names {
		for _, w := range n.Words {
			entries = append(entries, entry{strings.ToLower(w), Name{NameKind(n.Kind), n.ID, n.Value}})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return len(b.word) - len(a.word) })
	lower := strings.ToLower(text)
	for _, e := range entries {
		at := strings.Index(lower, e.word)
		if at < 0 || !free(at, at+len(e.word)) {
			continue
		}
		if end := at + len(e.word); end < len(lower) && lower[end] < utf8.RuneSelf && unicode.IsLower(rune(lower[end])) {
			continue
		}
		out = append(out, Piece{Start: at, End: at + len(e.word), Names: []Name{e.name}})
	}
	slices.SortFunc(out, func(a, b Piece) int { return a.Start - b.Start })
	return out
}

func toIntent(t *testing.T, fields map[string]any) intent.Intent {
	t.Helper()
	raw, err := json.Marshal(fields)
	require.NoError(t, err)
	var in intent.Intent
	require.NoError(t, json.Unmarshal(raw, &in))
	return in
}

func TestChanges(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/changes.yaml")
	require.NoError(t, err)
	var file changeCases
	require.NoError(t, yaml.Unmarshal(raw, &file))
	words, err := LoadWords()
	require.NoError(t, err)
	dr, err := dates.New()
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	require.NotEmpty(t, file.Cases)
	for _, c := range file.Cases {
		require.NotEmpty(t, c.Say, c.Before)
		for _, say := range c.Say {
			t.Run(c.Before+": "+say, func(t *testing.T) {
				t.Parallel()
				before := toIntent(t, file.Intents[c.Before])
				r := words.Read(say, linked(file.Names, dr, say, now), &before, "")
				require.Equal(t, c.Unknown, r.NotUnderstood, "%+v", r.Edits)
				require.Equal(t, c.Whole, r.Whole, "%+v", r.Edits)
				if c.Unknown != nil || c.Whole {
					return
				}
				got, refusal := Apply(before, r.Edits, Over{Now: now, Countries: file.Countries})
				require.Equal(t, toIntent(t, file.Intents[c.Before]), before, "the intent before stays as it was")
				if c.Refused != "" {
					require.NotNil(t, refusal, "%+v", r.Edits)
					require.Equal(t, c.Refused, refusal.Why)
					require.Equal(t, before, got)
					return
				}
				require.Nil(t, refusal)
				want := map[string]any{}
				for k, v := range file.Intents[c.Before] {
					want[k] = v
				}
				for k, v := range c.After {
					want[k] = v
				}
				if got.Time != nil && (got.Time.Compare == nil || c.Before != "plain") {
					got.Time.Text, want["time"] = "", withoutText(want["time"])
				}
				require.JSONEq(t, jsonOf(t, toIntent(t, want)), jsonOf(t, got), "%+v", r.Edits)
			})
		}
	}
}

func withoutText(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, v := range m {
		if k != "text" {
			out[k] = v
		}
	}
	return out
}

func jsonOf(t *testing.T, in intent.Intent) string {
	t.Helper()
	if len(in.Filters) == 0 {
		in.Filters = nil
	}
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	return string(raw)
}

func TestNamesOfThingsAndTheirNumber(t *testing.T) {
	t.Parallel()
	words, err := LoadWords()
	require.NoError(t, err)
	museum := intent.Field{Kind: intent.KindEntity, ID: "museum"}
	before := intent.Intent{Select: []intent.Output{{Field: intent.Field{Kind: intent.KindMetric, ID: "visits"}}}, GroupBy: []intent.Field{museum}}
	guides := []Piece{{Start: 9, End: 15, Names: []Name{{Kind: Metric, ID: "guides"}, {Kind: Entity, ID: "guide"}}}}
	r := words.Read("show the guides instead", guides, &before, "")
	require.Len(t, r.Either, 2)
	require.Empty(t, r.Edits)
	for _, e := range r.Either {
		again := words.Read("show the guides instead", guides, &before, e.Do)
		require.Empty(t, again.Either)
		require.Equal(t, []Edit{e}, again.Edits)
	}
	r = words.Read("by the   guides", guides, &before, "")
	require.Equal(t, SetGroup, r.Edits[0].Do, "it is said what they are for")
	plain := intent.Intent{Select: before.Select}
	r = words.Read("show the guides instead", guides, &plain, "")
	require.Equal(t, SetMetric, r.Edits[0].Do, "nothing else was listed")
}

func TestEveryEditAndReasonHasWords(t *testing.T) {
	t.Parallel()
	texts, err := LoadTexts()
	require.NoError(t, err)
	name := func(id string) string { return "«" + id + "»" }
	for _, l := range []lang.Language{lang.English, lang.Chinese} {
		for _, do := range []Do{SetCountry, AddCountry, DropCountry, AllCountries, SetValue, AddValue, DropValue, KeepNamed, DropNamed, SetMetric, AddMetric, DropMetric,
			SetGroup, AddGroup, DropGroup, SetRange, ShiftRange, AllTime, SetGrain, DropGrain, Limit, NoLimit, OrderBy, Compare, NoCompare, Share, Total, Chart,
			SetFigure, AddFigure, DropFigure, AddColumn, DropColumn, DropFilter, DropCondition, ListRows, Turn} {
			e := Edit{Do: do, Field: intent.Field{ID: "f"}, Values: []string{"v"}, Unit: "week", N: 3, Cond: &intent.Cond{Op: intent.Gt, Left: &intent.Output{Field: intent.Field{ID: "f"}}}}
			text := texts.Edit(l, e, name)
			require.NotEmpty(t, text, do)
			require.NotContains(t, text, "%!", do)
			for _, why := range []Why{WhyNotFiltered, WhyAllThere, WhyNothingLeft, WhyNothingToCut, WhyNoPeriod, WhyNoWhole, WhyUnknownTime, WhyNotOver, WhyNoComparison, WhyNotCompared,
				WhyNoJoin, WhyUndated, WhyImpossible, WhyNotSaid, WhyNoFigure} {
				require.Contains(t, texts.Refusal(l, Refusal{e, why}, name), strings.TrimSpace(text), why)
			}
		}
	}
	require.Equal(t, "Split by «f».", texts.Edit(lang.English, Edit{Do: SetGroup, Field: intent.Field{ID: "f"}}, name))
	require.Equal(t, "对比：去年同期。", texts.Edit(lang.Chinese, Edit{Do: Compare, Unit: "year"}, name))
}

// FuzzRead reads any text after any intent, and applies what comes of it.
func FuzzRead(f *testing.F) {
	words, err := LoadWords()
	require.NoError(f, err)
	dr, err := dates.New()
	require.NoError(f, err)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	names := []nameCase{{Words: []string{"visits", "访问量"}, Kind: "metric", ID: "visits"}, {Words: []string{"museum"}, Kind: "entity", ID: "museum"},
		{Words: []string{"style"}, Kind: "dimension", ID: "style"}, {Words: []string{"modern"}, Kind: "value", ID: "style", Value: "Modern"},
		{Words: []string{"peru"}, Kind: "country", ID: "PE"}, {Words: []string{"free"}, Kind: "filter", ID: "free"}}
	f.Add("only peru by week top 3 vs last year", `{"select":[{"kind":"metric","id":"visits"}],"time":{"from":"2026-10-01","to":"2026-11-01"}}`)
	f.Add("按 style 换成访问量 without modern sort by visits", `{"group_by":[{"kind":"entity","id":"museum"}],"limit":3}`)
	f.Add("the month before, as a share, in total, reverse", `{"time":{"from":"x","compare":{}}}`)
	f.Add("\xff top \x00 museum instead of museum", `{}`)
	f.Add("\xff000", `{}`)
	f.Fuzz(func(t *testing.T, text, raw string) {
		var prev intent.Intent
		if json.Unmarshal([]byte(raw), &prev) != nil {
			t.Skip()
		}
		r := words.Read(text, linked(names, dr, text, now), &prev, "")
		before := jsonOf(t, prev)
		got, refusal := Apply(prev, r.Edits, Over{Now: now, Countries: []string{"PE", "CL"}})
		require.Equal(t, before, jsonOf(t, prev), "the intent before stays as it was")
		if refusal == nil && len(prev.Select) > 0 {
			require.NotEmpty(t, got.Select)
		}
	})
}
