package findata

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/findata/answer"
	"github.com/dibrain/dibrain/services/findata/knowledge"
)

// Names of the knowledge bases.
const (
	knowledgeTables  = "tables"
	knowledgeCatalog = "catalog" // documents of the marts, the glossary and the rules
	knowledgeDocs    = "docs"    // the folder of findata.knowledge_dir
)

// askKnowledge starts asking the knowledge bases beside the tables; the returned
// function waits for what they found.
func (w *search) askKnowledge(ctx context.Context) (wait func() knowledge.Found) {
	done := make(chan knowledge.Found, 1)
	q := knowledge.Query{Text: w.question.Text, Language: w.question.Language, Limit: w.config().MaxDocs, May: w.desk.mayRead}
	wanted := slices.DeleteFunc(slices.Clone(w.query.Bases), func(name string) bool { return name == knowledgeTables })
	if len(wanted) == 0 && len(w.query.Bases) > 0 { // the tables alone
		done <- knowledge.Found{}
		return func() knowledge.Found { return <-done }
	}
	go func() {
		done <- knowledge.Ask(ctx, w.bases(ctx), wanted, q, w.config().KnowledgeWait, func(base string, err error) {
			w.deps.Log.WarnContext(ctx, "a knowledge base failed; the answer goes on without it", "base", base, "error", err)
		})
	}()
	return func() knowledge.Found { return <-done }
}

// bases are the knowledge bases of an asker.
func (w *search) bases(ctx context.Context) []knowledge.Base {
	var bases []knowledge.Base
	if pages, err := w.desk.pages(ctx); err != nil {
		w.deps.Log.WarnContext(ctx, "the documents of the catalog cannot be searched", "error", err)
	} else if pages != nil {
		bases = append(bases, pages)
	}
	if w.folderDocs != nil {
		bases = append(bases, w.folderDocs)
	}
	return append(bases, w.deps.Knowledge...)
}

// library of pages: made once for all askers with the same rights, when the first
// of them asks.
type pagesOnce struct {
	once  sync.Once
	pages *knowledge.Pages
	err   error
}

// pages is the knowledge base of what the asker may know of marts and business
// words; nil where there are none.
func (d *desk) pages(ctx context.Context) (*knowledge.Pages, error) {
	d.docs.once.Do(func() {
		var pages []knowledge.Page
		marts, _ := d.marts()
		for _, m := range marts {
			pages = append(pages, knowledge.Page{ID: "datamart_" + m.Name, Title: m.Name, Text: m.Description, Words: m.Synonyms})
		}
		terms, rules := d.glossary("")
		for _, t := range terms {
			pages = append(pages, knowledge.Page{ID: "term_" + t.Term, Title: t.Term, Text: t.Definition, Words: t.Synonyms})
		}
		for _, r := range rules {
			pages = append(pages, knowledge.Page{ID: "rule_" + r.ID, Title: r.Mart, Text: r.Text})
		}
		if len(pages) > 0 {
			d.docs.pages, d.docs.err = knowledge.NewPages(context.WithoutCancel(ctx), knowledgeCatalog, pages)
		}
	})
	return d.docs.pages, d.docs.err
}

// mayRead reports whether a text that the catalog does not hold may be shown: it
// may not where it has the name of a table, a column or a mart hidden from the
// asker.
func (d *desk) mayRead(text string) bool {
	if d.view.Everything() && len(d.less) == 0 {
		return true
	}
	secrets := d.secrets()
	for _, word := range words.FindAllString(text, -1) {
		if secrets[strings.ToLower(word)] {
			return false
		}
	}
	for _, m := range d.volume.Index.Snapshot().Marts {
		lower, name := strings.ToLower(text), strings.ToLower(m.Name)
		if !d.shows(m.Name) && (strings.Contains(lower, "datamart_"+name) || strings.Contains(lower, "datamart."+name) ||
			strings.Contains(lower, name+" mart") || strings.Contains(lower, name+" data mart") || strings.Contains(lower, name+"集市") || strings.Contains(lower, name+"数据集市")) {
			return false
		}
	}
	return true
}

// secrets are the names, in lower case, of the tables and columns that the asker may
// not know of and that nothing visible is called by; words of the language with an
// underscore or without are the same to it.
func (t *sight) secrets() map[string]bool {
	t.hidden.once.Do(func() {
		hidden, known := make(map[string]bool), make(map[string]bool)
		for _, table := range t.volume.Index.All().Tables() {
			into := known
			if !t.view.Visible(table) {
				into = hidden
			}
			into[strings.ToLower(table.Name.Table)] = true
			shown := t.view.Visible(table)
			for _, c := range table.Columns {
				name := strings.ToLower(c.Name)
				if less, ok := t.less[table]; shown && (!ok || hasColumn(less, c.Name)) {
					known[name] = true
				} else {
					hidden[name] = true
				}
			}
		}
		maps.DeleteFunc(hidden, func(name string, _ bool) bool { return known[name] })
		t.hidden.names = hidden
	})
	return t.hidden.names
}

func hasColumn(t *catalog.Table, name string) bool {
	_, ok := t.Column(name)
	return ok
}

// secretsOnce is secrets, made once.
type secretsOnce struct {
	once  sync.Once
	names map[string]bool
}

// addDocs puts what the knowledge bases found into the answer, in the question's
// language and without what the answer has already.
func (w *search) addDocs(found knowledge.Found) {
	w.result.MissingBases = found.Missing
	for _, m := range found.Missing {
		w.warn("KNOWLEDGE_BASE_MISSING", "base_missing", "name", m.Name, "reason", m.Reason)
	}
	for _, p := range found.Passages {
		p.Title, p.Text = w.desk.text(p.Title), w.desk.text(answer.InLanguage(p.Text, w.question.Language))
		w.result.Docs = append(w.result.Docs, p)
	}
}
