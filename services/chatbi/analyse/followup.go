package analyse

import "github.com/dibrain/dibrain/pkg/result"

// maxFollowUps bounds the questions that come to mind next.
const maxFollowUps = 3

// followUps asks only what the shape of the result gives reason to.
func (w *work) followUps() []string {
	var out []string
	ask := func(key string, a args) {
		if len(out) < maxFollowUps {
			out = append(out, w.say.text(key, a))
		}
	}
	s := w.shape
	var label args
	if len(s.measures) > 0 {
		label = args{"label": w.label(s.measures[0])}
	}
	named := len(s.measures) > 0 && w.label(s.measures[0]) != w.say.text("label_result", nil)
	switch s.kind {
	case shapeSingle, shapeRow:
		if named {
			ask("ask_over_time", label)
			ask("ask_previous", label)
		}
	case shapeSeries:
		if l := w.line(s.measures[0]); len(l.numbers) > 2 {
			if _, high := extremes(l.numbers); w.hasFinding("peak") {
				ask("ask_why_peak", args{"label": label["label"], "at": w.at(l.moments[high])})
			}
		}
		ask("ask_previous", label)
		switch {
		case s.grain == result.GrainDay && len(s.moments) > 60:
			ask("ask_by_month", label)
		case s.grain == result.GrainDay && len(s.moments) > 14:
			ask("ask_by_week", label)
		}
	case shapeRanking:
		if items := w.items(s.measures[0]); len(items) > 0 {
			a := args{"label": label["label"], "top": items[0].name, "category": w.label(s.category)}
			if w.roles[s.category] != roleTime {
				ask("ask_top_time", a)
			}
			if !w.ascending {
				ask("ask_lowest", a)
			}
			if w.additive(s.measures[0]) {
				ask("ask_share", a)
			}
		}
	case shapeList:
		if len(s.categories) == 1 {
			ask("ask_how_many", args{"category": w.label(0)})
		}
	}
	return out
}

func (w *work) hasFinding(kind string) bool {
	for _, f := range w.out.Findings {
		if f.Kind == kind {
			return true
		}
	}
	return false
}
