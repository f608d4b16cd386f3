package token

// minSlip is how many letters a word has at least in which a slip is seen: shorter ones
// have too many neighbours.
const minSlip = 5

// Slip reports whether one of two words in lower case is the other with one slip of the
// hand: a letter too many, one left out, another one, or two the wrong way round. The first
// letter is right.
func Slip(said, meant string) bool {
	if len(said) < minSlip || len(meant) < minSlip || said[0] != meant[0] || said == meant {
		return false
	}
	i := 0
	for i < len(said) && i < len(meant) && said[i] == meant[i] {
		i++
	}
	a, b := said[i:], meant[i:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case len(a)+len(b) == 1, len(a) == 1 && len(b) == 1:
		return true
	case len(a) == 2 && len(b) == 2:
		return a[0] == b[1] && a[1] == b[0]
	}
	return false
}
