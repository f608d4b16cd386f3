package ingest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/charset"
)

// textFile is a file of text that need not be UTF-8, perhaps packed.
type textFile struct {
	path, packing string
	maxBytes      int64             // unpacked
	encoding      encoding.Encoding // nil: UTF-8
	name          string            // of the encoding, "" for UTF-8
	examples      []string          // words as it reads them, where it was guessed
}

// findText opens a text file for reading once, to learn its encoding: the one that
// was given, that of its byte order mark, UTF-8 where all of it is, the one that the
// text itself says it has, and last the most plausible one.
func (b *builder) findText(ctx context.Context, path, packing string, says func(head []byte) string) (*textFile, error) {
	t := &textFile{path: path, packing: packing, maxBytes: b.options.MaxFileBytes}
	if b.options.Encoding != "" {
		e, err := namedEncoding(b.options.Encoding)
		if err != nil {
			return nil, err
		}
		t.encoding, t.name = e, b.options.Encoding
		return t, nil
	}
	r, closer, err := t.open(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = closer.Close() }()
	text := bufio.NewReaderSize(r, sniffBytes)
	head, _ := text.Peek(sniffBytes) // short files are fine; the reading finds real errors
	if bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
		t.encoding, t.name = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), "utf-16"
		return t, nil
	}
	said := says(head)
	found, err := charset.Find(text)
	switch {
	case err != nil:
		return nil, err
	case found.Encoding == charset.UTF8 || said == charset.UTF8:
		return t, nil
	case said != "":
		found = charset.Finding{Encoding: said}
	case found.Encoding == "":
		return t, nil // nothing is plausible: what is no UTF-8 is told value by value
	}
	t.name, t.examples = found.Encoding, found.Examples
	t.encoding, err = htmlindex.Get(found.Encoding)
	return t, err
}

// namedEncoding is the encoding of a name that a person gave.
func namedEncoding(name string) (encoding.Encoding, error) {
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil, fault.Invalid("encoding", "ENCODING_UNKNOWN", "there is no encoding %q: for example utf-8, gb18030 or windows-1252", name)
	}
	return e, nil
}

// open returns the text as UTF-8. metered, where it is not nil, counts what is read of
// the file.
func (t *textFile) open(ctx context.Context, metered func(io.Reader) io.Reader) (io.Reader, io.Closer, error) {
	file, err := openInput(ctx, t.path)
	if err != nil {
		return nil, nil, &placed{message: "the file cannot be read: " + err.Error()}
	}
	var r io.Reader = file
	if metered != nil {
		r = metered(r)
	}
	r, unpacker, err := unpack(r, t.packing, t.maxBytes)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	if t.encoding != nil {
		r = t.encoding.NewDecoder().Reader(r)
	}
	return r, closers{unpacker, file}, nil
}

// rewritten is a file beside the new database with the text as UTF-8, unpacked, for
// whoever reads nothing else. The caller removes it.
func (b *builder) rewritten(ctx context.Context, t *textFile) (path string, err error) {
	text, closer, err := t.open(ctx, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	out, err := os.CreateTemp(b.dir, "text-*.tmp")
	if err != nil {
		return "", fmt.Errorf("write %s anew as UTF-8: %w", t.path, err)
	}
	_, err = io.Copy(out, &bounded{r: text, left: t.maxBytes, max: t.maxBytes})
	if err = errors.Join(err, out.Close()); err != nil {
		return "", errors.Join(err, os.Remove(out.Name()))
	}
	return out.Name(), nil
}

// tellEncoding says how a text that is not UTF-8 is read.
func (b *builder) tellEncoding(t *textFile) {
	message := "the file is not UTF-8 and is read as " + t.name
	switch {
	case t.name == "" || b.options.Encoding != "":
		return
	case len(t.examples) > 0:
		message += fmt.Sprintf(", which makes “%s” of it", strings.Join(t.examples, "”, “"))
	}
	b.problem(Problem{Kind: KindNote, File: t.path, Message: message + "; --encoding says otherwise"})
}

// nothingSaid is for texts that do not say their encoding.
func nothingSaid([]byte) string { return "" }

var dumpEncoding = regexp.MustCompile(`(?i)\b(?:set\s+names|client_encoding\s*(?:=|to))\s*'?([\w-]+)`)

// dumpSays is the encoding that a dump says it has, by the name that htmlindex has for
// it; "" where it says none, or one that is no encoding.
func dumpSays(head []byte) string {
	match := dumpEncoding.FindSubmatch(head)
	if match == nil {
		return ""
	}
	name := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(string(match[1])))
	switch name { // as servers call them
	case "utf8", "utf8mb3", "utf8mb4", "unicode":
		return charset.UTF8
	case "latin1":
		name = "windows-1252" // MySQL's own; that of PostgreSQL differs in control characters only
	case "latin2":
		name = "iso-8859-2"
	case "latin5":
		name = "windows-1254"
	case "latin7":
		name = "iso-8859-13"
	case "latin9":
		name = "iso-8859-15"
	case "greek":
		name = "iso-8859-7"
	case "hebrew":
		name = "iso-8859-8"
	case "euccn", "gb2312":
		name = "gbk"
	case "sjis", "cp932", "shiftjis2004":
		name = "shift_jis"
	case "eucjp", "ujis", "eucjpms":
		name = "euc-jp"
	case "euckr", "uhc":
		name = "euc-kr"
	case "koi8r", "koi8u":
		name = "koi8-" + name[4:]
	case "tis620":
		name = "windows-874"
	}
	for _, prefix := range []string{"win", "cp"} {
		if page, is := strings.CutPrefix(name, prefix); is && len(page) == len("1252") {
			name = "windows-" + page
		}
	}
	if e, err := htmlindex.Get(name); err == nil {
		if canonical, err := htmlindex.Name(e); err == nil {
			return canonical
		}
	}
	return ""
}
