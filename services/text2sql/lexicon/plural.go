package lexicon

import "strings"

// irregular plurals of general English, by singular.
var irregular = map[string]string{
	"person": "people", "child": "children", "man": "men", "woman": "women", "foot": "feet", "mouse": "mice", "tooth": "teeth",
	"goose": "geese", "wolf": "wolves", "calf": "calves", "life": "lives", "wife": "wives", "knife": "knives", "shelf": "shelves", "leaf": "leaves", "half": "halves",
}

var singulars = func() map[string]string {
	out := make(map[string]string, len(irregular))
	for one, many := range irregular {
		out[many] = one
	}
	return out
}()

// Plural returns words with the last in its plural: "order items". A word that
// ends in s is taken for one already.
func Plural(words string) string {
	at := strings.LastIndexByte(words, ' ') + 1
	head, w := words[:at], words[at:]
	switch {
	case w == "" || w[len(w)-1] == 's' || w[len(w)-1] > 0x7f || singulars[strings.ToLower(w)] != "":
		return words
	case irregular[w] != "":
		return head + irregular[w]
	case endsIn(w, "x", "ch", "sh", "z"):
		return words + "es"
	case strings.HasSuffix(w, "y") && len(w) > 2 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return words[:len(words)-1] + "ies"
	}
	return words + "s"
}

// Singular returns lower-case words with the last in its singular, as they are
// where it looks like none: "bus" and "glass" stay.
func Singular(words string) string {
	at := strings.LastIndexByte(words, ' ') + 1
	head, w := words[:at], words[at:]
	switch {
	case singulars[w] != "":
		return head + singulars[w]
	case len(w) < 4 || endsIn(w, "ss", "us", "is"):
		return words
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return head + w[:len(w)-3] + "y"
	case endsIn(w, "xes", "ches", "shes", "sses"):
		return head + w[:len(w)-2]
	case strings.HasSuffix(w, "s"):
		return head + w[:len(w)-1]
	}
	return words
}

func endsIn(w string, endings ...string) bool {
	for _, e := range endings {
		if strings.HasSuffix(w, e) {
			return true
		}
	}
	return false
}
