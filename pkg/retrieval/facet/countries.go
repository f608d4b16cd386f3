package facet

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
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

//go:embed countries.yaml
var countryWords []byte

// IsCity reports whether a country is told by one of its cities.
func (m Mention) IsCity() bool { return m.Strength == strengthCity }

// EveryCountry is the value of "each country", "各国" and the like.
const EveryCountry = "*"

// Strengths of the ways to name a country.
const (
	strengthName = 1.0
	strengthCity = 0.6
)

// Countries recognises countries in questions: by the names that CLDR gives in
// English and Chinese, by adjectives, cities and codes.
type Countries struct {
	byFirst map[string][]countryName // names in letters, by first word
	chinese map[string]countryName
	longest map[rune]int // bytes of the longest Chinese name by first character
	code3   map[string]string

	capital, placed, cautious, strict, grammar, notBefore, leads, follows, subject, articles, compares map[string]bool

	followsChinese  *regexp.Regexp
	comparesChinese *regexp.Regexp
	leadsChinese    string
}

type countryName struct {
	code  string
	words []string // after the first
	city  bool
}

type countryFile struct {
	Countries map[string]struct {
		En       []string `yaml:"en"`
		Zh       []string `yaml:"zh"`
		Cities   []string `yaml:"cities"`
		CitiesZh []string `yaml:"cities_zh"`
	} `yaml:"countries"`
	Regions        []string `yaml:"regions"`
	Capital        []string `yaml:"capital"`
	Placed         []string `yaml:"placed"`
	Cautious       []string `yaml:"cautious"`
	Grammar        []string `yaml:"grammar"`
	Strict         []string `yaml:"strict"`
	NotBefore      []string `yaml:"not_before"`
	Leads          []string `yaml:"leads"`
	Follows        []string `yaml:"follows"`
	FollowsSubject []string `yaml:"follows_subject"`
	Articles       []string `yaml:"articles"`
	Compares       []string `yaml:"compares"`
	ComparesZh     []string `yaml:"compares_zh"`
	FollowsZh      []string `yaml:"follows_zh"`
	LeadsZh        string   `yaml:"leads_zh"`
	Every          struct {
		En []string `yaml:"en"`
		Zh []string `yaml:"zh"`
	} `yaml:"every"`
}

// NewCountries returns the embedded names.
func NewCountries() (*Countries, error) {
	var f countryFile
	if err := yaml.Unmarshal(countryWords, &f); err != nil {
		return nil, fmt.Errorf("read the embedded countries: %w", err)
	}
	c := &Countries{
		byFirst: map[string][]countryName{}, chinese: map[string]countryName{}, longest: map[rune]int{}, code3: map[string]string{},
		capital: setOf(f.Capital), placed: lowerSet(f.Placed), cautious: setOf(f.Cautious), strict: setOf(f.Strict), grammar: setOf(f.Grammar), notBefore: setOf(f.NotBefore),
		leads: setOf(f.Leads), follows: setOf(f.Follows), subject: setOf(f.FollowsSubject), articles: setOf(f.Articles), compares: setOf(f.Compares), leadsChinese: f.LeadsZh,
	}
	c.addStandard()
	for code, names := range f.Countries {
		c.add(code, names.En, names.Zh, false)
		c.add(code, names.Cities, names.CitiesZh, true)
	}
	c.add("", f.Regions, nil, false)
	c.add(EveryCountry, f.Every.En, f.Every.Zh, false)
	for first, list := range c.byFirst {
		slices.SortFunc(list, func(a, b countryName) int {
			return cmp.Or(cmp.Compare(len(b.words), len(a.words)), compareBool(a.city, b.city), cmp.Compare(a.code, b.code))
		})
		c.byFirst[first] = list
	}
	slices.SortFunc(f.FollowsZh, func(a, b string) int { return len(b) - len(a) })
	var err error
	if c.followsChinese, err = regexp.Compile("^ ?(?:" + strings.Join(f.FollowsZh, "|") + ")"); err != nil {
		return nil, fmt.Errorf("words after a country: %w", err)
	}
	if c.comparesChinese, err = regexp.Compile(strings.Join(f.ComparesZh, "|")); err != nil {
		return nil, fmt.Errorf("words that compare countries: %w", err)
	}
	return c, nil
}

