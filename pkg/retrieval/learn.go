package retrieval

import (
	"runtime"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
)

// maxLessonTexts bounds the distinct texts that words are learned from.
const maxLessonTexts = 400_000

// learn finds the corpus' own words, so that names run together are split at them
// and short forms are known for what they stand for.
func (c *Corpus) learn() error {
	general, err := analysis.New()
	if err != nil {
		return err
	}
	list := c.texts.list[:min(len(c.texts.list), maxLessonTexts)]
	workers := runtime.GOMAXPROCS(0)
	lessons := make([]*analysis.Lesson, workers)
	var running sync.WaitGroup
	for i := range lessons {
		lessons[i] = general.NewLesson()
		running.Go(func() {
			for n := i; n < len(list); n += workers {
				lessons[i].Read(list[n])
			}
		})
	}
	running.Wait()
	lesson := lessons[0]
	for _, other := range lessons[1:] {
		lesson.Add(other)
	}
	readPairs(lesson, c.tables)
	c.analyzer, c.short, err = lesson.Learned()
	return err
}

// readPairs takes names with the texts that explain them, each pair once.
func readPairs(lesson *analysis.Lesson, tables []*catalog.Table) {
	seen := make(map[[2]string]bool)
	read := func(name, text string) {
		if pair := [2]string{name, text}; text != "" && text != name && len(seen) < maxLessonTexts && !seen[pair] {
			seen[pair] = true
			lesson.ReadPair(name, text)
		}
	}
	for _, t := range tables {
		read(t.Name.Table, t.Description)
		for i := range t.Columns {
			read(t.Columns[i].Name, t.Columns[i].Comment)
		}
	}
}
