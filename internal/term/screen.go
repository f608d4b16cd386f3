package term

import (
	"io"
	"regexp"
	"strings"

	"github.com/dibrain/dibrain/pkg/prose"
)

// Screen writes to a terminal what may be seen there: of control sequences only those
// of Style pass, and what prose.Visible takes away goes. It is the net behind Clean.
type Screen struct{ To io.Writer }

// painted is what Style writes.
var painted = regexp.MustCompile("\x1b\\[[0-9;]{0,5}m")

// Write implements io.Writer. Each write holds whole characters and sequences.
func (s Screen) Write(p []byte) (int, error) {
	text := string(p)
	var out strings.Builder
	at := 0
	for _, span := range painted.FindAllStringIndex(text, -1) {
		out.WriteString(prose.Visible(text[at:span[0]]))
		out.WriteString(text[span[0]:span[1]])
		at = span[1]
	}
	out.WriteString(prose.Visible(text[at:]))
	if _, err := io.WriteString(s.To, out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
