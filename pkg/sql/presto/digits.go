package presto

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Trino writes a double with the digits that Java's DecimalFormat finds. They are
// not always the fewest that stand for the number: 1e23 is 9.999999999999999E22.
// What follows gives those digits: Steele and White's method with the number b/s
// and half of its unit in the last place m/s, in 32 or 64 bits where they are
// enough. The width matters, because a tie counts as above only in the wide form
// and because a half unit that overflows ends the digits.

const (
	fractionBits = 52
	fractionMask = 1<<fractionBits - 1
)

// javaDigits returns the digits of a positive finite number and the exponent of
// the first of them.
func javaDigits(x float64) (text []byte, exponent int) {
	raw := math.Float64bits(x)
	exp, fraction, significant := int(raw>>fractionBits)&0x7ff, raw&fractionMask, fractionBits+1
	if exp == 0 {
		shift := bits.LeadingZeros64(fraction) - (63 - fractionBits)
		fraction <<= shift
		exp, significant = 1-shift, fractionBits+1-shift
	} else {
		fraction |= 1 << fractionBits
	}
	exp -= 1023
	return shorten(exp, fraction, significant)
}

func shorten(exp int, fraction uint64, significant int) (text []byte, exponent int) {
	tail := bits.TrailingZeros64(fraction)
	used := fractionBits + 1 - tail
	tiny := max(0, used-exp-1)
	if exp <= 62 && exp >= -21 && tiny == 0 && used < 64 {
		return wholeDigits(exp, fraction, significant)
	}
	estimate := exponentOf(exp, fraction)
	b5, s5 := max(0, -estimate), max(0, estimate)
	b2, s2 := b5+tiny+exp, s5+tiny
	m2 := b2 - significant
	b2 -= used - 1
	common := min(b2, s2)
	b2, s2, m2 = b2-common, s2-common, m2-common
	if used == 1 { // below a power of two the units are half as large
		m2--
	}
	if m2 < 0 {
		b2, s2, m2 = b2-m2, s2-m2, 0
	}
	g := generator{
		b: scaled(fraction>>tail, b5, b2), s: scaled(1, s5, s2), m: scaled(1, b5, m2),
		exponent: estimate, width: 0,
	}
	bBits, sBits := used+b2+powerBits(b5), s2+1+powerBits(s5+1)
	switch {
	case bBits < 32 && sBits < 32:
		g.width = 32
	case bBits < 64 && sBits < 64:
		g.width = 64
	}
	return g.run()
}

// powerBits is how many bits 5 to the n needs, from a table up to 26.
func powerBits(n int) int {
	switch {
	case n == 0:
		return 0
	case n <= 26:
		return new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(n)), nil).BitLen()
	}
	return 3 * n
}

// scaled is n times 5 to the fives times 2 to the twos.
func scaled(n uint64, fives, twos int) *big.Int {
	out := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(fives)), nil)
	out.Mul(out, new(big.Int).SetUint64(n))
	return out.Lsh(out, uint(max(twos, 0)))
}

// wholeDigits are those of a whole number below 2 to the 63; those that the number
// cannot tell are rounded away.
func wholeDigits(exp int, fraction uint64, significant int) (text []byte, exponent int) {
	if exp >= fractionBits {
		fraction <<= exp - fractionBits
	} else {
		fraction >>= fractionBits - exp
	}
	dropped := 0
	if p := exp - significant - 1; exp > significant && p > 1 {
		dropped = int(float64(p) * math.Log10(2))
		unit := uint64(math.Pow10(dropped))
		rest := fraction % unit
		fraction /= unit
		if rest >= unit/2 {
			fraction++
		}
	}
	text = strconv.AppendUint(nil, fraction, 10)
	exponent = len(text) - 1 + dropped
	for len(text) > 1 && text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	return text, exponent
}

// exponentOf estimates the decimal exponent from a line through the logarithm.
func exponentOf(exp int, fraction uint64) int {
	d := math.Float64frombits(uint64(1023)<<fractionBits | fraction&fractionMask)
	return int(math.Floor(float64(float64((d-1.5)*0.289529654)+0.176091259) + float64(float64(exp)*0.301029995663981)))
}

type generator struct {
	b, s, m, tens *big.Int
	exponent      int
	width         int // bits of the numbers; 0: any
	digits        []byte
	low, high     bool
}

func (g *generator) run() (text []byte, exponent int) {
	g.tens = new(big.Int).Mul(g.s, big.NewInt(10))
	if q := g.step(); q == 0 && !g.high {
		g.exponent--
	} else {
		g.digits = append(g.digits, '0'+q)
	}
	if g.exponent < -3 || g.exponent >= 8 { // the form with an E has two digits at least
		g.low, g.high = false, false
	}
	for !g.low && !g.high {
		g.digits = append(g.digits, '0'+g.step())
	}
	if g.high && (!g.low || g.above()) {
		g.up()
	}
	for len(g.digits) > 1 && g.digits[len(g.digits)-1] == '0' {
		g.digits = g.digits[:len(g.digits)-1]
	}
	return g.digits, g.exponent
}

// step takes the next digit off b/s.
func (g *generator) step() byte {
	ten := big.NewInt(10)
	q, r := new(big.Int).QuoRem(g.b, g.s, new(big.Int))
	g.b = r.Mul(r, ten)
	g.m = new(big.Int).Mul(g.m, ten)
	if g.width > 0 && g.m.BitLen() >= g.width {
		g.low, g.high = true, true
		return byte(q.Int64())
	}
	g.low = g.b.Cmp(g.m) < 0
	above := new(big.Int).Add(g.b, g.m).Cmp(g.tens)
	g.high = above > 0 || above == 0 && g.width == 0
	return byte(q.Int64())
}

// above tells whether what is left is more than half a digit, or half of one
// after an odd digit.
func (g *generator) above() bool {
	c := new(big.Int).Lsh(g.b, 1).Cmp(g.tens)
	return c > 0 || c == 0 && g.digits[len(g.digits)-1]&1 == 1
}

func (g *generator) up() {
	i := len(g.digits) - 1
	for ; i >= 0 && g.digits[i] == '9'; i-- {
		g.digits[i] = '0'
	}
	if i < 0 {
		g.digits = append([]byte{'1'}, g.digits...)
		g.exponent++
		return
	}
	g.digits[i]++
}
