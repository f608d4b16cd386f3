package preprocess

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/services/findata/library"
)

// KnowledgePrefix begins the id of a table as a knowledge-base entry.
const KnowledgePrefix = "prefill_hive_table_"

// A name in a text: up to three parts, perhaps marked with @ or in backquotes,
// perhaps with the country's placeholder.
const namePattern = "[@`]?[A-Za-z_][A-Za-z0-9_{}]*(?:\\.[A-Za-z_][A-Za-z0-9_{}]*){0,3}`?"

// readNames finds the tables that a request names and returns where in the text
// they stand.
func (r *Reader) readNames(q *Question, v *library.Volume, view *catalog.View, req Request) []retrieval.Span {
	for _, s := range req.Selected[:min(len(req.Selected), r.cfg.MaxMentions)] {
		s = strings.TrimPrefix(strings.TrimSpace(s), KnowledgePrefix)
		if tables := find(view, s); len(tables) > 0 {
			q.addNamed(Named{As: s, Tables: tables})
		} else {
			q.addUnknown(view, s, r.cfg.MaxNear)
		}
	}
	var spans []retrieval.Span
	looked := 0
	addresses := lang.Addresses(q.Text) // though they have dots and an @
	for _, at := range r.names.FindAllStringIndex(q.Text, -1) {
		if slices.ContainsFunc(addresses, func(a []int) bool { return at[0] < a[1] && a[0] < at[1] }) {
			continue
		}
		written := q.Text[at[0]:at[1]]
		name := strings.TrimPrefix(strings.Trim(written, "@`"), KnowledgePrefix)
		marked := name != written
		if !marked && !strings.ContainsAny(name, "_.") {
			continue // a plain word: search finds it, be it a table's name or not
		}
		if looked++; looked > r.cfg.MaxMentions {
			break
		}
		tables := find(view, name)
		if len(tables) == 0 && !marked && calledColumn(q.Text, at) {
			continue
		}
		switch {
		case len(tables) > 0:
			q.addNamed(Named{As: name, Tables: tables, Loose: !marked && !strings.Contains(name, ".")})
		case q.addSchema(view, name):
		case marked || looksLikeTable(v.Index, name):
			q.addUnknown(view, name, r.cfg.MaxNear)
			if marked || strings.Count(name, ".") == 2 || layered.MatchString(name) || calledTable(q.Text, at) {
				q.Unknown[len(q.Unknown)-1].Sure = true
			}
		default:
			continue
		}
		spans = append(spans, retrieval.Span{Start: at[0], End: at[1]})
	}
	for _, re := range schemaCalled {
		for _, at := range re.FindAllStringSubmatchIndex(q.Text, maxSchemas) {
			name := retrieval.Span{Start: at[2], End: at[3]}
			if inside(name, spans) || q.addSchema(view, q.Text[name.Start:name.End]) {
				spans = append(spans, name)
			}
		}
	}
	spans = append(spans, q.readTopics(view)...)
	for _, text := range req.History {
		looked := 0
		for _, word := range r.names.FindAllString(lang.WithoutAddresses(text), -1) {
			name := strings.Trim(word, "@`")
			if !strings.ContainsAny(name, "_.") {
				continue
			}
			if looked++; looked > r.cfg.MaxMentions {
				break
			}
			q.Earlier = append(q.Earlier, find(view, name)...)
		}
	}
	return spans
}

// maxSchemas bounds the schemas looked for in one question.
const maxSchemas = 5

var (
	// columnBefore and columnAfter stand beside a name that is a column's. Many columns behind
	// a name, and 字段 behind one that has a table's prefix, are those of a table.
	columnBefore = regexp.MustCompile(`(?i)(\b(column|field|attribute)s?|字段|列)$`)
	columnAfter  = regexp.MustCompile(`(?i)^["'` + "`" + `]?\s*((column|field|attribute)\b|这?个?(字段|列))`)
	// layered are names with the prefix of a warehouse's layer.
	layered = regexp.MustCompile(`(?i)(^|\.)(ods|dwd|dws|dwm|ads|dim|stg|tmp)_`)
	// tableBefore and tableAfter stand beside a name that is a table's.
	tableBefore = regexp.MustCompile(`(?i)(\btables?( called| named)?|表)$`)
	tableAfter  = regexp.MustCompile(`(?i)^["'` + "`" + `]?\s*(tables?\b|这?张?表)`)
	// schemaCalled finds names that are called those of schemas.
	schemaCalled = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:schema|database)\s+["'` + "`" + `]?([a-z_]\w*(?:\.[a-z_]\w*)?)`),
		regexp.MustCompile(`(?i)\b([a-z_]\w*(?:\.[a-z_]\w*)?)["'` + "`" + `]?\s+(?:schema|database)\b`),
		regexp.MustCompile(`(?i)(?:库|模式)\s*([a-z_]\w*)`),
		regexp.MustCompile(`(?i)([a-z_]\w*)\s*(?:这个|这)?(?:库|模式|数据库)`),
	}
)

// saysTopic finds where a topic is spoken of, with its name before or behind.
var saysTopic = regexp.MustCompile(`(?i)\btopics?\b|主题|话题`)

// maxTopics bounds the places of one question at which topics are looked for.
const maxTopics = 5

// readTopics adds the topics of tables that the question calls topics ("the topic Returns",
// Returns 主题) and returns where they stand.
func (q *Question) readTopics(view *catalog.View) (spans []retrieval.Span) {
	places := saysTopic.FindAllStringIndex(q.Text, maxTopics)
	if len(places) == 0 {
		return nil
	}
	var names []string
	for _, t := range view.Tables() {
		if t.Topic != "" && !slices.Contains(names, t.Topic) {
			names = append(names, t.Topic)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) }) // the longest that stands there
	for _, at := range places {
		for _, name := range names {
			span, ok := beside(q.Text, at, name)
			if !ok {
				continue
			}
			spans = append(spans, span)
			if !slices.Contains(q.Topics, name) {
				q.Topics = append(q.Topics, name)
			}
			break
		}
	}
	return spans
}

// beside reports whether a name stands before or behind a place of a text, and where both do.
func beside(text string, at []int, name string) (retrieval.Span, bool) {
	const between = " \t\"'`“”「」《》:：" // quotes and blanks
	behind := strings.TrimLeft(text[at[1]:], between)
	if len(behind) >= len(name) && strings.EqualFold(behind[:len(name)], name) && !continues(name, behind[len(name):]) {
		return retrieval.Span{Start: at[0], End: len(text) - len(behind) + len(name)}, true
	}
	before := strings.TrimRight(text[:at[0]], between)
	start := len(before) - len(name)
	if start >= 0 && strings.EqualFold(before[start:], name) && !continues(name, lastRune(before[:start])) {
		return retrieval.Span{Start: start, End: at[1]}, true
	}
	return retrieval.Span{}, false
}

