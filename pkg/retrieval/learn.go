package retrieval

import (
	"runtime"
	"sync"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
)

// Limits of learning: names are where words run together and are cut short, so
// nearly all of them are read; of sentences, which are many and long, enough to
// count words.
const (
	maxLessonNames = 400_000
	maxLessonTexts = 30_000
	maxLessonPairs = 30_000
)

// learn finds the corpus' own words, so that names run together are split at them
// and short forms are known for what they stand for.
func (c *Corpus) learn() error {
	general, err := analysis.New()
	if err != nil {
		return err
	}
	list := c.lessonTexts()
	pairs := c.explained()
	workers := runtime.GOMAXPROCS(0)
	lessons := make([]*analysis.Lesson, workers)
	var running sync.WaitGroup
	for i := range lessons {
		lessons[i] = general.NewLesson()
		running.Go(func() {
			for n := i; n < len(list); n += workers {
				lessons[i].Read(list[n])
			}
			for n := i; n < len(pairs); n += workers {
				lessons[i].ReadPair(pairs[n].name, pairs[n].text)
			}
		})
	}
	running.Wait()
	lesson := lessons[0]
	for _, other := range lessons[1:] {
		lesson.Add(other)
	}
	c.analyzer, c.short, err = lesson.Learned()
	return err
}

// lessonTexts returns the texts that words are learned from.
func (c *Corpus) lessonTexts() []string {
	var list []string
	left := map[bool]int{true: maxLessonNames, false: maxLessonTexts}
	for n, text := range c.texts.list {
		if name := c.texts.name[n]; left[name] > 0 {
			left[name]--
			list = append(list, text)
		}
	}
	return list
}

// explanation is a name with the text that explains it.
type explanation struct{ name, text string }

// explained returns the names that have another text beside them, each pair once. Marks of
// tables' names (countries, layers, copies) are left out: they are known for what they are, and
// beside the tables of a country stands what such tables hold.
func (c *Corpus) explained() []explanation {
	seen := make(map[explanation]bool)
	var list []explanation
	add := func(name, text string) {
		if one := (explanation{name, text}); text != "" && text != name && len(list) < maxLessonPairs && !seen[one] {
			seen[one] = true
			list = append(list, one)
		}
	}
	for _, t := range c.tables {
		add(c.index.Marks(t).Text, t.Description)
		for i := range t.Columns {
			add(t.Columns[i].Name, t.Columns[i].Comment)
		}
	}
	return list
}
