package charset

// wideEncoding is one of those that write a character in two bytes. Their standards
// order characters by how common they are: the first level holds nearly all of what
// people write, so that the share of its characters tells a right reading from a
// wrong one.
type wideEncoding struct {
	name string
	// worth of a character of two bytes, from 1 for a common one to less than 0 for
	// one that hardly anybody writes.
	worth func(lead, trail byte) float64
	// single is what a byte above ASCII is worth that is a character by itself, and
	// whether it is one.
	single func(b byte) (float64, bool)
}

const (
	common = 1.0
	seldom = 0.2
	never  = -1.0
)

func noSingle(byte) (float64, bool) { return 0, false }

func wide() []wideEncoding {
	return []wideEncoding{
		{name: "gb18030", single: noSingle, worth: func(lead, trail byte) float64 {
			switch {
			case trail < 0xA1:
				return 0 // of the extension, not of GB 2312
			case lead >= 0xB0 && lead <= 0xD7, lead == 0xA1, lead == 0xA3:
				return common
			case lead >= 0xD8 && lead <= 0xF7:
				return seldom
			default:
				return never
			}
		}},
		{name: "big5", single: noSingle, worth: func(lead, _ byte) float64 {
			switch {
			case lead >= 0xA1 && lead <= 0xC6:
				return common
			case lead >= 0xC9 && lead <= 0xF9:
				return seldom
			default:
				return never
			}
		}},
		{name: "shift_jis", worth: func(lead, _ byte) float64 {
			switch {
			case lead >= 0x81 && lead <= 0x83, lead >= 0x88 && lead <= 0x97:
				return common
			case lead >= 0x98 && lead <= 0x9F, lead >= 0xE0 && lead <= 0xEA:
				return seldom
			default:
				return never
			}
		}, single: func(b byte) (float64, bool) { return seldom, b >= 0xA1 && b <= 0xDF }},
		{name: "euc-kr", single: noSingle, worth: func(lead, trail byte) float64 {
			switch {
			case trail < 0xA1:
				return 0
			case lead >= 0xB0 && lead <= 0xC8:
				// The syllables lie where a good half of the Chinese characters of GB 2312
				// do: where all characters of a text lie there, it is Korean.
				return common * 1.1
			case lead == 0xA1, lead == 0xA3:
				return common
			default:
				return never
			}
		}},
		{name: "euc-jp", single: noSingle, worth: func(lead, _ byte) float64 {
			switch {
			case lead == 0xA4, lead == 0xA5:
				return common * 1.2 // kana, without which hardly a text is Japanese
			case lead >= 0xB0 && lead <= 0xCF, lead == 0xA1, lead == 0xA3:
				return common * 0.95
			case lead >= 0xD0 && lead <= 0xF4:
				return 0
			default:
				return never
			}
		}},
	}
}

// rate is the mean worth of the characters beyond ASCII.
func (w wideEncoding) rate(lines []byte) float64 {
	sum, n := 0.0, 0
	for i := 0; i < len(lines); i++ {
		if lines[i] < 0x80 {
			continue
		}
		if worth, ok := w.single(lines[i]); ok {
			sum, n = sum+worth, n+1
			continue
		}
		if i+1 == len(lines) {
			break
		}
		sum, n = sum+w.worth(lines[i], lines[i+1]), n+1
		i++
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
