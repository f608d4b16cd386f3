package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/llm/schema"
)

type inner struct {
	Mart string `json:"mart" doc:"its name" max:"10"`
}

type outer struct {
	Kind   string   `json:"kind" enum:"a|b"`
	Scopes []inner  `json:"scopes" max:"2" doc:"which"`
	Tags   []string `json:"tags" enum:"x|y" optional:"true"`
	Sure   bool     `json:"sure"`
	Count  int      `json:"count" optional:"true"`
	Share  float64  `json:"share" optional:"true"`
}

func TestSchemaOfAType(t *testing.T) {
	t.Parallel()
	s, err := schema.For[outer]()
	require.NoError(t, err)
	raw, err := json.Marshal(s.Map())
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["kind","scopes","tags","sure","count","share"],"properties":{
		"kind":{"type":"string","enum":["a","b"]},
		"scopes":{"type":"array","description":"which","maxItems":2,"items":{"type":"object","additionalProperties":false,"required":["mart"],
			"properties":{"mart":{"type":"string","description":"its name"}}}},
		"tags":{"type":"array","items":{"type":"string","enum":["x","y"]}},
		"sure":{"type":"boolean"},"count":{"type":"integer"},"share":{"type":"number"}}}`, string(raw))
	require.Equal(t, `{
  "kind": "a" | "b",
  "scopes": [{
    "mart": string  // its name
  }, ...],  // which; at most 2
  "tags": ["x" | "y", ...],
  "sure": boolean,
  "count": integer,
  "share": number
}`, s.Outline())
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, err := schema.For[outer]()
	require.NoError(t, err)
	for raw, want := range map[string][]string{
		`{"kind":"a","scopes":[{"mart":"m"}],"sure":true,"extra":1}`:             nil,
		`{"kind":"a","scopes":[],"sure":true,"tags":null,"count":3,"share":0.5}`: nil,
		`[]`:                                     {"the answer must be of type object"},
		`{`:                                      {"it is not valid JSON: unexpected end of JSON input"},
		`{"kind":"c","scopes":[],"sure":true}`:   {`kind is "c" and must be one of a, b`},
		`{"kind":1,"scopes":{},"sure":"yes"}`:    {"kind must be of type string", "scopes must be of type array", "sure must be of type boolean"},
		`{}`:                                     {"kind is missing", "scopes is missing", "sure is missing"},
		`{"kind":null,"scopes":[],"sure":true}`:  {"kind must be of type string, not null"},
		`{"kind":"a","scopes":[{}],"sure":true}`: {"scopes[0].mart is missing"},
		`{"kind":"a","scopes":[],"sure":true,"count":1.5}`: {"count must be of type integer"},
		`{"kind":"a","scopes":[{"mart":"a"},{"mart":"b"},{"mart":"c is far too long"}],"sure":true,"tags":["z"]}`: {
			"scopes has 3 entries, at most 2 are allowed", "scopes[2].mart is longer than 10 characters", `tags[0] is "z" and must be one of x, y`,
		},
	} {
		require.Equal(t, want, s.Check([]byte(raw)), raw)
	}
}

func TestTypesThatCannotBeAreErrors(t *testing.T) {
	t.Parallel()
	_, err := schema.For[string]()
	require.Error(t, err)
	_, err = schema.For[struct {
		A map[string]string `json:"a"`
	}]()
	require.ErrorContains(t, err, "map")
	_, err = schema.For[struct{ A string }]()
	require.ErrorContains(t, err, "json name")
	_, err = schema.For[struct {
		A []string `json:"a" max:"many"`
	}]()
	require.ErrorContains(t, err, "max")
}
