package followup

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// TestWhatIsRead: the edits of what was said, where each word of names stands for one.
func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	words, err := LoadWords()
	require.NoError(t, err)
	style, room := dimension("style"), dimension("room")
	names := map[string]Name{
		"visits": {Kind: Metric, ID: "visits"}, "sales": {Kind: Metric, ID: "sales"}, "style": {Kind: Dimension, ID: "style"}, "room": {Kind: Dimension, ID: "room"},
		"modern": {Kind: Value, ID: "style", Value: "Modern"}, "gothic": {Kind: Value, ID: "style", Value: "Gothic"},
		"peru": {Kind: Country, ID: "PE"}, "chile": {Kind: Country, ID: "CL"},
	}
	pieces := func(text string) []Piece {
		var out []Piece
		at := 0
		for _, word := range strings.Fields(text) {
			start := at + strings.Index(text[at:], word)
			at = start + len(word)
			if n, ok := names[strings.Trim(word, ",")]; ok {
				out = append(out, Piece{Start: start, End: start + len(strings.Trim(word, ",")), Names: []Name{n}})
			}
		}
		return out
	}
	byRoom := intent.Intent{Select: []intent.Output{metricOf("visits", "")}, GroupBy: []intent.Field{room}, Country: []string{"PE", "CL"},
		Filters: []intent.Cond{oneOf(intent.In, style, []string{"Modern", "Gothic"})}}
	for said, want := range map[string][]Edit{
		"only peru":                {{Do: SetCountry, Values: []string{"PE"}}},
		"also chile":               {{Do: AddCountry, Values: []string{"CL"}}},
		"without peru":             {{Do: DropCountry, Values: []string{"PE"}}},
		"peru and chile":           {{Do: SetCountry, Values: []string{"PE", "CL"}}},
		"peru and peru":            {{Do: SetCountry, Values: []string{"PE"}}},
		"by style":                 {{Do: SetGroup, Field: style}},
		"by style and room":        {{Do: SetGroup, Field: style}, {Do: AddGroup, Field: room}},
		"also by style":            {{Do: AddGroup, Field: style}},
		"the top 3":                {{Do: Limit, N: 3, Desc: true, Direction: true}},
		"the highest":              {{Do: Limit, N: 1, Desc: true, Direction: true}},
		"the bottom 5":             {{Do: Limit, N: 5, Direction: true}},
		"only 20":                  {{Do: Limit, N: 20, Desc: true}},
		"sort by sales":            {{Do: OrderBy, Field: intent.Field{Kind: intent.KindMetric, ID: "sales"}, Desc: true}},
		"sort by style":            {{Do: OrderBy, Field: style}},
		"sales":                    {{Do: SetMetric, Values: []string{"sales"}}},
		"without gothic":           {{Do: DropValue, Field: style, Values: []string{"Gothic"}}},
		"modern instead of gothic": {{Do: SetValue, Field: style, Values: []string{"Modern"}}},
		"why":                      {{Do: Explain}},
	} {
		r := words.Read(said, pieces(said), &byRoom, "")
		require.Equal(t, want, r.Edits, said)
		require.Empty(t, r.NotUnderstood, said)
	}
	plain := intent.Intent{Select: []intent.Output{metricOf("visits", "")}}
	r := words.Read("modern style only", pieces("modern style only"), &plain, "")
	require.Equal(t, []Edit{{Do: SetValue, Field: style, Values: []string{"Modern"}}}, r.Edits, "the style only says whose value it is")
	for said, unread := range map[string]string{"only peru blorptastic": "blorptastic", "peru 1999": "1999"} {
		r := words.Read(said, pieces(said), &byRoom, "")
		require.Equal(t, []string{unread}, r.NotUnderstood, said)
	}
}

// TestWhatAnotherTakesThePlaceOf: a thing that is left out of one's own kind is what the
// edit of that kind sets.
func TestWhatAnotherTakesThePlaceOf(t *testing.T) {
	t.Parallel()
	for drop, set := range map[Do]Do{DropCountry: SetCountry, DropMetric: SetMetric, DropValue: SetValue, DropGroup: "", DropNamed: ""} {
		require.Equal(t, set, setFor(drop), drop)
	}
	for n, want := range map[int64]bool{1899: false, 1900: true, 2099: true, 2100: false} {
		require.Equal(t, want, yearLike(n), n)
	}
}
