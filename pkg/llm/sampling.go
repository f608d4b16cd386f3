package llm

import (
	"math"
	"strconv"
	"strings"
)

// Use says what an answer is for, as the prompt that asks for it tells; the configuration
// chooses how the model samples for each.
type Use string

// Uses. The zero value is any other.
const (
	UseRewrite Use = "rewrite" // other words for a question
	UseRank    Use = "rank"    // which of some candidates is meant
	UsePlan    Use = "plan"    // steps, and the next one of a conversation
	UseSQL     Use = "sql"     // statements: SQL, LogQL, what they are made from
	UseCode    Use = "code"    // programs
	UseSummary Use = "summary" // what was found, in a few sentences
	UseAnswer  Use = "answer"  // answers from documents and metadata
)

// Sampling is how a model is asked to sample, by use: words "temperature=T" (0 to 2) and
// "top_p=P" (above 0, at most 1), in any order. What is not said is llm.temperature and
// llm.top_p; empty: both.
type Sampling struct {
	// Rewrite is for other words of a question, such as "temperature=0.3 top_p=0.9". What is
	// not said is as llm.temperature and llm.top_p say; empty: both.
	Rewrite string `koanf:"rewrite"`
	// Rank is for choosing between candidates: marts, readings, statements.
	Rank string `koanf:"rank"`
	// Plan is for plans, and for the next step of a conversation.
	Plan string `koanf:"plan"`
	// SQL is for statements: SQL, LogQL, and what they are made from.
	SQL string `koanf:"sql"`
	// Code is for programs in Python.
	Code string `koanf:"code"`
	// Summary is for what was found or computed, in a few sentences.
	Summary string `koanf:"summary"`
	// Answer is for answers from documents and metadata.
	Answer string `koanf:"answer"`
}

// byUse are the texts of all uses.
func (s *Sampling) byUse() map[Use]string {
	return map[Use]string{
		UseRewrite: s.Rewrite, UseRank: s.Rank, UsePlan: s.Plan, UseSQL: s.SQL, UseCode: s.Code, UseSummary: s.Summary, UseAnswer: s.Answer,
	}
}

// IsKnown reports whether the configuration has a key for a use; the zero value has none
// and is one all the same.
func (u Use) IsKnown() bool {
	_, known := (&Sampling{}).byUse()[u]
	return known || u == ""
}

// sampled are the parameters of one request: a temperature below 0 and a top_p of 0 are
// left to the endpoint.
type sampled struct{ temperature, topP float64 }

// sampling reads the parameters of a use.
func (c Config) sampling(u Use) (sampled, error) {
	s := sampled{c.Temperature, c.TopP}
	for _, word := range strings.Fields(c.Sampling.byUse()[u]) {
		name, text, _ := strings.Cut(word, "=")
		v, err := strconv.ParseFloat(text, 64)
		switch {
		case err == nil && name == "temperature" && v >= 0 && v <= 2:
			s.temperature = v
		case err == nil && name == "top_p" && v > 0 && v <= 1:
			s.topP = v
		default:
			return s, invalid("sampling."+string(u), "has %q: write temperature=T (0 to 2) and top_p=P (above 0, at most 1), such as \"temperature=0.3 top_p=0.9\"", word)
		}
	}
	return s, nil
}

func (c Config) checkSampling() error {
	if math.IsNaN(c.Temperature) || c.Temperature > 2 {
		return invalid("temperature", "is %v: it has to be at most 2", c.Temperature)
	}
	if !(c.TopP >= 0 && c.TopP <= 1) { // NaN is neither
		return invalid("top_p", "is %v: it has to be above 0 and at most 1, or 0 to leave it to the endpoint", c.TopP)
	}
	for u := range c.Sampling.byUse() {
		if _, err := c.sampling(u); err != nil {
			return err
		}
	}
	return nil
}
