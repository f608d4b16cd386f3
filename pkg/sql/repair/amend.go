package repair

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

//go:embed amend.yaml
var amendFile []byte

// amendWords are the wordings of amend.yaml.
type amendWords struct {
	Lead     []string `yaml:"lead"`
	Between  string   `yaml:"between"`
	Patterns []struct {
		Ask string `yaml:"ask"`
		Is  string `yaml:"is"`
	} `yaml:"patterns"`
	Units    map[string]string `yaml:"units"`
	Down     []string          `yaml:"down"`
	Up       []string          `yaml:"up"`
	Compared string            `yaml:"compared"`
	Ops      map[string]string `yaml:"ops"`
	Small    []string          `yaml:"small"`

	lead     []*regexp.Regexp
	between  *regexp.Regexp
	patterns []*regexp.Regexp
	compared *regexp.Regexp
}

var amendments = sync.OnceValues(func() (*amendWords, error) {
	w := &amendWords{}
	if err := yaml.Unmarshal(amendFile, w); err != nil {
		return nil, fmt.Errorf("read amend.yaml: %w", err)
	}
	compile := func(text string) (*regexp.Regexp, error) { return regexp.Compile("(?i)" + text) }
	var err error
	for _, text := range w.Lead {
		r, err := compile(text)
		if err != nil {
			return nil, fmt.Errorf("amend.yaml: %w", err)
		}
		w.lead = append(w.lead, r)
	}
	for _, p := range w.Patterns {
		r, err := compile(p.Is)
		if err != nil {
			return nil, fmt.Errorf("amend.yaml: %w", err)
		}
		w.patterns = append(w.patterns, r)
	}
	if w.between, err = compile(w.Between); err != nil {
		return nil, fmt.Errorf("amend.yaml: %w", err)
	}
	if w.compared, err = compile(w.Compared); err != nil {
		return nil, fmt.Errorf("amend.yaml: %w", err)
	}
	return w, nil
})

// AmendOptions of Amend.
type AmendOptions struct {
	Options
	// Names are other names of a value, such as BR for Brazil; nil: none are known.
	Names func(value string) []string
}

// Bounds of what is asked for.
const (
	maxAsked   = 4096 // bytes
	maxClauses = 10
)

// Amended is what came of a request to change a statement.
type Amended struct {
	Result
	// Unmet are the clauses of the request that were not carried out, as they were said.
	Unmet []string
}

// Amend changes a valid query as a person asks for it in English or Chinese: "only Brazil",
// "by week", "add the seller's name", 只看巴西. Each clause is an edit of its own at a place
// of the tree; what it names has to be a stored value, a column, or a table that keys lead
// to. What is not understood, or would not be valid, is left and told. The Result is valid,
// and where nothing was changed its text is the one that came.
func Amend(ctx context.Context, text, request string, o AmendOptions) (Amended, error) {
	words, err := amendments()
	if err != nil {
		return Amended{}, err
	}
	o.Options = o.complete()
	e := &engine{Options: o.Options, draft: newDraft(text)}
	out := Amended{}
	for _, clause := range words.clauses(request) {
		now, err := e.read(ctx, e.draft.text)
		if err != nil {
			return Amended{}, err
		}
		if now == nil || len(now.diagnostics) > 0 {
			out.Unmet = append(out.Unmet, clause)
			continue
		}
		if e.Related != nil && !e.related {
			e.related = true
			if e.Known, err = e.Related(ctx, e.tablesOf(now)); err != nil {
				return Amended{}, err
			}
		}
		a := amender{engine: e, now: now, words: words, names: o.Names}
		draft := e.draft.clone()
		if !draft.apply(a.edits(clause)) {
			out.Unmet = append(out.Unmet, clause)
			continue
		}
		after, err := e.read(ctx, draft.text)
		if err != nil {
			return Amended{}, err
		}
		if after == nil || len(after.diagnostics) > 0 {
			out.Unmet = append(out.Unmet, clause)
			continue
		}
		e.draft = draft
	}
	out.Result, err = e.result(ctx)
	if len(out.Unmet) > 0 {
		out.Confidence /= 2
	}
	return out, err
}

// Asks reports whether a text asks for a change that Amend may carry out.
func Asks(request string) bool {
	words, err := amendments()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(words.clauses(request), func(c string) bool { ask, _ := words.read(c); return ask != "" })
}

func (e *engine) tablesOf(now *reading) []catalog.Table {
	var tables []catalog.Table
	for _, name := range now.resolution.Tables() {
		if t, ok := now.scope.Catalog.Lookup(name); ok {
			tables = append(tables, *t)
		}
	}
	return tables
}

// clauses are the parts of a request, at most maxClauses.
func (w *amendWords) clauses(request string) []string {
	rest := strings.TrimSpace(request[:min(len(request), maxAsked)])
	for again := true; again; {
		again = false
		for _, lead := range w.lead {
			if cut := lead.FindString(rest); cut != "" {
				rest, again = strings.TrimSpace(rest[len(cut):]), true
			}
		}
	}
	var out []string
	for _, c := range w.between.Split(rest, maxClauses) {
		c = strings.TrimSpace(strings.Trim(strings.TrimSpace(c), `.!?:。！？：`))
		switch {
		case c == "":
		case len(out) > 0 && (containsFold(w.Down, c) || containsFold(w.Up, c)): // of the sorting before it
			out[len(out)-1] += " " + c
		default:
			out = append(out, c)
		}
	}
	return out
}

// read finds what a clause asks for and the words that say of what.
func (w *amendWords) read(clause string) (ask string, of map[string]string) {
	for i, p := range w.patterns {
		found := p.FindStringSubmatch(clause)
		if found == nil {
			continue
		}
		of = map[string]string{}
		for j, name := range p.SubexpNames() {
			if name != "" {
				of[name] = strings.TrimSpace(found[j])
			}
		}
		return w.Patterns[i].Ask, of
	}
	return "", nil
}

// amender makes the edits of one clause.
type amender struct {
	*engine
	now   *reading
	words *amendWords
	names func(string) []string
}

func (a amender) edits(clause string) []edit {
	sel := a.now.stmt.Query.Outermost()
	if sel == nil || len(sel.From) == 0 {
		return nil // a set operation has several SELECTs that may be meant
	}
	ask, of := a.words.read(clause)
	switch ask {
	case "limit":
		return a.limit(of["n"])
	case "grain":
		return a.grain(sel, a.words.Units[strings.ToLower(of["unit"])])
	case "sort":
		return a.sort(sel, of["column"], slices.Contains(a.words.Down, strings.ToLower(of["dir"])))
	case "add":
		return a.add(sel, of["column"], false)
	case "group":
		return a.add(sel, of["column"], true)
	case "remove":
		return a.remove(sel, of["column"])
	case "filter":
		return a.filter(sel, of["value"], false)
	case "exclude":
		if made := a.filter(sel, of["value"], true); made != nil {
			return made
		}
		return a.remove(sel, of["value"])
	}
	return nil
}

// Places in a SELECT.
func endOfFrom(sel *tree.Select) int { return sel.From[len(sel.From)-1].Span().End }

func endOfItems(sel *tree.Select) int { return sel.Items[len(sel.Items)-1].Span().End }
