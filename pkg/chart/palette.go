package chart

// Palette are the colours of series in their order, as #rrggbb: those of Okabe and Ito
// ("Color Universal Design", 2008) that stand out from white, which people with any of
// the common kinds of colour blindness tell apart. Lines beyond them are dashed.
func Palette() []string {
	return []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d"}
}

// Shades are the colours of a heat map from the least to the greatest number. Their
// lightness falls steadily, so that they read in grey as well.
func Shades() []string {
	return []string{"#f7fbff", "#c6dbef", "#6baed6", "#2171b5", "#08306b"}
}
