// Package preprocess reads a question: which tables and countries it names, what
// its words stand for, what kind of tables it wants, and whether it is about
// data at all. Words and patterns are data (words.yaml).
package preprocess

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prefilter"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
	"github.com/dibrain/dibrain/services/findata/country"
	"github.com/dibrain/dibrain/services/findata/library"
)

//go:embed words.yaml
var wordsFile []byte

// Config bounds a Reader.
type Config struct {
	MaxNear     int // near matches of an unknown name
	MaxMentions int // names looked at in one question
}

// Request is a question with what came with it.
type Request struct {
	Text       string
	Language   lang.Language // of the answer; empty: the question's
	UserRegion string        // the asker's country
	Selected   []string      // tables that the person chose
	History    []string      // earlier messages, oldest first
}

// Named is a name of the question with the tables that it may mean: one, the
// variants of a family, or tables of one name in several places.
type Named struct {
	As     string
	Tables []*catalog.Table
	// Loose: it stands in the text without its schema and without a mark that says that
	// it is this table's.
	Loose bool
}

// Unknown is a name that no visible table has.
type Unknown struct {
	Name string
	Near []catalog.Name
	// Sure: it can only be the name of a table.
	Sure bool
}

// Question is a question that has been read.
type Question struct {
	Text     string
	Language lang.Language

	Named   []Named
	Unknown []Unknown
	// NameSpans are where the text names tables, known or not.
	NameSpans []retrieval.Span
	// Earlier are tables that the conversation spoke of.
	Earlier []*catalog.Table

	Query retrieval.Query
	// Content are the concepts that name a subject: not "total", not "per day".
	Content []retrieval.Concept
	// Asking are the places of words that only ask ("list", "看看"): a mart is meant by
	// one only where it is called exactly so.
	Asking []retrieval.Span

	// Bare are the places where data as such are asked for ("the figures", 数据) and no
	// subject stands with the word: not "refund figures".
	Bare []retrieval.Span

	// Schemas are those that the question names, and Topics the topics of chats.
	Schemas, Topics []string

	Countries []string // codes, in the question's order
	Every     bool     // each country, or all of them
	Region    string   // the asker's country, where the source has it
	// OwnCountry: the question speaks of the asker's country, and nothing tells which it is.
	OwnCountry bool
	// Elsewhere are countries that the question names and no table is kept for, in a source
	// that is kept by country. Their words are subjects like others: some value may have them.
	Elsewhere []retrieval.Span

	Layers []string // preferred, best first; empty: no preference
	Grains []Grain  // asked for

	Intent      Intent
	Subject     string // what the intent is about, where the question says it
	AsksForData bool   // total, trend, report, ...
	AsksForRows bool   // list, which, ...
	// Asks: it has a word of asking, a generic one or a country, so that somebody who names
	// no subject is to be asked for it.
	Asks        bool
	OffTopic    bool
	WantsAdvice bool // how to do something, and not what is known of it
}

// Reader reads questions. It may be used concurrently.
type Reader struct {
	cfg       Config
	countries *country.Lexicon
	names     *regexp.Regexp
	words     *synonym.Dictionary // groups: generic, data_words, list_words, sql, layer:NAME, grain:NAME
	asking    *synonym.Dictionary // what is said around a subject
	data      *synonym.Dictionary // data as such
	ownPlace  *synonym.Dictionary // the asker's own country
	layers    map[string][]string
	grains    map[string]Grain
	offTopic  []*prefilter.Pattern
	advice    []*prefilter.Pattern
	intents   []intentPattern
}

// Grain is how fine a table is in time, with the words by which tables tell it.
type Grain struct {
	Name  string   `yaml:"name"`
	Names []string `yaml:"names"` // parts of a table's name
	Words []string `yaml:"words"` // words of a table's grain
}

// genericWeight is what a generic word counts in search against a subject's one.
const genericWeight = 0.4

const (
	groupGeneric = "generic"
	groupData    = "data_words"
	groupRows    = "list_words"
	groupSQL     = "sql"
	prefixLayer  = "layer:"
	prefixGrain  = "grain:"

	layerDimension = "dimension"
)

type lists struct {
	En []string `yaml:"en"`
	Zh []string `yaml:"zh"`
}

func (l lists) all() []string { return append(slices.Clone(l.En), l.Zh...) }

