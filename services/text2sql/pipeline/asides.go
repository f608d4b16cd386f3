package pipeline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// roundForm is a wish for so many digits after the point: "rounded to 2 decimals".
var roundForm = regexp.MustCompile(`(?i)[,;.]?\s*\(?\b(?:and )?(?:please )?(?:round(?:ed|ing)?(?: off)?(?: (?:it|them|the \w+|your answer|each|both))?(?: off)? )?to (?:the nearest )?(?:(\d|one|two|three|four|six) (?:decimals?(?: places?| points?| digits?)?|digits? after the (?:decimal )?point)|(integer|whole number))\b\)?`)

// zeroForm is how missing amounts are to be taken, which changes no sum.
var zeroForm = regexp.MustCompile(`(?i)[,;.]?\s*\(?\b(?:and )?(?:please )?(?:treat|treating|count|counting|consider|considering|taking|take) (?:\w+ ){0,2}(?:nulls?|missing|empty|blank)(?: \w+){0,3} as (?:0|zeros?)\b\)?`)

// meanForm are questions in which missing amounts matter.
var meanForm = regexp.MustCompile(`(?i)\b(?:average|avg|mean|median|min|minimum|lowest|smallest|least)\b`)

// digitWords are digits as people write them.
var digitWords = map[string]string{"one": "1", "two": "2", "three": "3", "four": "4", "six": "6"}

// asides takes out of a question what is said of its numbers and not of its rows.
// round is how many digits after the point are asked for; empty: no word of it.
func asides(question string) (rest, round string) {
	if m := roundForm.FindStringSubmatch(question); m != nil {
		round = strings.ToLower(m[1])
		if d, ok := digitWords[round]; ok {
			round = d
		}
		if m[2] != "" {
			round = "0"
		}
		question = roundForm.ReplaceAllString(question, "")
	}
	if !meanForm.MatchString(question) {
		question = zeroForm.ReplaceAllString(question, "")
	}
	return question, round
}

// rounded is an intent whose computed numbers have so many digits after the point.
func rounded(in *intent.Intent, digits string) *intent.Intent {
	if digits == "" {
		return in
	}
	out := *in
	out.Select, out.OrderBy = slices.Clone(in.Select), slices.Clone(in.OrderBy)
	for i, o := range out.Select {
		if !o.Aggregates() && o.Calc == nil || o.Agg == intent.AggCount || o.Agg == intent.AggCountDistinct {
			continue
		}
		for j := range out.OrderBy {
			if out.OrderBy[j].By == o {
				out.OrderBy[j].By.Round = digits
			}
		}
		out.Select[i].Round = digits
	}
	return &out
}
