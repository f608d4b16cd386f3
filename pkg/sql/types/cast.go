package types

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed casts.tsv
var castsFile string

// casts says which bases a base can be cast to.
var casts = sync.OnceValue(func() map[[2]string]bool {
	table := map[[2]string]bool{}
	for line := range strings.Lines(castsFile) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		from, targets, _ := strings.Cut(line, "\t")
		for to := range strings.SplitSeq(targets, ", ") {
			table[[2]string{from, to}] = true
		}
	}
	return table
})

// Castable reports whether CAST can make a value of type to of one of type from.
// Where nothing is known of one of them it is true.
func Castable(from, to Type) bool {
	switch {
	case from.IsUnknown() || to.IsUnknown() || from.IsNull():
		return true
	case len(from.Args) == 0 && len(to.Args) == 0:
		return from.Base == to.Base || casts()[[2]string{from.Base, to.Base}]
	case from.Base == to.Base:
		if len(from.Args) != len(to.Args) {
			return false
		}
		for i := range from.Args {
			if !Castable(from.Args[i], to.Args[i]) {
				return false
			}
		}
		return true
	case to.Base == "json":
		return isContainer(from) && all(from.Args, func(t Type) bool { return Castable(t, to) })
	case from.Base == "json":
		return isContainer(to) && all(to.Args, func(t Type) bool { return Castable(from, t) })
	}
	return casts()[[2]string{from.Base, to.Base}]
}

func isContainer(t Type) bool { return t.Base == "array" || t.Base == "map" || t.Base == "row" }