// New returns a reader with the embedded words.
func New(cfg Config) (*Reader, error) {
	if cfg.MaxMentions == 0 {
		cfg.MaxMentions = 50
	}
	var f struct {
		Generic   lists    `yaml:"generic"`
		Asking    lists    `yaml:"asking"`
		DataWords lists    `yaml:"data_words"`
		AsSuch    lists    `yaml:"data_as_such"`
		ListWords lists    `yaml:"list_words"`
		SQL       lists    `yaml:"sql"`
		Own       lists    `yaml:"own_country"`
		OffTopic  []string `yaml:"off_topic"`
		Advice    []string `yaml:"advice"`
		Layers    []struct {
			lists  `yaml:",inline"`
			Name   string   `yaml:"name"`
			Prefer []string `yaml:"prefer"`
		} `yaml:"layers"`
		Grains []struct {
			lists `yaml:",inline"`
			Grain `yaml:",inline"`
		} `yaml:"grains"`
		Intents []struct {
			Kind     Intent   `yaml:"kind"`
			Patterns []string `yaml:"patterns"`
		} `yaml:"intents"`
	}
	if err := yaml.Unmarshal(wordsFile, &f); err != nil {
		return nil, fmt.Errorf("read the embedded question words: %w", err)
	}
	r := &Reader{cfg: cfg, names: regexp.MustCompile(namePattern), layers: make(map[string][]string), grains: make(map[string]Grain)}
	var err error
	if r.countries, err = country.NewLexicon(); err != nil {
		return nil, err
	}
	groups := []synonym.Group{
		{ID: groupGeneric, Entries: f.Generic.all()}, {ID: groupData, Entries: f.DataWords.all()}, {ID: groupRows, Entries: f.ListWords.all()},
		{ID: groupSQL, Entries: f.SQL.all(), AsWritten: true},
	}
	for _, l := range f.Layers {
		r.layers[l.Name] = l.Prefer
		groups = append(groups, synonym.Group{ID: prefixLayer + l.Name, Entries: l.all()})
	}
	for _, g := range f.Grains {
		r.grains[g.Name] = g.Grain
		groups = append(groups, synonym.Group{ID: prefixGrain + g.Name, Entries: g.all()})
	}
	analyzer, err := analysis.New()
	if err != nil {
		return nil, err
	}
	r.words = synonym.New(analyzer, synonym.Weights{}, groups)
	r.asking = synonym.New(analyzer, synonym.Weights{}, []synonym.Group{{ID: "asking", Entries: f.Asking.all()}})
	r.data = synonym.New(analyzer, synonym.Weights{}, []synonym.Group{{ID: "data_as_such", Entries: f.AsSuch.all(), AsWritten: true}})
	r.ownPlace = synonym.New(analyzer, synonym.Weights{}, []synonym.Group{{ID: "own_country", Entries: f.Own.all(), AsWritten: true}})
	for _, p := range f.OffTopic {
		re, err := prefilter.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("off-topic pattern %q: %w", p, err)
		}
		r.offTopic = append(r.offTopic, re)
	}
	for _, p := range f.Advice {
		re, err := prefilter.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("pattern %q of advice: %w", p, err)
		}
		r.advice = append(r.advice, re)
	}
	for _, i := range f.Intents {
		for _, p := range i.Patterns {
			re, err := prefilter.Compile(p)
			if err != nil {
				return nil, fmt.Errorf("pattern %q of intent %s: %w", p, i.Kind, err)
			}
			r.intents = append(r.intents, intentPattern{i.Kind, re})
		}
	}
	return r, nil
}

// Read reads a question against a source as the asker sees it.
func (r *Reader) Read(v *library.Volume, view *catalog.View, req Request) Question {
	q := Question{Text: req.Text, Language: req.Language}
	if q.Language == "" {
		q.Language = lang.Detect(req.Text)
	}
	spans := r.readNames(&q, v, view, req)
	q.NameSpans = slices.Clone(spans)
	for _, m := range r.countries.Find(q.Text, v.Countries.Knows) {
		span := retrieval.Span{Start: m.Start, End: m.End}
		if inside(span, spans) {
			continue
		}
		switch {
		case m.Code == "" && !v.Countries.Any():
			continue
		case m.Code == "":
			q.Every = true
		case !slices.Contains(q.Countries, m.Code):
			q.Countries = append(q.Countries, m.Code)
		}
		spans = append(spans, span)
	}
	if v.Countries.Any() {
		for _, m := range r.countries.Find(q.Text, nil) {
			if at := (retrieval.Span{Start: m.Start, End: m.End}); m.Code != "" && !m.City && !v.Countries.Knows(m.Code) && !inside(at, spans) {
				q.Elsewhere = append(q.Elsewhere, at)
			}
		}
	}
	if region := strings.ToUpper(req.UserRegion); v.Countries.Knows(region) {
		q.Region = region
	}
	spans = r.readOwnCountry(&q, v, spans)
	q.Query = v.Corpus.Parse(q.Text, spans)
	r.readWords(&q)
	r.readBare(&q)
	text := prefilter.Of(q.Text)
	r.readIntent(&q, text)
	matches := func(p *prefilter.Pattern) bool { return p.MatchString(text) }
	q.OffTopic, q.WantsAdvice = slices.ContainsFunc(r.offTopic, matches), slices.ContainsFunc(r.advice, matches)
	return q
}

// readOwnCountry takes "our market" for the asker's country where the source is kept by
// country and the question names none, and adds where it stands: it is no subject.
func (r *Reader) readOwnCountry(q *Question, v *library.Volume, spans []retrieval.Span) []retrieval.Span {
	if !v.Countries.Any() {
		return spans
	}
	told := len(q.Countries) > 0 || q.Every || len(q.Elsewhere) > 0
	for _, m := range r.ownPlace.Matches(q.Text) {
		at := retrieval.Span{Start: m.Start, End: m.End}
		if inside(at, spans) {
			continue
		}
		spans = append(spans, at)
		switch {
		case told:
		case q.Region == "":
			q.OwnCountry = true
		default:
			q.Countries = []string{q.Region}
		}
	}
	return spans
}

