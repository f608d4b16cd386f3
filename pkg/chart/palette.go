package chart

// Palette are the colours of n series in their order, as #rrggbb; at most MaxSeries. The
// first seven are those of Okabe and Ito ("Color Universal Design", 2008) that stand out
// from white, which people with any of the common kinds of colour blindness tell apart.
// The other five are as far from them and from each other as the nearest two of these
// are, to normal sight and to that without red or green.
func Palette(n int) []string {
	all := []string{
		"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d",
		"#0000ff", "#77ee99", "#443300", "#2277ff", "#000088",
	}
	return all[:min(max(n, 1), len(all))]
}

// Shades are the colours of a heat map from zero to the greatest number: the blues of
// ColorBrewer. Their lightness falls steadily, so that they read in grey as well, and the first
// is darker than a place where there is no number.
func Shades() []string {
	return []string{"#deebf7", "#9ecae1", "#4292c6", "#2171b5", "#08306b"}
}

// ShadesOfBoth are the colours of a heat map with numbers below zero, which are orange: from
// as far below zero as above it. The one in the middle is zero's.
func ShadesOfBoth() []string {
	return []string{"#7f3b08", "#d55e00", "#f6b27c", "#e6e6e6", "#9ecae1", "#2171b5", "#08306b"}
}
