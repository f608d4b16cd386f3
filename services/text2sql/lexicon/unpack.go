package lexicon

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// eachLine unpacks a list of the lexicon, as far as a bound, and takes each of its lines. Errors tell which
// list it is.
func eachLine(list string, file []byte, maxBytes int64, take func(line string) error) error {
	unpacked, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return fmt.Errorf("lexicon %s: %w", list, err)
	}
	lines := bufio.NewScanner(io.LimitReader(unpacked, maxBytes))
	for lines.Scan() {
		if err := take(lines.Text()); err != nil {
			return fmt.Errorf("lexicon %s: %w", list, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("lexicon %s: %w", list, err)
	}
	return nil
}