// readBare finds where data as such are asked for. In "refund figures" and 退款的数据 the
// subject stands before the word; where it does at one place, none is bare.
func (r *Reader) readBare(q *Question) {
	for _, m := range r.data.Matches(q.Text) {
		if slices.ContainsFunc(q.Content, func(c retrieval.Concept) bool {
			return c.Span.Start < m.End && m.Start < c.Span.End || c.Span.End <= m.Start && belongs(q.Text[c.Span.End:m.Start])
		}) {
			q.Bare = nil
			return
		}
		q.Bare = append(q.Bare, retrieval.Span{Start: m.Start, End: m.End})
	}
}

// belongs reports whether a word for data belongs to the subject before it, by what stands
// between them: in English nothing, in Chinese anything of the same clause that does not ask
// for the word.
func belongs(between string) bool {
	return strings.Trim(between, " -'’s的") == "" || isHan(between) && !strings.ContainsAny(between, "哪什啥")
}

// isHan reports whether a text is nothing but Chinese characters.
func isHan(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return !unicode.Is(unicode.Han, c) }) < 0
}

// readWords tells subjects from generic words and finds layers and grains.
func (r *Reader) readWords(q *Question) {
	var generic, asking []retrieval.Span
	var layers []string
	for _, m := range r.words.Matches(q.Text) {
		id := m.Group.ID
		at := retrieval.Span{Start: m.Start, End: m.End}
		switch {
		case id == groupGeneric:
			generic = append(generic, at)
		case id == groupData:
			q.AsksForData = true
			asking = append(asking, at)
		case id == groupRows:
			q.AsksForRows = true
			asking = append(asking, at)
		case id == groupSQL:
			q.AsksForRows = true
			generic, asking = append(generic, at), append(asking, at)
		case strings.HasPrefix(id, prefixLayer):
			name := strings.TrimPrefix(id, prefixLayer)
			layers = append(layers, name)
			if name != layerDimension {
				asking = append(asking, at) // how fine, and not of what; what a dimension is of (demographics) its words may say
			}
		case strings.HasPrefix(id, prefixGrain):
			g := r.grains[strings.TrimPrefix(id, prefixGrain)]
			asking = append(asking, at) // 日报 says how fine, and not of what
			if !slices.ContainsFunc(q.Grains, func(have Grain) bool { return have.Name == g.Name }) {
				q.Grains = append(q.Grains, g)
			}
		}
	}
	// What asks for detail says more than a word such as "total" beside it.
	for _, name := range []string{"detail", "raw", layerDimension, "summary"} {
		if slices.Contains(layers, name) {
			q.Layers = r.layers[name]
			break
		}
	}
	q.Query.Weaken(genericWeight, func(c retrieval.Concept) bool { return len(c.Glossary) == 0 && inside(c.Span, generic) })
	for _, m := range r.asking.Matches(q.Text) {
		asking = append(asking, retrieval.Span{Start: m.Start, End: m.End})
	}
	q.Asking = slices.Clone(asking)
	q.Asks = len(asking)+len(generic)+len(q.Countries) > 0
	around := joined(append(generic, asking...))
	for _, c := range q.Query.Concepts {
		if len(c.Glossary) > 0 || !inside(c.Span, around) && !isNumber(c.Surface) && !isEdge(c, around) {
			q.Content = append(q.Content, c)
		}
	}
}

// isEdge reports whether a concept is but a pair of Chinese characters of which one
// belongs to a word that names nothing.
func isEdge(c retrieval.Concept, around []retrieval.Span) bool {
	if len(c.Terms) != 1 || c.Terms[0].Entry != "" || c.Surface[0] < utf8.RuneSelf {
		return false
	}
	return slices.ContainsFunc(around, func(o retrieval.Span) bool { return c.Span.Start < o.End && o.Start < c.Span.End })
}

// joined makes one span of those that touch, so that a pair of characters across
// the edge of two words that name nothing names nothing either.
func joined(spans []retrieval.Span) []retrieval.Span {
	slices.SortFunc(spans, func(a, b retrieval.Span) int { return cmp.Compare(a.Start, b.Start) })
	var out []retrieval.Span
	for _, s := range spans {
		if n := len(out); n > 0 && s.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

// inside reports whether a span lies within one of the others.
func inside(s retrieval.Span, in []retrieval.Span) bool {
	return slices.ContainsFunc(in, func(o retrieval.Span) bool { return o.Start <= s.Start && s.End <= o.End })
}

// isNumber reports a number in digits of either script: 三 of 三个月 names nothing.
func isNumber(s string) bool {
	return strings.Trim(s, "0123456789〇零一二两三四五六七八九十百千万亿") == ""
}