// addStandard adds what CLDR calls the countries of ISO 3166, and their codes of
// three letters.
func (c *Countries) addStandard() {
	english, chinese := display.English.Regions(), display.Chinese.Regions()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			r, err := language.ParseRegion(code)
			if err != nil || !r.IsCountry() || r.Canonicalize() != r || r.String() != code || r.ISO3() == "ZZZ" {
				continue
			}
			c.code3[r.ISO3()] = code
			c.add(code, plainNames(english.Name(r)), plainNames(chinese.Name(r)), false)
		}
	}
	c.code3["USA"], c.code3["UAE"], c.code3["KSA"] = "US", "AE", "SA"
}

// CountryName is what people call the country of a code in capitals, in English or Chinese.
func CountryName(code string, chinese bool) string {
	names := display.English.Regions()
	if chinese {
		names = display.Chinese.Regions()
	}
	r, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return plainNames(names.Name(r))[0]
}

// plainNames are the names that people use of one such as "Hong Kong SAR China",
// "Myanmar (Burma)" or "中国香港特别行政区".
func plainNames(name string) []string {
	name = strings.NewReplacer(" SAR China", "", "中国香港特别行政区", "香港", "中国澳门特别行政区", "澳门", "&", "and", "’", "'").Replace(name)
	head, more, ok := strings.Cut(name, "(")
	if !ok {
		head, more, ok = strings.Cut(name, "（")
	}
	if !ok {
		return []string{name}
	}
	head, more = strings.TrimSpace(head), strings.Trim(more, ")） ")
	if utf8.RuneCountInString(more) == 1 { // tells two of one name apart, such as 刚果（金）, and is none by itself
		return []string{head}
	}
	return []string{head, more}
}

func (c *Countries) add(code string, english, chinese []string, city bool) {
	for _, name := range english {
		words := wordsOf(name)
		if len(words) == 0 {
			continue
		}
		c.byFirst[words[0]] = append(c.byFirst[words[0]], countryName{code, words[1:], city})
	}
	for _, name := range chinese {
		if known, ok := c.chinese[name]; ok && !known.city {
			continue
		}
		c.chinese[name] = countryName{code: code, city: city}
		first, _ := utf8.DecodeRuneInString(name)
		c.longest[first] = max(c.longest[first], len(name))
	}
}

