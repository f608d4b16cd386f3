package cli

import (
	"fmt"
	"strings"
)

// diffContext is how many equal lines are shown around changed ones.
const diffContext = 3

// maxDiffCells bounds the work of comparing: longer texts are shown whole.
const maxDiffCells = 4_000_000

// lineDiff returns a unified diff of two texts.
func lineDiff(name, before, after string) string {
	a, b := strings.Split(strings.TrimSuffix(before, "\n"), "\n"), strings.Split(strings.TrimSuffix(after, "\n"), "\n")
	edits := compareLines(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", name, name)
	for from := 0; from < len(edits); {
		if edits[from].sign == ' ' {
			from++
			continue
		}
		to := from
		for gap := 0; to < len(edits) && gap <= 2*diffContext; to++ {
			gap++
			if edits[to].sign != ' ' {
				gap = 0
			}
		}
		for to > from && edits[to-1].sign == ' ' {
			to--
		}
		writeHunk(&out, edits[max(from-diffContext, 0):min(to+diffContext, len(edits))])
		from = to
	}
	return out.String()
}

// edit is a line that stays (' '), goes ('-') or comes ('+'), with the numbers of
// lines before it in both texts.
type edit struct {
	sign       byte
	text       string
	old, fresh int
}

func writeHunk(out *strings.Builder, edits []edit) {
	olds, news := 0, 0
	for _, e := range edits {
		if e.sign != '+' {
			olds++
		}
		if e.sign != '-' {
			news++
		}
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", edits[0].old+1, olds, edits[0].fresh+1, news)
	for _, e := range edits {
		fmt.Fprintf(out, "%c%s\n", e.sign, e.text)
	}
}

// compareLines finds the longest common lines of both texts.
func compareLines(a, b []string) []edit {
	var edits []edit
	add := func(sign byte, text string, i, j int) { edits = append(edits, edit{sign, text, i, j}) }
	i, j := 0, 0
	if len(a)*len(b) <= maxDiffCells {
		common := commonLengths(a, b)
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				add(' ', a[i], i, j)
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				add('-', a[i], i, j)
				i++
			default:
				add('+', b[j], i, j)
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		add('-', a[i], i, j)
	}
	for ; j < len(b); j++ {
		add('+', b[j], i, j)
	}
	return edits
}

// commonLengths returns for each pair of rests how many lines they have in common.
func commonLengths(a, b []string) [][]int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	return common
}
