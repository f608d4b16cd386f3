package repair

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/spelling"
)

// keyWords are the key words of queries that are misspelt.
var keyWords = strings.Fields(`SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT OFFSET JOIN LEFT RIGHT INNER OUTER FULL CROSS ON USING
	AND OR NOT IN BETWEEN LIKE IS NULL AS DISTINCT CASE WHEN THEN ELSE END UNION ALL INTERSECT EXCEPT WITH EXISTS ASC DESC CAST TRY_CAST
	OVER PARTITION INTERVAL DATE TIMESTAMP VALUES UNNEST FETCH FIRST ROWS ROW ONLY TRUE FALSE EXTRACT FILTER NULLS LAST RECURSIVE
	PRECEDING FOLLOWING UNBOUNDED CURRENT RANGE ESCAPE LATERAL TABLESAMPLE ROLLUP CUBE GROUPING SETS WITHIN`)

// keyWord is a key word that a word is nearly.
type keyWord struct {
	word string
	cost float64
}

// text is the key word in the case of what was written.
func (k keyWord) text(written string) string {
	if written == strings.ToLower(written) {
		return strings.ToLower(k.word)
	}
	return k.word
}

// keysNear are the key words that a word is one or two letters away from. A swap of
// neighbours counts as one.
func keysNear(word string) []keyWord {
	word = strings.ToUpper(word)
	var out []keyWord
	for _, k := range keyWords {
		if word == k || len(word) > len(k)+2 || len(k) > len(word)+2 || len(word) < 2 && len(k) > 2 {
			continue
		}
		d := spelling.Distance(word, k)
		switch {
		case d == 1 && len(k) > 3:
			out = append(out, keyWord{k, 0.9})
		case d == 1:
			out = append(out, keyWord{k, 1.1})
		case d == 2 && len(k) > 4:
			out = append(out, keyWord{k, 1.4})
		}
	}
	return out
}
