package chart

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// ShortNames cuts names that stand beside each other to at most so many cells. What is left out
// stands at the end of a name, and in its middle where names would no longer be told apart:
// "The shop around corner no. 1" and "... no. 2" differ at their ends.
func ShortNames(names []string, cells int) []string {
	out, of := make([]string, len(names)), map[string]string{}
	alike := map[string]bool{}
	for i, name := range names {
		out[i] = runewidth.Truncate(name, cells, "…")
		if other, ok := of[out[i]]; ok && other != name {
			alike[out[i]] = true
		}
		of[out[i]] = name
	}
	for i, name := range names {
		if alike[out[i]] {
			out[i] = withEnd(name, cells)
		}
	}
	return out
}

// withEnd keeps a third of the room for the end of a name.
func withEnd(name string, cells int) string {
	if runewidth.StringWidth(name) <= cells {
		return name
	}
	end := runewidth.TruncateLeft(name, runewidth.StringWidth(name)-cells/3, "")
	end = strings.TrimLeft(end, " ") // also what stands for half of a wide character
	return runewidth.Truncate(name, cells-runewidth.StringWidth(end), "…") + end
}
