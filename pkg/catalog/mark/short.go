package mark

import "strings"

// leastShort is how many letters an abbreviated name must have to be taken for
// the short form of another one.
const leastShort = 4

// lengthen gives names whose words are written without their vowels the base of
// the only name in the schema that they can stand for: "prtcpnts" is
// "participants" there, so that the two are twins.
func lengthen(readings []reading, marks []Marks) {
	for _, name := range []func(*Marks) *string{
		func(m *Marks) *string { return &m.Base },
		func(m *Marks) *string { return &m.Stem },
	} {
		lengthenEach(readings, marks, name)
	}
}

func lengthenEach(readings []reading, marks []Marks, name func(*Marks) *string) {
	long := make(map[string]string) // by place and short form; "" where there are several
	for i := range marks {
		whole := *name(&marks[i])
		short := shorten(whole)
		if short == whole {
			continue
		}
		key := readings[i].place + "." + short
		if known, ok := long[key]; ok && known != whole {
			whole = ""
		}
		long[key] = whole
	}
	for i := range marks {
		short := name(&marks[i])
		if whole := long[readings[i].place+"."+*short]; whole != "" && len(*short) >= leastShort {
			*short = whole
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
