// Package why takes the question for a reason off a question about a figure: of "why did
// GMV drop in Thailand last week?" it leaves "did GMV drop in Thailand last week?", which
// is read as any question is.
package why

import (
	_ "embed" // words.yaml
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

//go:embed words.yaml
var wordsFile []byte

// Words know how people ask why. They are safe for concurrent use.
type Words struct {
	frames []*regexp.Regexp
	moves  []string // the longest first
}

// Load reads the embedded words.
func Load() (*Words, error) {
	var file map[string]struct {
		Frames []string `yaml:"frames"`
		Moves  []string `yaml:"moves"`
	}
	if err := yaml.Unmarshal(wordsFile, &file); err != nil {
		return nil, fmt.Errorf("words of why: %w", err)
	}
	w := &Words{}
	for _, language := range []string{"en", "zh"} {
		for _, frame := range file[language].Frames {
			if language == "en" {
				frame = `\b(?:` + frame + `)\b`
			}
			re, err := regexp.Compile(`(?i)` + frame)
			if err != nil {
				return nil, fmt.Errorf("words of why: %w", err)
			}
			w.frames = append(w.frames, re)
		}
		for _, word := range file[language].Moves {
			w.moves = append(w.moves, strings.ToLower(word))
		}
	}
	slices.SortStableFunc(w.moves, func(a, b string) int { return len(b) - len(a) })
	return w, nil
}

// Asked takes the asking off a question. rest is empty where nothing else was said. asked
// is false where the question does not ask why; rest is then the question.
func (w *Words) Asked(question string) (rest string, asked bool) {
	rest = question
	for _, re := range w.frames {
		if re.MatchString(rest) {
			rest, asked = re.ReplaceAllString(rest, " ${keep} "), true
		}
	}
	if !asked {
		return question, false
	}
	rest = strings.Join(strings.Fields(rest), " ")
	if w.Moves(rest) {
		return "", true
	}
	return rest, true
}

// Moves reports whether a text has only words for a movement, or none.
func (w *Words) Moves(text string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if !w.move(word) {
			return false
		}
	}
	return true
}

// move reports whether a word is one for a movement; Chinese has no blanks between them.
func (w *Words) move(word string) bool {
	if slices.Contains(w.moves, word) || word == "" {
		return true
	}
	if r := []rune(word)[0]; !unicode.Is(unicode.Han, r) {
		return false
	}
	for _, m := range w.moves {
		if rest, begins := strings.CutPrefix(word, m); begins && w.move(rest) {
			return true
		}
	}
	return false
}
