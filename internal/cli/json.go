package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/dibrain/dibrain/pkg/prose"
)

// writeOwnJSON prints what is no message of the contract.
func writeOwnJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err := w.Write(escapeUnseen(text.Bytes()))
	return err
}

// writeJSON prints a message of the contract.
func writeJSON(w io.Writer, message proto.Message) error {
	return writeMessage(w, protojson.MarshalOptions{Multiline: true}, message)
}

// writeJSONLine prints a message of the contract on one line.
func writeJSONLine(w io.Writer, message proto.Message) error {
	return writeMessage(w, protojson.MarshalOptions{}, message)
}

func writeMessage(w io.Writer, options protojson.MarshalOptions, message proto.Message) error {
	text, err := options.Marshal(message)
	if err != nil {
		return fmt.Errorf("write the answer as JSON: %w", err)
	}
	_, err = w.Write(append(escapeUnseen(text), '\n'))
	return err
}

// escapeUnseen writes characters that a terminal obeys instead of showing, such as
// C1 controls and overrides of direction, as JSON escapes: programs read the same
// text, and a person who looks at it sees that they are there. In JSON they stand
// inside of strings only.
func escapeUnseen(text []byte) []byte {
	unseen := func(r rune) bool { return r >= 0x7f && prose.IsUnseen(r) }
	if bytes.IndexFunc(text, unseen) < 0 {
		return text
	}
	var out bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !unseen(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}
