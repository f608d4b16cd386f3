package scope

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// replied says what a person did with the options.
type replied int

const (
	repliedOther   replied = iota // said something else
	repliedOptions                // took one or several
	repliedNone                   // turned all of them down
)

// replyWords are the words by which options are taken.
type replyWords struct {
	Lead     string     `yaml:"lead"`
	Trail    string     `yaml:"trail"`
	Ordinals [][]string `yaml:"ordinals"`
	Last     []string   `yaml:"last"`
	All      []string   `yaml:"all"`
	None     []string   `yaml:"none"`
}

type replies struct {
	lead, trail *regexp.Regexp
	ordinal     map[string]int
	words       replyWords
}

func (w replyWords) compile() (replies, error) {
	r := replies{ordinal: make(map[string]int), words: w}
	var err error
	if r.lead, err = regexp.Compile(w.Lead); err == nil {
		r.trail, err = regexp.Compile(w.Trail)
	}
	if err != nil {
		return r, fmt.Errorf("scope pattern for replies: %w", err)
	}
	for i, words := range w.Ordinals {
		for _, word := range words {
			r.ordinal[strings.ToLower(word)] = i
		}
	}
	return r, nil
}

// maxCuts bounds the polite words cut off either end of a reply.
const maxCuts = 4

// core is what is left of a reply without what is said around the choice.
func (r replies) core(reply string) string {
	s := strings.ToLower(strings.Trim(strings.TrimSpace(reply), " \t.,!?:;()[]#\"'。，！？：；（）「」“”"))
	for range maxCuts {
		for _, re := range []*regexp.Regexp{r.lead, r.trail} {
			if cut := strings.TrimSpace(re.ReplaceAllString(s, "")); cut != "" && r.ordinalOf(s) < 0 {
				s = cut
			}
		}
	}
	return s
}

// ordinalOf returns the place that a word names, from 0, or -1.
func (r replies) ordinalOf(s string) int {
	if i, ok := r.ordinal[s]; ok {
		return i
	}
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return n - 1
	}
	return -1
}

// Taken returns the option that a reply takes by its id, its label or its place.
func (c *Clarifier) Taken(reply string, options []Option) (Option, bool) {
	whole := strings.TrimSpace(reply)
	for _, o := range options {
		if strings.EqualFold(o.ID, whole) || strings.EqualFold(strings.TrimPrefix(o.ID, OptionPrefix), whole) || strings.EqualFold(o.Label, whole) {
			return o, true
		}
	}
	core := c.replies.core(whole)
	if at := c.replies.ordinalOf(core); at >= 0 && at < len(options) {
		return options[at], true
	}
	if slices.Contains(c.replies.words.Last, core) && len(options) > 0 {
		return options[len(options)-1], true
	}
	return Option{}, false
}

// read finds the marts that a reply takes: an option by its id, its place or its
// words, or a mart that was not offered by its name.
func (c *Clarifier) read(r Request, options []Option, marts map[string]catalog.Mart) ([]string, replied) {
	martOf := func(o Option) string { return strings.TrimPrefix(o.ID, OptionPrefix) }
	if o, taken := c.Taken(r.Reply, options); taken {
		return []string{martOf(o)}, repliedOptions
	}
	core := c.replies.core(r.Reply)
	switch {
	case slices.Contains(c.replies.words.None, core):
		return nil, repliedNone
	case slices.Contains(c.replies.words.All, core) && len(options) > 0:
		var all []string
		for _, o := range options {
			all = append(all, martOf(o))
		}
		return all, repliedOptions
	}
	if taken := c.byWords(r, options, martOf, marts); len(taken) > 0 {
		return taken, repliedOptions
	}
	return c.byMarts(r, marts)
}

// leastShared is the share of a reply's words that an option has to have.
const leastShared = 0.3

// byWords returns the option that shares most with a reply: words of its label
// and description and the words by which its mart calls itself. Where two share
// as much, none is taken.
func (c *Clarifier) byWords(r Request, options []Option, martOf func(Option) string, marts map[string]catalog.Mart) []string {
	shared := make([]float64, len(options))
	named := make(map[string]bool)
	for _, m := range r.Volume.Marts.Matches(r.Reply) {
		named[m.Group.ID] = true
	}
	analyzer := r.Volume.Corpus.Analyzer()
	terms := analyzer.Terms(r.Reply)
	said := make(map[string]int) // options that have the term
	has := make([]map[string]bool, len(options))
	for i, o := range options {
		has[i] = make(map[string]bool)
		for _, term := range analyzer.Terms(o.Label + " " + o.Description) {
			if !has[i][term] {
				has[i][term] = true
				said[term]++
			}
		}
	}
	for _, m := range c.hints.Matches(r.Reply) {
		if mart := c.hintedMart(r, m.Group, marts); mart != "" && means(m.Surface, m.Group.Entries) {
			named[mart] = true
		}
	}
	for i, o := range options {
		if named[martOf(o)] {
			shared[i]++
		}
		for _, term := range terms {
			if has[i][term] {
				shared[i] += 1 / float64(said[term])
			}
		}
	}
	best, ties := 0, 0
	for i := range options {
		switch {
		case shared[i] > shared[best]:
			best, ties = i, 0
		case i != best && shared[i] == shared[best]:
			ties++
		}
	}
	if len(options) == 0 || ties > 0 || !named[martOf(options[best])] && shared[best] <= leastShared*float64(len(terms)) {
		return nil
	}
	return []string{martOf(options[best])}
}

// byMarts takes a mart that was not offered, where the reply names exactly one.
func (c *Clarifier) byMarts(r Request, marts map[string]catalog.Mart) ([]string, replied) {
	var named []string
	for _, m := range r.Volume.Marts.Matches(r.Reply) {
		if _, visible := marts[m.Group.ID]; visible && !slices.Contains(named, m.Group.ID) {
			named = append(named, m.Group.ID)
		}
	}
	if len(named) != 1 {
		return nil, repliedOther
	}
	return named, repliedOptions
}
