package result

import (
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/dibrain/dibrain/pkg/lang"
)

// CountryName is how people call the country of an ISO 3166 code of two capital letters,
// after the CLDR: "Thailand" and "泰国" for TH. It is empty for what is no such code.
func CountryName(code string, l lang.Language) string {
	if len(code) != 2 || strings.ToUpper(code) != code {
		return ""
	}
	r, err := language.ParseRegion(code)
	if err != nil || !r.IsCountry() || r.Canonicalize() != r || r.String() != code {
		return ""
	}
	if l == lang.Chinese {
		return display.Regions(language.SimplifiedChinese).Name(r)
	}
	return display.Regions(language.English).Name(r)
}
