package draw

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// Visual is a line of text as the characters stand beside each other, from left to right,
// for whoever draws one character after the other: Arabic letters in the form that
// their neighbours ask for, and what is written from right to left turned round. Vowel signs
// of Hebrew and Arabic are left out, since the font cannot place them. A text without such
// letters stays as it is.
func Visual(text string) string {
	if !strings.ContainsFunc(text, rightToLeft) {
		return text
	}
	text = joined(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r >= firstRightToLeft && r < afterArabic {
			return -1
		}
		return r
	}, text))
	var line bidi.Paragraph
	if _, err := line.SetString(text); err != nil {
		return text
	}
	order, err := line.Order()
	if err != nil || order.NumRuns() == 0 {
		return text
	}
	var runs []visualRun
	for i := range order.NumRuns() {
		run := order.Run(i)
		after := i > 0 && runs[len(runs)-1].level == 1
		runs = append(runs, levels(run.String(), run.Direction(), after)...)
	}
	if base, _ := bidi.LookupString(text[strings.IndexFunc(text, strong):]); base.Class() != bidi.L {
		// The line itself runs from right to left: what is at level 0 of another line is at 2.
		for i := range runs {
			runs[i].level = max(runs[i].level, 1+one(runs[i].level == 0))
		}
	}
	return inOrder(runs)
}

// visualRun is a part of a line in one direction. Its level is that of the bidirectional
// algorithm (Unicode Standard Annex 9): odd from right to left, 2 within what is at 1.
type visualRun struct {
	text  string
	level int
}

// levels divides a run from left to right that follows one from right to left: numbers at
// its beginning belong to the one before (rule I1), of which the library tells the
// direction alone.
func levels(text string, d bidi.Direction, after bool) []visualRun {
	if d == bidi.RightToLeft {
		return []visualRun{{text, 1}}
	}
	end := 0
	if after {
		for i, r := range text {
			p, size := bidi.LookupRune(r)
			switch p.Class() {
			case bidi.EN, bidi.AN, bidi.ET:
				end = i + size
				continue
			case bidi.ES, bidi.CS, bidi.NSM:
				continue
			}
			break
		}
	}
	var out []visualRun
	if end > 0 {
		out = append(out, visualRun{text[:end], 2})
	}
	if end < len(text) {
		out = append(out, visualRun{text[end:], 0})
	}
	return out
}

// inOrder is rule L2: from the highest level down, what is at a level or above is turned.
func inOrder(runs []visualRun) string {
	for level := 2; level >= 1; level-- {
		for i := 0; i < len(runs); i++ {
			end := i
			for end < len(runs) && runs[end].level >= level {
				end++
			}
			slices.Reverse(runs[i:end])
			i = max(i, end-1)
		}
	}
	var out strings.Builder
	for _, r := range runs {
		if r.level == 1 {
			r.text = bidi.ReverseString(r.text)
		}
		out.WriteString(r.text)
	}
	return out.String()
}

// The blocks of Hebrew and Arabic and of the scripts between them.
const firstRightToLeft, afterArabic = 0x590, 0x900

func strong(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.L || p.Class() == bidi.R || p.Class() == bidi.AL
}

func rightToLeft(r rune) bool {
	if r < firstRightToLeft {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// Forms of an Arabic letter, in the order in which Unicode has them.
const (
	isolated = iota
	final
	initial
	medial
)

// arabicForms are the forms of each letter, and of lam with an alef after it. A letter with two
// forms joins the one before it alone.
var arabicForms = sync.OnceValue(func() map[string][]rune {
	forms := map[string][]rune{}
	for _, block := range [][2]rune{{0xFE80, 0xFEFC}, {0xFB50, 0xFBB1}, {0xFBD3, 0xFBE9}, {0xFBFC, 0xFBFF}} {
		for r := block[0]; r <= block[1]; r++ {
			letter := norm.NFKC.String(string(r))
			forms[letter] = append(forms[letter], r)
		}
	}
	return forms
})

const tatweel = 'ـ' // lengthens a word: it joins on both sides and has one form

// joined gives Arabic letters the forms in which they join their neighbours.
func joined(text string) string {
	forms := arabicForms()
	letters := []rune(text)
	var out []rune
	before := false // the letter before joins the next
	for i := 0; i < len(letters); i++ {
		of := forms[string(letters[i])]
		if letters[i] == 'ل' && i+1 < len(letters) && len(forms[string(letters[i:i+2])]) > 0 {
			of = forms[string(letters[i:i+2])]
			i++
		}
		if len(of) < 2 { // no letter that joins
			out = append(out, letters[i])
			before = letters[i] == tatweel
			continue
		}
		after := len(of) == 4 && i+1 < len(letters) && joins(forms, letters[i+1])
		form := isolated
		switch {
		case before && after:
			form = medial
		case before:
			form = final
		case after:
			form = initial
		}
		out = append(out, of[form])
		before = after
	}
	return string(out)
}

// joins reports whether a letter joins the one before it.
func joins(forms map[string][]rune, r rune) bool {
	return r == tatweel || len(forms[string(r)]) > 1
}
