package chatbi

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

// Bounds of a certificate in sentences: what is beyond is counted.
const (
	maxListed     = 4   // things of a kind
	maxListedText = 200 // characters of each
)

// paragraph tells a certificate in a few sentences: where the rows come from, who defines
// the figures, which rows are in, what was changed and assumed, and what was checked. How
// sure the reading is it tells by these, and by no percentage.
func (s *Service) paragraph(c Certificate, l lang.Language) string {
	say := func(key string, args map[string]string) string { return s.analyst.Sentence(l, key, args) }
	list := func(texts []string) string {
		var out []string
		for _, text := range texts[:min(len(texts), maxListed)] {
			out = append(out, lang.Shorten(strings.TrimRight(lang.OneLine(text), ".。;；"), maxListedText))
		}
		if more := len(texts) - maxListed; more > 0 {
			out = append(out, say("and_more", map[string]string{"n": result.Int(int64(more)).String()}))
		}
		return strings.Join(out, l.Pick("; ", "；"))
	}
	number := func(n int64) string { return result.Int(n).String() }

	var tables, metrics, changes []string
	for _, t := range c.Tables {
		key := "cert_table"
		if t.LatestPartition != "" {
			key = "cert_table_newest"
		}
		tables = append(tables, say(key, map[string]string{"table": t.Table.String(), "newest": t.LatestPartition}))
	}
	for _, m := range c.Metrics { // the certificate has the definitions
		name, _, _ := strings.Cut(m, ":")
		metrics = append(metrics, name)
	}
	for _, change := range c.Changes {
		changes = append(changes, change.Message)
	}
	var out []string
	if len(tables) > 0 {
		out = append(out, say("cert_rows", map[string]string{"rows": number(c.Rows), "tables": list(tables)}))
	}
	switch {
	case len(metrics) > 0:
		out = append(out, say("cert_metrics", map[string]string{"metrics": list(metrics)}))
	case len(tables) > 0:
		out = append(out, say("cert_columns", nil))
	}
	switch {
	case len(c.Filters) > 0:
		out = append(out, say("cert_filters", map[string]string{"filters": list(c.Filters)}))
	case len(tables) > 0 && !c.RangeTold:
		out = append(out, say("cert_all", nil))
	}
	if len(changes) > 0 {
		out = append(out, say("cert_changes", map[string]string{"n": number(int64(len(changes))), "changes": list(changes)}))
	}
	if len(c.Assumptions) > 0 {
		out = append(out, say("cert_assumed", map[string]string{"assumptions": list(c.Assumptions)}))
	}
	out = append(out, say("cert_checked", nil))
	return strings.Join(out, l.Pick(" ", ""))
}
