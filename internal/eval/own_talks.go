package eval

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
)

// ownTalk is a line of conversations.jsonl: turns of one person that are asked one after the other
// in one session.
type ownTalk struct {
	ID       string        `json:"id"`
	Language string        `json:"lang"`
	Turns    []ownQuestion `json:"turns"`

	session string // of the router, once the first turn was answered
	before  string // what came of the turn before; empty: it is the first
}

// readTalks reads the turns of a source's conversations in the order in which they are asked.
// A source may have none.
func readTalks(s *ownSource) ([]ownQuestion, error) {
	talks, err := readJSONLines[ownTalk](filepath.Join(s.dir, "conversations.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var turns []ownQuestion
	for i := range talks {
		talk := &talks[i]
		for n := range talk.Turns {
			q := &talk.Turns[n]
			q.ID = talk.ID + "." + strconv.Itoa(n+1)
			q.Language = cmp.Or(q.Language, talk.Language)
			q.talk, q.source = talk, s
			if q.Question == "" {
				return nil, fmt.Errorf("%w: %s: turn %s has no question", ErrData, s.dir, q.ID)
			}
			turns = append(turns, *q)
		}
	}
	return turns, nil
}

// remember keeps what the next turn of a question's conversation goes on with.
func (t *ownTalk) remember(session, kind string) {
	t.session, t.before = cmp.Or(session, t.session), kind
}

// What suite own reports of turns, after which comes what came of them: of all turns, of those that
// begin a conversation, and of those whose turn before was right.
const (
	ownTurns  = "turns"
	ownFirsts = "first_turns"
	ownAfters = "follow_ups"
)

// talkFigures adds what came of the turns of conversations: how many there are, the shares that are
// right (also where no figure is the right answer), wrong, refused and asked back, and how many
// wrong answers are confident.
func (r *ownRun) talkFigures(m map[string]float64, items []Item) {
	kinds := map[string]map[string]float64{}
	for i := range items {
		q := &r.questions[i]
		if q.talk == nil {
			continue
		}
		kind, _ := items[i].Detail["kind"].(string)
		before, _ := items[i].Detail["before"].(string)
		groups := []string{ownTurns, ownTurns + ".lang." + q.Language, ownTurns + ".source." + q.source.Name}
		switch before {
		case "":
			groups = append(groups, ownFirsts)
		case ownRight, ownRefusal:
			groups = append(groups, ownAfters)
		}
		sure, _ := items[i].Detail["sure"].(float64)
		for _, g := range groups {
			if kinds[g] == nil {
				kinds[g] = map[string]float64{}
			}
			kinds[g]["n"]++
			kinds[g][kind]++
			kinds[g]["sure_wrong"] += float64(count(kind == ownWrong && sure >= ownSure))
		}
	}
	for g, of := range kinds {
		m[g], m[g+".sure_wrong"] = of["n"], of["sure_wrong"]
		m[g+"."+ownRight] = (of[ownRight] + of[ownRefusal]) / of["n"]
		for _, kind := range []string{ownWrong, ownRefused, ownAsked} {
			m[g+"."+kind] = of[kind] / of["n"]
		}
	}
}
