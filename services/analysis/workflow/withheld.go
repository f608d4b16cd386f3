package workflow

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/sandbox"
)

// withheldWord stands for a value of the data in what a writer of programs is told.
const withheldWord = "…"

// traceLine is a line of a traceback that says where: it holds numbers of lines, and nothing
// of the data.
var traceLine = regexp.MustCompile(`^\s*File "[^"]*", line \d+`)

// withoutValues takes what stands in the input files out of what went wrong with a program:
// `ValueError: could not convert string to float: 'Quirin'` says what to mend without the
// name. A word stays where the program holds it, or the head of a file, which the writer is
// told of. heads are the names of the columns.
func withoutValues(problem, code string, heads []string, files []sandbox.File) string {
	known := map[string]bool{}
	eachWord(code, func(word string) { known[word] = true })
	for _, head := range heads {
		eachWord(head, func(word string) { known[word] = true })
	}
	stored := map[string]bool{}
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".csv") { // the others hold the same rows, or names of columns
			eachWord(string(f.Data), func(word string) {
				if !known[word] {
					stored[word] = true
				}
			})
		}
	}
	lines := strings.Split(problem, "\n")
	for i, line := range lines {
		if !traceLine.MatchString(line) {
			lines[i] = masked(line, stored)
		}
	}
	return strings.Join(lines, "\n")
}

// heads are the names of all columns of files.
func heads(inputs []Input) []string {
	var out []string
	for _, in := range inputs {
		for _, c := range in.Columns {
			out = append(out, c.Name)
		}
	}
	return out
}

// eachWord calls with each run of letters and digits of a text, in small letters.
func eachWord(text string, with func(word string)) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), notInWord) {
		with(word)
	}
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

// masked writes a line without the words that are stored.
func masked(line string, stored map[string]bool) string {
	var out strings.Builder
	for line != "" {
		end := strings.IndexFunc(line, notInWord)
		if end < 0 {
			end = len(line)
		}
		word := line[:end]
		if stored[strings.ToLower(word)] {
			word = withheldWord
		}
		out.WriteString(word)
		line = line[end:]
		next := strings.IndexFunc(line, func(r rune) bool { return !notInWord(r) })
		if next < 0 {
			next = len(line)
		}
		out.WriteString(line[:next])
		line = line[next:]
	}
	return out.String()
}