// wordsOf returns the words of a name as tokens have them.
func wordsOf(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(fold(name)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return words
}

// find returns the countries of a text that known accepts (nil: all). Where a
// country is named, cities are values and do not count.
func (c *Countries) find(text string, tokens []token, known func(string) bool) []Mention {
	found := c.findChinese(text)
	for i := 0; i < len(tokens); {
		m, n, ok := c.at(text, tokens, i)
		if !ok {
			i++
			continue
		}
		found = append(found, m)
		i += n
	}
	found = slices.DeleteFunc(found, func(m Mention) bool {
		return m.Value == "" || m.Value != EveryCountry && known != nil && !known(m.Value)
	})
	if slices.ContainsFunc(found, func(m Mention) bool { return m.Strength == strengthName }) {
		found = slices.DeleteFunc(found, func(m Mention) bool { return m.Strength == strengthCity })
	}
	for i := range found {
		c.widen(text, tokens, &found[i])
	}
	return found
}

// narrow leaves out the words for all countries where one is named: "sales by region in
// Brazil" is about Brazil, and its regions are in its table. Where a country is held
// against others, or is ruled out, all of them are meant.
func (c *Countries) narrow(text string, tokens []token, mentions []Mention) []Mention {
	named := false
	for _, m := range mentions {
		if m.Facet != mark.Country {
			continue
		}
		if m.Not || c.isCompared(text, tokens, m) {
			return mentions
		}
		named = named || m.Value != EveryCountry && m.Strength == strengthName
	}
	if !named {
		return mentions
	}
	return slices.DeleteFunc(mentions, func(m Mention) bool { return m.Facet == mark.Country && m.Value == EveryCountry })
}

// Where words that compare are looked for, before a country or words for all of them.
const (
	comparedTokens = 3
	comparedBytes  = 12 // of Chinese, with one word between
)

// isCompared reports whether a word such as "than" or "other" stands shortly before.
func (c *Countries) isCompared(text string, tokens []token, m Mention) bool {
	if m.first < 0 {
		return c.comparesChinese.MatchString(strings.ToValidUTF8(text[max(0, m.Start-comparedBytes):m.Start], ""))
	}
	return slices.ContainsFunc(tokens[max(0, m.first-comparedTokens):m.first], func(t token) bool { return c.compares[t.word] })
}

// at reads the country that begins with token i and returns how many it takes.
func (c *Countries) at(text string, tokens []token, i int) (Mention, int, bool) {
	t := tokens[i]
	if t.quoted || isPart(text, t.start, t.end) {
		return Mention{}, 0, false
	}
	names := c.byFirst[t.word]
	if people, ok := strings.CutSuffix(t.word, "s"); ok && len(names) == 0 {
		names = slices.DeleteFunc(slices.Clone(c.byFirst[people]), func(n countryName) bool { return n.city || len(n.words) > 0 }) // "Brazilians"
	}
	for _, name := range names {
		n := 1 + len(name.words)
		if !hasWords(tokens[i:], name.words) || !c.isName(text, tokens, i, n, name) {
			continue
		}
		m := Mention{Facet: mark.Country, Value: name.code, Start: t.start, End: tokens[i+n-1].end, Strength: strengthName, first: i, last: i + n - 1}
		if name.city {
			m.Strength = strengthCity
		}
		return m, n, true
	}
	code := c.codeOf(text, tokens, i)
	if code == "" {
		return Mention{}, 0, false
	}
	return Mention{Facet: mark.Country, Value: code, Start: t.start, End: t.end, Strength: strengthName, first: i, last: i}, 1, true
}

func hasWords(tokens []token, words []string) bool {
	if len(tokens) <= len(words) {
		return false
	}
	for k, w := range words {
		if tokens[k+1].word != w || tokens[k].after == apart {
			return false
		}
	}
	return true
}

// isName reports whether words that may name a country do so here.
func (c *Countries) isName(text string, tokens []token, i, n int, name countryName) bool {
	first, last := tokens[i], tokens[i+n-1]
	if name.code == EveryCountry {
		return true
	}
	if last.after == together && i+n < len(tokens) && c.notBefore[tokens[i+n].word] {
		return false
	}
	if n > 1 {
		return true
	}
	isCapital := first.surface != first.word
	switch {
	case c.placed[first.word]:
		return isCapital && c.isPlaced(text, tokens, i)
	case c.capital[first.word], len(first.word) <= 3, name.city:
		return isCapital
	}
	return true
}

// codeOf reads a token as a country's code: in capitals, or in small letters
// before a word such as "market".
func (c *Countries) codeOf(text string, tokens []token, i int) string {
	t := tokens[i]
	upper := strings.ToUpper(t.word)
	switch {
	case t.after == together && i+1 < len(tokens) && c.notBefore[tokens[i+1].word]:
		return ""
	case len(t.surface) == 3 && t.surface == upper:
		return c.code3[upper]
	case len(t.surface) != 2 || !isCode(upper):
		return ""
	case t.surface != upper && (c.grammar[t.word] || !c.followed(tokens, i)):
		return ""
	case c.strict[upper] && !c.followed(tokens, i) && !c.followsChinese.MatchString(text[t.end:]):
		return ""
	case c.cautious[upper] && !c.isPlaced(text, tokens, i):
		return ""
	}
	return canonical(upper)
}

// IsCountry reports whether a code in capitals is one of ISO 3166.
func IsCountry(code string) bool { return len(code) == 2 && isCode(code) }

func isCode(upper string) bool {
	r, err := language.ParseRegion(upper)
	return err == nil && r.IsCountry()
}

func canonical(code string) string {
	if code == "UK" {
		return "GB"
	}
	return code
}

// isPlaced reports whether the words around say that a place is meant.
func (c *Countries) isPlaced(text string, tokens []token, i int) bool {
	if c.followed(tokens, i) || isCodeLike(tokens, i+1) || c.followsChinese.MatchString(text[tokens[i].end:]) {
		return true
	}
	if r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:tokens[i].start], " ")); unicode.Is(unicode.Han, r) {
		return strings.ContainsRune(c.leadsChinese, r)
	}
	before := i - 1
	if before > 0 && c.articles[tokens[before].word] {
		before--
	}
	return before < 0 || tokens[i-1].after == apart || c.leads[tokens[before].word] || isCodeLike(tokens, before)
}

