package filter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// Limits of a file of rules; it is written by people.
const (
	maxRuleBytes = 4 << 20
	maxRules     = 10_000
)

// Action is what a rule does with its tables.
type Action string

// Actions. They choose what is offered and are no protection: a table that a question
// names is found, and who may read what is the policy's.
const (
	Hide    Action = "hide"    // it is not offered
	Prefer  Action = "prefer"  // it comes before others that fit about as well
	Replace Action = "replace" // another one is offered in its place
	Warn    Action = "warn"    // it is offered with a remark
)

// Rule is one of an installation's own rules.
type Rule struct {
	// Tables are patterns of region.schema.table with * and ?, in any case.
	Tables []string `yaml:"tables"`
	// When are words of which the question has to have one; empty: any question.
	When []string `yaml:"when"`
	Do   Action   `yaml:"do"`
	// With is the table to replace by.
	With string `yaml:"with"`
	// Text is told by Warn, in two languages.
	Text struct {
		En string `yaml:"en"`
		Zh string `yaml:"zh"`
	} `yaml:"text"`

	with  catalog.Name
	words *synonym.Dictionary // nil: any question
}

// check reports what is wrong with a rule and prepares it.
func (r *Rule) check(analyzer *analysis.Analyzer) error {
	if len(r.Tables) == 0 {
		return errors.New("it names no tables")
	}
	for i, p := range r.Tables {
		r.Tables[i] = strings.ToLower(p)
		if _, err := path.Match(r.Tables[i], ""); err != nil {
			return fmt.Errorf("%q is no pattern of tables", p)
		}
	}
	switch r.Do {
	case Hide, Prefer:
	case Replace:
		var err error
		if r.with, err = catalog.ParseName(r.With); err != nil {
			return fmt.Errorf("with has to name the table to replace by: %w", err)
		}
	case Warn:
		if r.Text.En == "" && r.Text.Zh == "" {
			return errors.New("warn needs a text, en or zh")
		}
	default:
		return fmt.Errorf("do is %q: use hide, prefer, replace or warn", r.Do)
	}
	if len(r.When) > 0 {
		r.words = synonym.New(analyzer, synonym.Weights{}, []synonym.Group{{ID: "when", Entries: r.When}})
	}
	return nil
}

// Rules are those of a file, which may be edited while the service runs:
//
//	rules:
//	  - {tables: ["*.tmp.*"], do: hide}
//	  - {tables: ["sg.mp_order.dws_order_gmv_1d*"], do: prefer, when: [GMV, 成交额]}
//	  - {tables: ["sg.mp_order.order_old"], do: replace, with: sg.mp_order.order_new}
//	  - {tables: ["sg.cs_mart.*"], do: warn, text: {en: "...", zh: "..."}}
//
// They may be used concurrently.
type Rules struct {
	path     string
	analyzer *analysis.Analyzer
	every    time.Duration
	clock    func() time.Time

	mu       sync.Mutex
	checked  time.Time
	modified time.Time
	rules    []Rule
}

// NewRules returns the rules of a file, which is looked at for changes so often. A path
// "" has none. A file that cannot be read is an error: a later one is told by For, which
// goes on with what it had.
func NewRules(path string, every time.Duration, clock func() time.Time) (*Rules, error) {
	analyzer, err := analysis.New()
	if err != nil {
		return nil, err
	}
	r := &Rules{path: path, analyzer: analyzer, every: every, clock: clock}
	if path == "" {
		return r, nil
	}
	return r, r.refresh()
}

// Applied are the rules that hold for one question.
type Applied struct {
	rules []*Rule
	// Edition tells states of the file apart.
	Edition string
}

// For returns the rules for a question. err says that a changed file cannot be read;
// what was read before it still counts.
func (r *Rules) For(question string) (Applied, error) {
	if r.path == "" {
		return Applied{}, nil
	}
	r.mu.Lock()
	var err error
	if r.clock().Sub(r.checked) >= r.every {
		err = r.refresh()
	}
	rules, edition := r.rules, r.modified.UTC().Format(time.RFC3339Nano)
	r.mu.Unlock()
	out := Applied{Edition: edition}
	for i := range rules {
		if rules[i].words == nil || len(rules[i].words.Matches(question)) > 0 {
			out.rules = append(out.rules, &rules[i])
		}
	}
	return out, err
}

// refresh reads the file where it has changed. Called with mu held, or before anybody
// else has r.
func (r *Rules) refresh() error {
	r.checked = r.clock()
	info, err := os.Stat(r.path)
	if err == nil && info.ModTime().Equal(r.modified) {
		return nil
	}
	if err == nil && info.Size() > maxRuleBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxRuleBytes)
	}
	var raw []byte
	if err == nil {
		raw, err = os.ReadFile(r.path)
	}
	var f struct {
		Rules []Rule `yaml:"rules"`
	}
	if err == nil {
		err = yaml.Unmarshal(raw, &f)
	}
	if err == nil && len(f.Rules) > maxRules {
		err = fmt.Errorf("it has more than %d rules", maxRules)
	}
	for i := range f.Rules {
		if err == nil {
			if err = f.Rules[i].check(r.analyzer); err != nil {
				err = fmt.Errorf("rule %d: %w", i+1, err)
			}
		}
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the file is not there")
		}
		return fmt.Errorf("read the rules in %s: %w", r.path, err)
	}
	r.rules, r.modified = f.Rules, info.ModTime()
	return nil
}

func (a Applied) none() bool { return len(a.rules) == 0 }

// of returns the first rule of a kind for a table; nil: none.
func (a Applied) of(t *catalog.Table, do Action) *Rule {
	for _, r := range a.rules {
		if r.Do != do {
			continue
		}
		if name := t.Name.Key(); slices.ContainsFunc(r.Tables, func(p string) bool { ok, err := path.Match(p, name); return ok && err == nil }) {
			return r
		}
	}
	return nil
}

// Hides reports whether a table is not to be offered.
func (a Applied) Hides(t *catalog.Table) bool { return a.of(t, Hide) != nil }

// Prefers reports whether a table is to come first.
func (a Applied) Prefers(t *catalog.Table) bool { return a.of(t, Prefer) != nil }

// Instead returns the table to offer in the place of one; false: none.
func (a Applied) Instead(t *catalog.Table) (catalog.Name, bool) {
	if r := a.of(t, Replace); r != nil {
		return r.with, true
	}
	return catalog.Name{}, false
}

// Remark returns what is to be told with a table, "" for nothing.
func (a Applied) Remark(t *catalog.Table, l lang.Language) string {
	r := a.of(t, Warn)
	if r == nil {
		return ""
	}
	if text := l.Pick(r.Text.En, r.Text.Zh); text != "" {
		return text
	}
	return r.Text.En + r.Text.Zh
}
