package scope

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
)

// Decide returns the scope of a question.
func (c *Clarifier) Decide(r Request) Result {
	if len(r.Marts) == 0 {
		return Result{Outcome: NoMarts}
	}
	marts := byName(r.Marts)
	named := c.namedMarts(r, marts)
	if len(named) >= c.file.MaxScopes && len(r.Named) == 0 && len(r.Question.Named) == 0 {
		// So many are not meant at once: the person chooses, be it all of them.
		between := make([]weighed, 0, len(named))
		for _, mart := range named {
			between = append(between, weighed{mart: mart})
		}
		offered := c.ask(r, between, marts)
		if r.Reply != "" {
			return c.Replied(r, offered)
		}
		return offered
	}
	if len(named) > 0 {
		return Result{Outcome: Identified, Scopes: c.certain(named, "named", r.Question.Language), Named: true}
	}
	if r.Reply == "" {
		return c.byText(r, marts)
	}
	asked := r
	asked.Reply = ""
	return c.Replied(r, c.byText(asked, marts))
}

// Replied returns the scope that the reply of a request takes of what was offered.
func (c *Clarifier) Replied(r Request, offered Result) Result {
	marts := byName(r.Marts)
	switch chosen, said := c.read(r, offered.Options, marts); said {
	case repliedOptions:
		return Result{Outcome: Identified, Scopes: c.certain(chosen, "replied", r.Question.Language)}
	case repliedNone:
		return noMatch(marts)
	default:
		offered.Unread = true
		return offered
	}
}

func noMatch(marts map[string]catalog.Mart) Result {
	return Result{Outcome: NoMatch, Fallback: fallback(marts)}
}

func fallback(marts map[string]catalog.Mart) string {
	for name, m := range marts {
		if m.Fallback {
			return name
		}
	}
	return ""
}

// namedMarts finds marts named by the request, by its tables or, as marts, by the
// text.
func (c *Clarifier) namedMarts(r Request, marts map[string]catalog.Mart) []string {
	var named []string
	add := func(name string) {
		for have := range marts {
			if strings.EqualFold(have, name) && !slices.Contains(named, have) {
				named = append(named, have)
			}
		}
	}
	for _, n := range r.Named {
		add(strings.TrimPrefix(strings.TrimPrefix(n, GroupPrefix), OptionPrefix))
	}
	for _, n := range r.Question.Named {
		for _, t := range n.Tables {
			add(t.Mart)
		}
	}
	if len(named) > 0 {
		return named
	}
	for _, re := range c.patterns.named {
		for _, found := range re.FindAllStringSubmatch(r.Question.Text, 8) {
			for _, m := range r.Volume.Marts.Matches(found[1]) {
				add(m.Group.ID)
			}
		}
	}
	return named
}

// byText decides from what the question says.
func (c *Clarifier) byText(r Request, marts map[string]catalog.Mart) Result {
	if r.Question.OffTopic {
		return noMatch(marts)
	}
	spans := c.allSpans(r, marts)
	if result, asks := c.askSense(r, spans, marts); asks {
		return result
	}
	found := c.weigh(r, spans, marts)
	if r.NoSubject {
		return c.open(r, marts)
	}
	if len(r.Question.Content) == 0 && (len(found) == 0 || found[0].score <= c.file.Weights.Tables) {
		return c.open(r, marts)
	}
	if len(found) == 0 || !r.About && !found[0].called {
		return noMatch(marts)
	}
	if found[0].score < c.file.Weak || len(r.Question.Content) == 1 && !found[0].called && len(c.sharing(found, marts)) > 1 {
		return c.spread(r, found, marts)
	}
	if between := c.level(r, spans, found, marts); len(between) > 1 {
		if c.breakTieOfFew(r, between, marts) && !r.MakeSure {
			return c.identified(between[:1], found, r)
		}
		return c.ask(r, between, marts)
	}
	return c.choose(r, found, marts)
}

// spread asks where nothing but a word of columns is known, such as a status, and
// several marts have such columns: only the person knows of what it is. Elsewhere no
// mart fits.
func (c *Clarifier) spread(r Request, found []weighed, marts map[string]catalog.Mart) Result {
	near := c.sharing(found, marts)
	if len(near) < 2 || c.breakTieOfFew(r, near, marts) {
		return noMatch(marts)
	}
	return c.ask(r, near, marts)
}

// sharing are the marts whose columns know the words of a question about as well as the
// best of them.
func (c *Clarifier) sharing(found []weighed, marts map[string]catalog.Mart) []weighed {
	return slices.DeleteFunc(atLeast(found, c.file.Sure), func(w weighed) bool { return marts[w.mart].Fallback || len(w.words) == 0 })
}