// isCodeLike reports whether a neighbour is a code, too: "SG, ID and BR".
func isCodeLike(tokens []token, i int) bool {
	return i >= 0 && i < len(tokens) && len(tokens[i].surface) == 2 && tokens[i].surface == strings.ToUpper(tokens[i].surface) && isCode(tokens[i].surface)
}

// followed reports whether a word such as "market" comes after.
func (c *Countries) followed(tokens []token, i int) bool {
	return tokens[i].after == together && i+1 < len(tokens) && c.follows[tokens[i+1].word]
}

// isPart reports whether a word is part of an identifier: "SG" is one in "SG,"
// and not in "dwd_SG" or "sg.mp_order".
func isPart(text string, start, end int) bool {
	const glue = "_.@{}"
	if start > 0 && strings.IndexByte(glue, text[start-1]) >= 0 {
		return true
	}
	// A full stop ends a sentence; with a letter after it, it is part of a name.
	if end+1 < len(text) && text[end] == '.' {
		r, _ := utf8.DecodeRuneInString(text[end+1:])
		return isWordRune(r)
	}
	return end < len(text) && strings.IndexByte("_@{}", text[end]) >= 0
}

// widen adds to a mention the words that belong to it: "for the Brazilian market"
// speaks of no market.
func (c *Countries) widen(text string, tokens []token, m *Mention) {
	if m.Value == EveryCountry {
		return
	}
	if at := c.followsChinese.FindStringIndex(text[m.End:]); at != nil {
		m.End += at[1]
		return
	}
	if m.first < 0 {
		return
	}
	for next := m.last + 1; next < len(tokens) && tokens[next-1].after == together && c.follows[tokens[next].word] && !c.subject[tokens[next].word]; next++ {
		m.last, m.End = next, tokens[next].end
	}
}

// findChinese returns the countries that a text names in Chinese, the longest name
// at each place.
func (c *Countries) findChinese(text string) []Mention {
	var found []Mention
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		n := 0
		for end := min(i+c.longest[r], len(text)); end > i; end-- {
			name, ok := c.chinese[text[i:end]]
			if !ok {
				continue
			}
			m := Mention{Facet: mark.Country, Value: name.code, Start: i, End: end, Strength: strengthName, first: -1}
			if name.city {
				m.Strength = strengthCity
			}
			if !isDish(text[end:]) {
				found = append(found, m)
			}
			n = end - i
			break
		}
		i += max(n, size)
	}
	return found
}

// isDish reports whether a country's name stands for a kitchen or a language.
func isDish(after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return r == '菜' || r == '语' || r == '餐'
}

func lowerSet(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[strings.ToLower(w)] = true
	}
	return set
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
