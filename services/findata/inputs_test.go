package findata

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/services/findata/answer"
	advice "github.com/dibrain/dibrain/services/findata/llm"
)

// The questions of the recorded conversations with a model, and what the demo
// warehouse gives for them.
const (
	questionsFile = "llm/testdata/questions.yaml"
	inputsFile    = "llm/testdata/inputs.json"
)

// modelInput is what a model is told for one question; services/findata/llm reads
// it back.
type modelInput struct {
	Terms   []catalog.Term
	Scope   advice.ScopeRequest
	Answer  *advice.AnswerRequest  `json:",omitempty"`
	Summary *advice.SummaryRequest `json:",omitempty"`
}

var updateInputs = flag.Bool("update-inputs", false, "write "+inputsFile+" anew from the demo warehouse; the cassette then has to be recorded anew")

// TestInputsOfModelStrategies writes what a model would be told for each question
// down, so that recorded answers depend on prompts and not on how tables are
// ranked today.
func TestInputsOfModelStrategies(t *testing.T) {
	shorttest.Rules(t, "what prompts hold")
	t.Parallel()
	raw, err := os.ReadFile(questionsFile)
	require.NoError(t, err)
	var questions []struct{ Text, Department, Level, Answer string }
	require.NoError(t, yaml.Unmarshal(raw, &questions))
	s := withModel(t, &oracle{failed: os.ErrClosed}, nil)
	var inputs []modelInput
	for _, q := range questions {
		ctx := as(t, "ann")
		d, err := s.open(ctx, "demo")
		require.NoError(t, err)
		level := map[string]answer.Level{"full": answer.Full, "expert": answer.Expert}[q.Level]
		w := s.newSearch(ctx, d, query{Text: q.Text, Department: q.Department, Level: level, AboutData: q.Answer != ""}, nil)
		require.NoError(t, w.find(ctx))
		w.choose()
		w.explain()
		in := modelInput{Terms: w.questionTerms(), Scope: w.martsForModel(ctx, w.scopeRequest())}
		if q.Answer != "" {
			r := w.answerRequest(ctx)
			in.Answer = &r
		} else if q.Level != "" {
			r := w.summaryRequest(ctx)
			in.Summary = &r
		}
		inputs = append(inputs, in)
		d.release()
	}
	require.Len(t, inputs, 12)
	if *updateInputs {
		for _, in := range inputs {
			in.forget()
		}
		out, err := json.Marshal(inputs)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(inputsFile, append(out, '\n'), 0o644))
	}
}

// forget leaves out what no model is told, and stored values above all.
func (in modelInput) forget() {
	var tables []*catalog.Table
	if in.Answer != nil {
		tables = in.Answer.Manifest
	}
	if in.Summary != nil {
		for _, f := range in.Summary.Tables {
			tables = append(tables, f.Table)
		}
	}
	for _, table := range tables {
		table.Usage = nil
		table.Columns = slices.Clone(table.Columns)
		for i := range table.Columns {
			table.Columns[i].Samples, table.Columns[i].Distinct = nil, 0
		}
	}
}