// lastRune is the last character of a text.
func lastRune(text string) string {
	_, n := utf8.DecodeLastRuneInString(text)
	return text[len(text)-n:]
}

// continues reports whether a word in Latin letters goes on in what stands next to it.
func continues(name, next string) bool {
	c, _ := utf8.DecodeRuneInString(next)
	return name[0] < utf8.RuneSelf && c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_')
}

func calledColumn(text string, at []int) bool {
	return endsWith(columnBefore, text[:at[0]]) ||
		columnAfter.MatchString(text[at[1]:]) && !layered.MatchString(text[at[0]:at[1]]) && !endsWith(tableBefore, text[:at[0]])
}

func calledTable(text string, at []int) bool {
	return endsWith(tableBefore, text[:at[0]]) || tableAfter.MatchString(text[at[1]:])
}

// longestBefore is more than the longest words before a name have bytes, with the one
// before them.
const longestBefore = 32

// endsWith reports whether an expression for the end of a text fits the last words before a
// name, without blanks and a quote.
func endsWith(end *regexp.Regexp, before string) bool {
	if n := len(before); n > 0 && strings.IndexByte("\"'`", before[n-1]) >= 0 {
		before = before[:n-1]
	}
	before = strings.TrimRight(before, "\t\n\f\r ")
	return end.MatchString(before[max(0, len(before)-longestBefore):])
}

// addSchema adds the schema that a name means, as "schema" or "region.schema", and
// reports whether the asker sees a table of it.
func (q *Question) addSchema(view *catalog.View, name string) bool {
	schema := name[strings.LastIndexByte(name, '.')+1:]
	region := strings.TrimSuffix(strings.TrimSuffix(name, schema), ".")
	t := view.FirstOf(region, schema)
	if t != nil && !slices.Contains(q.Schemas, t.Name.Schema) {
		q.Schemas = append(q.Schemas, t.Name.Schema)
	}
	return t != nil
}

// find returns the tables of a name: as it is, as a family, or as the table of
// "table.column".
func find(view *catalog.View, written string) []*catalog.Table {
	written = strings.TrimRight(written, ".")
	if parts := strings.Split(written, "."); len(parts) == 4 {
		written = strings.Join(parts[:3], ".")
	}
	name, err := catalog.ParseName(written)
	if err != nil {
		return nil
	}
	if t, ok := view.Lookup(name); ok {
		return []*catalog.Table{t}
	}
	if tables := view.Find(name); len(tables) > 0 {
		return tables
	}
	var tables []*catalog.Table
	for _, f := range view.FindFamily(name) {
		tables = append(tables, f.Tables...)
	}
	if len(tables) > 0 || name.Schema == "" {
		return tables
	}
	head, err := catalog.ParseName(written[:strings.LastIndexByte(written, '.')])
	if err != nil {
		return nil
	}
	for _, t := range view.Find(head) {
		if _, ok := t.Column(name.Table); ok {
			tables = append(tables, t)
		}
	}
	return tables
}

// looksLikeTable tells a table's name that does not exist from a column, a file
// or an abbreviation.
func looksLikeTable(index *catalog.Index, name string) bool {
	parts := strings.Split(name, ".")
	last := parts[len(parts)-1]
	if index.HasColumn(last) {
		return false
	}
	return len(parts) == 3 || strings.Contains(last, "_")
}

func (q *Question) addNamed(one Named) {
	if !slices.ContainsFunc(q.Named, func(n Named) bool { return n.Tables[0] == one.Tables[0] && len(n.Tables) == len(one.Tables) }) {
		q.Named = append(q.Named, one)
	}
}

func (q *Question) addUnknown(view *catalog.View, name string, maxNear int) {
	if slices.ContainsFunc(q.Unknown, func(u Unknown) bool { return u.Name == name }) {
		return
	}
	u := Unknown{Name: name}
	if n, err := catalog.ParseName(name); err == nil {
		u.Near = view.Near(n, maxNear)
	}
	q.Unknown = append(q.Unknown, u)
}
