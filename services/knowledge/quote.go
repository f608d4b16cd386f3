package knowledge

import (
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/document"
)

// quote returns the sentences of a passage that answer, as they stand in it: one piece
// of it of at most so many characters. An answer in a list of questions and answers is
// quoted from its beginning, since it need not name what the question named; in a
// section it begins at the sentence that speaks of most of the question, or at the
// section's first one where its heading alone does.
func (s *Service) quote(f found, question string, most int) string {
	text := f.at.text
	sentences := document.Sentences(text)
	if len(sentences) == 0 {
		return ""
	}
	best := 0
	if f.in.section(f.at).Question == "" {
		best = f.in.index.BestOf(question, sentences)
	}
	start, at := 0, 0
	for i := 0; i <= best; i++ {
		start = at + strings.Index(text[at:], sentences[i])
		at = start + len(sentences[i])
	}
	end := at
	for i := best + 1; i < len(sentences); i++ {
		next := end + strings.Index(text[end:], sentences[i]) + len(sentences[i])
		if utf8.RuneCountInString(text[start:next]) > most {
			break
		}
		end = next
	}
	return clip(text[start:end], most)
}

// clip cuts a single long sentence; the mark says that it goes on.
func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-2])) + " …"
}
