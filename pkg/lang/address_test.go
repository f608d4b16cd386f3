package lang_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
)

// TestAddressesInTexts: e-mail addresses and those of pages are found as wholes, in both languages; marks of
// tables and sentences' ends are no part of one.
func TestAddressesInTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"mail kim_lee@help.example, please":      {"kim_lee@help.example"},
		"发给kim@help.example的信":                   {"kim@help.example"},
		"from a.b+c@mail.co.uk.":                 {"a.b+c@mail.co.uk"},
		"see https://help.example/a_b?x=1 today": {"https://help.example/a_b?x=1"},
		"打开https://help.example/a_b。然后":          {"https://help.example/a_b"},
		"rows of @sg.shop.orders":                nil,
		"kim@localhost":                          nil,
		"x@sg.shop_a.orders":                     nil,
		"1.5 @ 3.2":                              nil,
	} {
		var got []string
		for _, at := range lang.Addresses(text) {
			got = append(got, text[at[0]:at[1]])
		}
		require.Equal(t, want, got, text)
	}
	require.Equal(t, "of   and  ", lang.WithoutAddresses("of kim@help.example and https://help.example"))
}

func TestEmailsAreQuotedOnce(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"kim@help.example handled":             `"kim@help.example" handled`,
		"tickets of kim.lee@help.example?":     `tickets of "kim.lee@help.example"?`,
		`is "kim@help.example" there`:          `is "kim@help.example" there`,
		"is 'kim@help.example' there":          "is 'kim@help.example' there",
		"“kim@help.example”处理了多少":              "“kim@help.example”处理了多少",
		"kim@help.example处理了多少":                `"kim@help.example"处理了多少`,
		"a@x.example and b@x.example":          `"a@x.example" and "b@x.example"`,
		"no address at all, 5 @ 3, @shop.main": "no address at all, 5 @ 3, @shop.main",
	} {
		require.Equal(t, want, lang.QuoteEmails(text))
	}
}
