package mark

import "strings"

// leastShort is how many letters an abbreviated name must have to be taken for
// the short form of another one.
const leastShort = 4

// lengthen gives names whose words are written without their vowels the base of
// the only name in the schema that they can stand for: "prtcpnts" is
// "participants" there, so that the two are twins.
func lengthen(readings []reading, marks []Marks) {
	lengthenEach(readings, marks, func(m *Marks) *string { return &m.Stem }, nil)
	lengthenEach(readings, marks, func(m *Marks) *string { return &m.Base }, func(m, long *Marks) { m.Text = long.Text })
}

func lengthenEach(readings []reading, marks []Marks, name func(*Marks) *string, tell func(m, long *Marks)) {
	const several = -1
	long := make(map[string]int) // by place and short form
	for i := range marks {
		whole := *name(&marks[i])
		short := shorten(whole)
		if short == whole {
			continue
		}
		key := readings[i].place + "." + short
		known, ok := long[key]
		switch {
		case !ok:
			long[key] = i
		case known != several && *name(&marks[known]) != whole:
			long[key] = several
		}
	}
	for i := range marks {
		short := name(&marks[i])
		if whole, ok := long[readings[i].place+"."+*short]; ok && whole != several && len(*short) >= leastShort {
			*short = *name(&marks[whole])
			if tell != nil {
				tell(&marks[i], &marks[whole])
			}
		}
	}
}

// shorten leaves out the vowels of each word of a base but a first one.
func shorten(base string) string {
	var b strings.Builder
	first := true
	for _, r := range base {
		if first || !strings.ContainsRune("aeiou", r) {
			b.WriteRune(r)
		}
		first = r == '_'
	}
	return b.String()
}
