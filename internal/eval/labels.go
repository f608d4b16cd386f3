package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Labels are what is known of statements: whether they give the rows of a gold
// query, by labelKey. They are kept in a file, since running is what takes time.
type Labels map[string]string

const (
	right  = "right"
	wrong  = "wrong"
	noGold = "no gold"
)

func (l Labels) set(key, label string) {
	if l != nil {
		l[key] = label
	}
}

// labelKey names a statement over a database with its gold query.
func labelKey(db, gold, sql string) string {
	sum := sha256.Sum256([]byte(db + "\x00" + gold + "\x00" + sql))
	return hex.EncodeToString(sum[:12])
}

// ReadLabels reads a file of labels; none where it is not there yet.
func ReadLabels(file string) (Labels, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return Labels{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	l := Labels{}
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrData, file, err)
	}
	return l, nil
}

// Write writes the labels to a file.
func (l Labels) Write(file string) error {
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	return nil
}
