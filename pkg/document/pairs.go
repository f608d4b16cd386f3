package document

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/dibrain/dibrain/pkg/lang"
)

// pair is a line of a file of questions and answers.
type pair struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Answers  []string `json:"answers"`
	Product  string   `json:"product"`
	URL      string   `json:"url"`
	Updated  string   `json:"updated"`
	Date     string   `json:"date"`
}

// pairs reads questions with their answers, a JSON object a line.
func (b *builder) pairs(raw []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, len(raw)+1)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var p pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return fmt.Errorf("%w: line %d is no JSON object with question and answer: %w", ErrBroken, n, err)
		}
		if p.Answer != "" {
			p.Answers = append([]string{p.Answer}, p.Answers...)
		}
		question := lang.OneLine(p.Question)
		if question == "" || len(p.Answers) == 0 {
			return fmt.Errorf("%w: line %d lacks question or answer", ErrBroken, n)
		}
		changed := dateOf(p.Updated)
		if changed.IsZero() {
			changed = dateOf(p.Date)
		}
		b.begin(Section{Path: []string{question}, Question: question, Anchor: p.ID, URL: p.URL, Product: p.Product, Changed: changed})
		for _, answer := range p.Answers {
			if err := b.block(answer); err != nil {
				return err
			}
		}
	}
	b.doc.Title = titleOf(b.doc.Name)
	return lines.Err()
}
