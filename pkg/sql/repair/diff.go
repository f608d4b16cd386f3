package repair

import (
	"fmt"
	"strings"
)

// Lines of context around a change, and the most lines that are compared one by
// one; the rest is shown as replaced.
const (
	contextLines = 3
	maxCompared  = 2000
)

// unifiedDiff returns one hunk that holds all that differs; empty for equal texts.
func unifiedDiff(before, after string) string {
	if before == after {
		return ""
	}
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	from := max(0, head-contextLines)
	endA, endB := min(len(a), len(a)-tail+contextLines), min(len(b), len(b)-tail+contextLines)
	var out strings.Builder
	fmt.Fprintf(&out, "--- original\n+++ fixed\n@@ -%d,%d +%d,%d @@\n", from+1, endA-from, from+1, endB-from)
	for _, line := range a[from:head] {
		out.WriteString(" " + line + "\n")
	}
	compare(&out, a[head:len(a)-tail], b[head:len(b)-tail])
	for _, line := range a[len(a)-tail : endA] {
		out.WriteString(" " + line + "\n")
	}
	return out.String()
}

// compare writes the lines that differ by their longest common subsequence.
func compare(out *strings.Builder, a, b []string) {
	if len(a) > maxCompared || len(b) > maxCompared {
		writeLines(out, "-", a)
		writeLines(out, "+", b)
		return
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
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out.WriteString(" " + a[i] + "\n")
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || length[i+1][j] >= length[i][j+1]):
			writeLines(out, "-", a[i:i+1])
			i++
		default:
			writeLines(out, "+", b[j:j+1])
			j++
		}
	}
}

func writeLines(out *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		out.WriteString(mark + line + "\n")
	}
}

// Diff is the change of a text as a unified diff; empty where there is none.
func Diff(before, after string) string { return unifiedDiff(before, after) }