// choose decides between marts that have evidence.
func (c *Clarifier) choose(r Request, found []weighed, marts map[string]catalog.Mart) Result {
	near := atLeast(found, c.file.Near)
	if r.MakeSure {
		near = atLeast(found, c.file.Sure)
	}
	if together := asked(found, len(found)); len(together) >= c.file.MaxScopes {
		return c.ask(r, together, marts)
	} else if len(together) > 1 {
		return c.identified(together, found, r)
	}
	isClear := len(near) == 1 || found[0].score >= c.file.Clear*found[1].score
	switch {
	case len(near) == 1:
		return c.identified(found[:1], found, r)
	case r.MakeSure:
		c.breakTie(r, near, marts)
		return c.ask(r, near, marts)
	case isClear:
		return c.identified(found[:1], found, r)
	}
	if i := slices.IndexFunc(near, func(w weighed) bool { return marts[w.mart].Fallback }); i >= 0 && !near[0].called {
		return c.identified(near[i:i+1], found, r) // nobody claims the words: the general layer is for that
	}
	if c.breakTieOfFew(r, near, marts) {
		return c.identified(near[:1], found, r)
	}
	return c.ask(r, near, marts)
}

// asked returns the marts that the question asks for together; none where the best
// is not among them.
func asked(found []weighed, most int) []weighed {
	var together []weighed
	for _, w := range found {
		if w.and && len(together) < most {
			together = append(together, w)
		}
	}
	if len(together) > 0 && !found[0].and {
		return nil
	}
	return together
}

// atLeast returns the marts with at least a share of the best's evidence.
func atLeast(found []weighed, share float64) []weighed {
	n := 1
	for n < len(found) && found[n].score >= share*found[0].score {
		n++
	}
	return slices.Clone(found[:n])
}

// breakTie puts the mart first that the asker's department, region, habit or
// conversation speaks for, in that order: the first of these that speaks for one
// more than for all others decides. It reports whether there is one.
func (c *Clarifier) breakTie(r Request, near []weighed, marts map[string]catalog.Mart) bool {
	for _, by := range []struct {
		key string
		of  func(w weighed) int // higher is better, 0 is nothing
	}{
		{"department", func(w weighed) int { return ofDepartment(r.Department, marts[w.mart]) }},
		{"background", func(w weighed) int { return ofDepartment(r.Background, marts[w.mart]) }},
		{"region", func(w weighed) int { return ofRegion(r, w.mart) }},
		{"frequent", func(w weighed) int { return placeIn(r.Frequent, w.mart) }},
		{"previous", func(w weighed) int { return placeIn(r.Previous, w.mart) }},
	} {
		slices.SortStableFunc(near, func(a, b weighed) int { return cmp.Compare(by.of(b), by.of(a)) })
		if by.of(near[0]) > by.of(near[1]) {
			near[0].tie = by.key
			return true
		}
	}
	return false
}

// breakTieOfFew is breakTie where up to three marts fit; of more, only the
// department is taken for an answer.
func (c *Clarifier) breakTieOfFew(r Request, near []weighed, marts map[string]catalog.Mart) bool {
	if len(near) >= c.file.MaxScopes {
		r.Background, r.Region, r.Frequent, r.Previous = "", "", nil, nil
	}
	return c.breakTie(r, near, marts)
}

// ofDepartment is the length of the longest name of a mart in a department's name.
func ofDepartment(department string, m catalog.Mart) int {
	department = strings.ToLower(department)
	longest := 0
	for _, w := range append([]string{m.Name}, m.Synonyms...) {
		if strings.Contains(department, strings.ToLower(w)) {
			longest = max(longest, len(w))
		}
	}
	return longest
}

// ofRegion is 1 where a table of a mart tells that it covers the asker's country.
func ofRegion(r Request, mart string) int {
	if r.Region == "" || r.Countries == nil {
		return 0
	}
	for _, t := range r.View.Tables() {
		if t.Mart == mart && slices.Contains(r.Countries.Of(t), r.Region) {
			return 1
		}
	}
	return 0
}

// placeIn is higher the earlier a name stands in a list, 0 where it does not.
func placeIn(list []string, name string) int {
	i := slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
	if i < 0 {
		return 0
	}
	return len(list) - i
}

func (c *Clarifier) identified(chosen, found []weighed, r Request) Result {
	var total float64
	for _, w := range found {
		total += w.score
	}
	result := Result{Outcome: Identified}
	for _, w := range chosen {
		result.Scopes = append(result.Scopes, Candidate{Mart: w.mart, Score: w.score / total, Reason: c.reason(w, r)})
	}
	return result
}

func (c *Clarifier) reason(w weighed, r Request) string {
	l := r.Question.Language
	var clauses []string
	if len(w.words) > 0 {
		clauses = append(clauses, strings.ReplaceAll(c.say("words", l), "{words}", strings.Join(w.words, l.Pick(", ", "、"))))
	} else {
		clauses = append(clauses, c.say("tables", l))
	}
	if w.tie != "" {
		clauses = append(clauses, strings.ReplaceAll(c.say(w.tie, l), "{region}", r.Region))
	}
	return strings.Join(clauses, l.Pick("; ", "；"))
}

func (c *Clarifier) say(key string, l lang.Language) string {
	m := c.file.Messages[key]
	return l.Pick(m.En, m.Zh)
}

// certain are marts that somebody named, or took of those offered.
func (c *Clarifier) certain(names []string, why string, l lang.Language) []Candidate {
	names = names[:min(len(names), c.file.MaxOptions)]
	var out []Candidate
	for _, n := range names {
		out = append(out, Candidate{Mart: n, Score: 1 / float64(len(names)), Reason: c.say(why, l)})
	}
	return out
}
