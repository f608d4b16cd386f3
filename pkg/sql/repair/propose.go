package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// mostProposed is the confidence of what somebody else proposed, such as a model: it is
// never certain.
const mostProposed = 0.7

// Propose takes a repair that somebody else made of the text of a Result, such as a model,
// for what rules left. It is input to be checked: it has to be one valid query, and may
// change only what is wrong. problems say why it is refused, in English, for whoever
// proposed it; the Result is then the one that was given. Where it puts in what the text
// tells nothing of, an operator or a table, it is a candidate of that Result and no more.
// why is told of the change.
func Propose(ctx context.Context, was Result, proposed, why string, o Options) (r Result, problems []string, err error) {
	o = o.complete()
	e := &engine{Options: o, draft: newDraft(was.Text)}
	proposed = strings.TrimSuffix(strings.TrimSpace(proposed), ";")
	after, err := e.read(ctx, proposed)
	switch {
	case err != nil:
		return was, nil, err
	case after == nil:
		return was, []string{"it is not one query that can be read"}, nil
	case len(after.diagnostics) > 0:
		for _, d := range after.diagnostics[:min(len(after.diagnostics), near)] {
			problems = append(problems, fmt.Sprintf("%s at line %d, column %d: %s", d.Code, d.Line, d.Column, d.Message))
		}
		return was, problems, nil
	}
	before, err := e.read(ctx, was.Text)
	if err != nil {
		return was, nil, err
	}
	guessed := guessesComparison(was.Text, after)
	if before == nil {
		tables, err := e.tablesNamed(ctx, was.Text)
		if err != nil {
			return was, nil, err
		}
		problems = append(changedWords(was.Text, proposed), leftOut(was.Text, proposed, tables, after)...)
		guessed = guessed || e.guessesTable(was.Text, after)
	} else {
		problems = changedParts(before, after)
	}
	if len(problems) > 0 {
		return was, problems[:min(len(problems), DefaultCandidates)], nil
	}
	e.draft.apply(wordEdits(was.Text, proposed, why))
	if guessed {
		was.Candidates = append([]Candidate{{Text: e.draft.text, Changes: append(slices.Clone(was.Changes), e.draft.sorted()...)}}, was.Candidates...)
		was.Candidates = was.Candidates[:min(len(was.Candidates), o.MaxCandidates)]
		return was, nil, nil
	}
	r, err = e.result(ctx)
	if err != nil {
		return was, nil, err
	}
	r.Changes = append(slices.Clone(was.Changes), r.Changes...)
	for _, c := range r.Changes {
		r.Confidence = min(r.Confidence, c.Confidence)
	}
	r.Candidates = was.Candidates
	return r, nil, nil
}

// Bounds of what may be changed in a text that cannot be read, where parts cannot be
// compared: words, as a share and at least, and texts of more words are not compared.
const (
	mostChangedShare = 0.25
	leastChanged     = 6
	mostCompared     = 2000
)

// changedWords says what was changed too much in a text that cannot be read: all values
// stay, and most words.
func changedWords(before, after string) []string {
	x, y := wordTexts(before), wordTexts(after)
	if len(x) > mostCompared || len(y) > mostCompared {
		return []string{"it is too long to be compared"}
	}
	var problems []string
	for _, w := range y {
		if value := strings.HasPrefix(w, "'") || w[0] >= '0' && w[0] <= '9'; value && !slices.ContainsFunc(x, func(o string) bool { return strings.Trim(o, `'"`) == strings.Trim(w, "'") }) {
			problems = append(problems, "it has a value that the statement has not: "+w)
		}
	}
	for _, w := range x {
		if value := strings.HasPrefix(w, "'") || w[0] >= '0' && w[0] <= '9'; value && !slices.Contains(y, w) {
			problems = append(problems, "it leaves the value "+w+" out")
		}
	}
	edits := 0
	for _, e := range wordEdits(before, after, "") {
		edits += max(len(parser.Words(e.text)), len(parser.Words(before[e.start:e.end])), 1)
	}
	if edits > max(leastChanged, int(mostChangedShare*float64(len(x)))) {
		problems = append(problems, "it changes more than what is wrong")
	}
	return problems
}

func wordTexts(text string) []string {
	var out []string
	for _, w := range parser.Words(text) {
		out = append(out, strings.ToLower(text[w.Start:w.End]))
	}
	return out
}

// wordEdits turn a text into another one word by word, so that what both have stays as it
// is, with its layout and comments.
func wordEdits(before, after, why string) []edit {
	x, y := parser.Words(before), parser.Words(after)
	a, b := wordTexts(before), wordTexts(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if head == len(a)-tail && head == len(b)-tail {
		return nil
	}
	var edits []edit
	from, to := head, head
	flush := func(untilX, untilY int) {
		if from == untilX && to == untilY {
			return
		}
		e := edit{class: "model", certainty: mostProposed, args: map[string]string{"name": why}}
		switch {
		case from < untilX:
			e.start, e.end = x[from].Start, x[untilX-1].End
		case from > 0:
			e.start = x[from-1].End
			e.end = e.start
		}
		if to < untilY {
			e.text = after[y[to].Start:y[untilY-1].End]
			if from == untilX { // put in between
				e.text = " " + e.text
				if from == 0 {
					e.text = strings.TrimSpace(e.text) + " "
				}
			}
		}
		edits = append(edits, e)
	}
	for _, m := range matches(a[head:len(a)-tail], b[head:len(b)-tail]) {
		flush(head+m[0], head+m[1])
		from, to = head+m[0]+1, head+m[1]+1
	}
	flush(len(a)-tail, len(b)-tail)
	return edits
}

// matches are the pairs of a longest common subsequence; none for lists that are too long.
func matches(a, b []string) [][2]int {
	if len(a) > mostCompared || len(b) > mostCompared {
		return nil
	}
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}
