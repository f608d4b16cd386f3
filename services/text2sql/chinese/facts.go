package chinese

import (
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

// weakName is the score below which a name was found through a translation that is
// not the first one, or in a part of a word.
const weakName = 0.95

// Facts describes how a Chinese question came to be the items that Order gave, by
// numbers; all names begin with "zh/". Confidence weighs them.
//
//	zh/conditions   conditions, each in the place that the order gave it
//	zh/denials      conditions that deny
//	zh/superlatives
//	zh/clauses      of the question
//	zh/unread       items without a meaning
//	zh/weak         names found through a translation that is unsure
//	zh/twofold      names of which two columns fit about as well
//	zh/values       stored values found through a translation
//	zh/heads        words that join what is asked for
//	zh/owners       owners of what is asked for
//	zh/length       Han characters of the question, in tens
func Facts(question string, items []*link.Item) map[string]float64 {
	f := map[string]float64{"zh/clauses": 1}
	for _, it := range items {
		switch {
		case it.Is("rel") && it.Text == condition:
			f["zh/conditions"]++
		case it.Is("not"):
			f["zh/denials"]++
		case it.Is("super"):
			f["zh/superlatives"]++
		case it.Is("of"):
			f["zh/owners"]++
		case it.Is("and"):
			f["zh/heads"]++
		case it.Unknown():
			f["zh/unread"]++
		}
		nameFacts(it, f)
	}
	f["zh/length"] = 0
	trimmed := strings.TrimRight(question, "。？?！! ")
	for _, r := range trimmed {
		switch {
		case unicode.Is(unicode.Han, r):
			f["zh/length"] += 0.1
		case strings.ContainsRune("，；。？,;?", r):
			f["zh/clauses"]++
		}
	}
	return f
}

// nameFacts tells how surely an item names something.
func nameFacts(it *link.Item, f map[string]float64) {
	if len(it.Values) > 0 && strings.ContainsFunc(it.Text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		f["zh/values"]++
		return
	}
	if s := named(it); s > 0 && s < weakName {
		f["zh/weak"]++
	}
	if isColumn(it) && len(it.Columns) > 1 && it.Columns[1].Score > it.Columns[0].Score-closeNames && it.Columns[1].Dim.Table == it.Columns[0].Dim.Table {
		f["zh/twofold"]++
	}
}

// closeNames is how far apart scores are of names that fit about as well.
const closeNames = 0.05
