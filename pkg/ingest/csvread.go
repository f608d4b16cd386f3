package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// cell is one value as it was read.
type cell struct {
	text   string
	quoted bool
	null   bool
}

// placed is an error at a place of a file.
type placed struct {
	line, column int
	message      string
}

func (e *placed) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.line, e.column, e.message)
}

// csvReader cuts a stream into records: RFC 4180 with any delimiter and any line
// end; quotes within an unquoted value are part of it. Unlike encoding/csv it
// tells quoted values from others and goes on after a faulty record.
type csvReader struct {
	r         *bufio.Reader
	delimiter byte
	maxField  int
	charset   string // from which the text was decoded, "" for UTF-8

	line, column int // of the next character
	start        int // line of the record
	cells        []cell
	buf          []byte
	fault        *placed // the first one of the record
}

func newCSVReader(r io.Reader, delimiter byte, maxField int) *csvReader {
	return &csvReader{r: bufio.NewReaderSize(r, 256<<10), delimiter: delimiter, maxField: maxField, line: 1, column: 1}
}

// at is the line of the latest record.
func (r *csvReader) at() int { return r.start }

// read returns the next record; its cells are good until the next read. A
// *placed error with cells means that this record is faulty; one without cells
// that nothing after it can be read. Empty lines are passed over.
func (r *csvReader) read() ([]cell, error) {
	for {
		r.cells, r.fault, r.start = r.cells[:0], nil, r.line
		end, err := r.record()
		if err != nil {
			return nil, err
		}
		empty := len(r.cells) == 1 && r.cells[0].text == "" && !r.cells[0].quoted
		if empty && end {
			return nil, io.EOF
		}
		if empty {
			continue
		}
		if r.fault != nil {
			return r.cells, r.fault
		}
		return r.cells, nil
	}
}

// plainLine reads a record that is one line without a quote, as nearly all are, and is in the buffer as a whole: it
// is cut where the delimiters are. false: nothing was read, and record has to look at each character.
func (r *csvReader) plainLine() bool {
	buffered, _ := r.r.Peek(r.r.Buffered()) // what is there is there
	at := bytes.IndexByte(buffered, '\n')
	if at < 0 {
		return false
	}
	line := buffered[:at]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if len(line) > r.maxField || bytes.IndexByte(line, '"') >= 0 || bytes.IndexByte(line, '\r') >= 0 || !utf8.Valid(line) ||
		r.charset != "" && bytes.Contains(line, []byte("\uFFFD")) {
		return false
	}
	text := string(line)
	for {
		end := strings.IndexByte(text, r.delimiter)
		if end < 0 {
			break
		}
		r.cells = append(r.cells, cell{text: text[:end]})
		text = text[end+1:]
	}
	r.cells = append(r.cells, cell{text: text})
	_, _ = r.r.Discard(at + 1) // it was just peeked
	r.line, r.column = r.line+1, 1
	return true
}

// record reads up to a line end or, then end is true, to the end of the file.
func (r *csvReader) record() (end bool, err error) {
	if r.plainLine() {
		return false, nil
	}
	for {
		line, column := r.line, r.column
		more, end, quoted, err := r.field()
		if err != nil {
			return false, err
		}
		if !utf8.Valid(r.buf) {
			r.fail(line, column, "this value is not UTF-8: save the file as UTF-8, or name its encoding (for example gb18030 or windows-1252)")
		}
		if r.charset != "" && bytes.Contains(r.buf, []byte("\uFFFD")) {
			r.fail(line, column, fmt.Sprintf("this value is not %s: name the encoding of the file with --encoding", r.charset))
		}
		if inner, cut := formulaText(r.buf); cut {
			r.buf, quoted = inner, true
		}
		r.cells = append(r.cells, cell{text: string(r.buf), quoted: quoted})
		if !more {
			return end, nil
		}
	}
}

func (r *csvReader) fail(line, column int, message string) {
	if r.fault == nil {
		r.fault = &placed{line, column, message}
	}
}

// next reads a byte; CR LF and a single CR come as LF.
func (r *csvReader) next() (b byte, end bool, err error) {
	b, err = r.r.ReadByte()
	if errors.Is(err, io.EOF) {
		return 0, true, nil
	}
	if err != nil {
		return 0, false, err
	}
	if b == '\r' {
		if following, err := r.r.Peek(1); err == nil && following[0] == '\n' {
			_, _ = r.r.Discard(1) // it was just peeked
		}
		b = '\n'
	}
	switch {
	case b == '\n':
		r.line, r.column = r.line+1, 1
	case utf8.RuneStart(b):
		r.column++
	}
	return b, false, nil
}

// field reads one value into buf; more says that another follows in the record.
func (r *csvReader) field() (more, end, quoted bool, err error) {
	r.buf = r.buf[:0]
	line, column := r.line, r.column
	inside := false
	for {
		b, eof, err := r.next()
		switch {
		case err != nil:
			return false, false, quoted, err
		case len(r.buf) > r.maxField:
			return false, false, quoted, &placed{line, column, fmt.Sprintf("the value that begins here is longer than %d bytes: a closing quote is missing, or raise MaxFieldBytes", r.maxField)}
		case eof && inside:
			return false, true, quoted, &placed{line, column, "the quoted value that begins here never ends: a closing quote is missing"}
		case eof:
			return false, true, quoted, nil
		case inside && b == '"':
			following, err := r.r.Peek(1)
			if err == nil && following[0] == '"' {
				_, _, _ = r.next() // it was just peeked
				r.buf = append(r.buf, '"')
				continue
			}
			inside = false
		case inside:
			r.buf = append(r.buf, b)
		case b == r.delimiter:
			return true, false, quoted, nil
		case b == '\n':
			return false, false, quoted, nil
		case b == '"' && len(r.buf) == 0 && !quoted:
			inside, quoted = true, true
		default:
			if quoted {
				if b == ' ' {
					continue
				}
				r.fail(r.line, r.column-1, "text stands between a closing quote and the delimiter: double the quotes within a value")
			}
			r.buf = append(r.buf, b)
		}
	}
}

// formulaText takes the text out of a formula that is nothing else: ="00123", as programs
// write so that spreadsheets keep zeros in front.
func formulaText(field []byte) (inner []byte, cut bool) {
	if len(field) < 3 || field[0] != '=' || field[1] != '"' || field[len(field)-1] != '"' {
		return field, false
	}
	inner = field[2 : len(field)-1]
	return inner, !bytes.ContainsRune(inner, '"')
}
