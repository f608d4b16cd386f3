package retrieval

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/mark"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// textsAtOnce is how many texts a worker analyses before it asks for more.
const textsAtOnce = 512

// texts are the distinct texts of a catalog with their terms. A warehouse repeats
// its column names and comments, so each is analysed once.
type texts struct {
	number map[string]uint32
	list   []string
	name   []bool   // of a text: it names something
	start  []uint32 // of a text's terms; one more than there are texts
	terms  []int32
	groups [][]int32 // of a text: the glossary's groups that it uses; nil: not looked for

	said      []textRef // table by table, while the corpus is built
	saidStart []uint32  // of a table's; one more than there are tables
}

// textRef is a text in a field of a table.
type textRef struct {
	field uint8
	text  uint32
}

// usualTexts is about how many texts a table has beside those of its columns.
const usualTexts = 5

// collect numbers the texts of all tables.
func collect(index *catalog.Index, tables []*catalog.Table, meanings Meanings, cfg Config) *texts {
	columns := 0
	for _, t := range tables {
		columns += len(t.Columns)
	}
	x := &texts{number: make(map[string]uint32, len(tables)), saidStart: append(make([]uint32, 0, len(tables)+1), 0)}
	x.said = make([]textRef, 0, 2*columns+usualTexts*len(tables))
	for _, t := range tables {
		note := func(field int, text string) { x.said = append(x.said, textRef{uint8(field), x.add(field, text)}) }
		eachText(t, index.Marks(t), cfg, note)
		eachWord(meanings[t], note)
		x.saidStart = append(x.saidStart, uint32(len(x.said)))
	}
	return x
}

// saidOf returns the texts of table n, in the order of eachText.
func (x *texts) saidOf(n int) []textRef { return x.said[x.saidStart[n]:x.saidStart[n+1]] }

func (x *texts) add(field int, text string) uint32 {
	n, known := x.number[text]
	if !known {
		n = uint32(len(x.list))
		x.number[text] = n
		x.list = append(x.list, text)
		x.name = append(x.name, false)
	}
	x.name[n] = x.name[n] || field == fieldName || field == fieldColumn
	return n
}

// eachText tells the texts of a table with the numbers of their fields.
func eachText(t *catalog.Table, marks *mark.Marks, cfg Config, tell func(field int, text string)) {
	say := func(field int, text string) {
		if text != "" {
			tell(field, text)
		}
	}
	say(fieldName, marks.Text)
	if marks.Text != t.Name.Table {
		say(fieldLayer, t.Name.Table)
	}
	say(fieldSchema, t.Name.Schema)
	say(fieldDescription, t.Description)
	say(fieldDescription, t.Grain)
	say(fieldDescription, t.Topic)
	for _, tag := range t.Tags {
		say(fieldDescription, tag)
	}
	say(fieldMart, t.Mart)
	say(fieldLayer, t.Layer)
	say(fieldOwner, t.Owner)
	for i := range t.Columns {
		c := &t.Columns[i]
		say(fieldColumn, c.Name)
		say(fieldComment, c.Comment)
		for _, v := range c.Samples[:min(len(c.Samples), cfg.MaxSampleValues)] {
			say(fieldValue, v)
		}
	}
}

// analyse finds the terms of all texts on all processors; the ids that terms get
// depend on the texts alone.
func (x *texts) analyse(ctx context.Context, analyse func(text string) ([]string, []int32), docs *lexical.Documents) error {
	terms := make([][]string, len(x.list))
	x.groups = make([][]int32, len(x.list))
	blocks := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+len(x.list)/textsAtOnce) {
		workers.Go(func() {
			for from := range blocks {
				for n := from; n < min(from+textsAtOnce, len(x.list)); n++ {
					terms[n], x.groups[n] = analyse(x.list[n])
				}
			}
		})
	}
	var err error
	for from := 0; from < len(x.list) && err == nil; from += textsAtOnce {
		select {
		case blocks <- from:
		case <-ctx.Done():
			err = fmt.Errorf("analyse texts: %w", ctx.Err())
		}
	}
	close(blocks)
	workers.Wait()
	x.start = append(make([]uint32, 0, len(x.list)+1), 0)
	for _, list := range terms {
		for _, term := range list {
			x.terms = append(x.terms, docs.Intern(term))
		}
		x.start = append(x.start, uint32(len(x.terms)))
	}
	return err
}

// of returns the terms of a text by its number.
func (x *texts) of(n uint32) []int32 { return x.terms[x.start[n]:x.start[n+1]] }
