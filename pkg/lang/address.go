package lang

import "regexp"

const emailForm = `[A-Za-z0-9._%+-]*[A-Za-z0-9_%+-]@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\b`

var (
	email = regexp.MustCompile(emailForm)
	// A page's address ends before a quote, and before what Chinese writes without a blank.
	address = regexp.MustCompile(emailForm + `|\b[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>\p{Han}，。；？！、]+`)
	// bareEmail is an e-mail address in no quotes.
	bareEmail = regexp.MustCompile("(^|[^\"'`“‘「『A-Za-z0-9._%+-])(" + emailForm + `)`)
)

// Addresses are the places, begin and end in bytes, of the e-mail addresses and those of pages in a text:
// kim@help.example, https://help.example/a_b. Their parts are no names and no words.
func Addresses(text string) [][]int { return address.FindAllStringIndex(text, -1) }

// WithoutAddresses puts a blank in the place of each address.
func WithoutAddresses(text string) string { return address.ReplaceAllLiteralString(text, " ") }

// QuoteEmails puts the e-mail addresses of a text into quotes, where they have none: each is one value.
func QuoteEmails(text string) string {
	if !email.MatchString(text) {
		return text
	}
	return bareEmail.ReplaceAllString(text, `$1"$2"`)
}
