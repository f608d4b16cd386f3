package followup

import (
	_ "embed" // texts.yaml
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed texts.yaml
var textsYAML []byte

// Texts put edits into words; read-only after LoadTexts.
type Texts map[string]struct{ EN, ZH string }

// LoadTexts reads the embedded texts.
func LoadTexts() (Texts, error) {
	var t Texts
	if err := yaml.Unmarshal(textsYAML, &t); err != nil {
		return nil, fmt.Errorf("texts of follow-ups: %w", err)
	}
	return t, nil
}

// NameOf says how people call an item of the layer: a metric, dimension, entity or
// named condition by its id, a country by its code.
type NameOf func(id string) string

// Edit says in a sentence what an edit does.
func (t Texts) Edit(l lang.Language, e Edit, name NameOf) string {
	text := t.pick(l, string(e.Do))
	if !strings.Contains(text, "%s") {
		return text
	}
	return fmt.Sprintf(text, t.what(l, e, name))
}

// Refusal says in a sentence why an edit cannot be applied.
func (t Texts) Refusal(l lang.Language, r Refusal, name NameOf) string {
	text := t.pick(l, string(r.Why))
	if !strings.Contains(text, "%s") {
		return text
	}
	edit := t.Edit(l, r.Edit, name)
	if edit == "" || r.Edit.Do != OrderBy && strings.Contains(t.pick(l, string(r.Edit.Do)), "%s") && t.what(l, r.Edit, name) == "" {
		return strings.NewReplacer(": %s", ".", "：%s", "。").Replace(text) // nothing can be said of what it would have done
	}
	return strings.TrimSpace(fmt.Sprintf(text, edit))
}

// Say is a text by its id, as it stands.
func (t Texts) Say(l lang.Language, id string) string { return t.pick(l, id) }

func (t Texts) pick(l lang.Language, id string) string { return l.Pick(t[id].EN, t[id].ZH) }

func (t Texts) what(l lang.Language, e Edit, name NameOf) string {
	switch e.Do {
	case SetGrain, DropGrain:
		return t.pick(l, "unit_"+e.Unit)
	case SetRange, ShiftRange, Compare:
		if e.Date != nil {
			return strings.TrimSpace(e.Date.Text)
		}
		return t.pick(l, "before_"+e.Unit)
	case Bound, DropCondition, ShareOf:
		if e.Cond == nil || e.Cond.Left == nil {
			return ""
		}
		return t.Condition(l, *e.Cond, name)
	case SetFigure, AddFigure, DropFigure:
		if e.Output == nil {
			return name(e.Field.ID)
		}
		return t.Figure(l, *e.Output, name)
	case AddColumn, DropColumn, DropFilter, OfFirst, ListValues:
		if e.Date != nil {
			return strings.TrimSpace(e.Date.Text)
		}
		return name(e.Field.ID)
	case Turn:
		return t.pick(l, map[bool]string{true: "from_highest", false: "from_lowest"}[e.Desc])
	case ListRows:
		return strconv.FormatInt(e.N, 10)
	case Moved:
		return t.pick(l, map[bool]string{true: "went_up", false: "went_down"}[e.Desc])
	case Limit:
		return strconv.FormatInt(e.N, 10)
	case OrderBy:
		if e.Field.ID == "" {
			return ""
		}
		return l.Pick(": by ", "：按") + name(e.Field.ID)
	case SetGroup, AddGroup, DropGroup:
		return t.grouping(l, e.Field, name)
	case SetValue, AddValue, DropValue: // stored values, as they are
		if len(e.Values) == 0 {
			return name(e.Field.ID)
		}
		return strings.Join(e.Values, l.Pick(", ", "、"))
	}
	names := make([]string, len(e.Values))
	for i, v := range e.Values {
		names[i] = name(v)
	}
	return strings.Join(names, l.Pick(", ", "、"))
}
