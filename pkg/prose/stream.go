package prose

import (
	"strings"
	"sync"
)

// Stream makes a text safe while it comes in pieces, of which any may end in the
// middle of a link or an escape. Whole lines go on at once, and words of a line as
// long as nothing in it can be the beginning of what Safe rewrites.
type Stream struct {
	// To is told of each safe piece. All pieces together are Safe of the whole text
	// up to where links stand over several lines: those only come apart.
	To func(piece string)

	mu      sync.Mutex
	pending string
}

// maxPending bounds what is held back, in bytes: a line without an end is broken
// there, so that nothing begins before the break and ends after it.
const maxPending = 8 << 10

// Write takes the next piece.
func (s *Stream) Write(piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending += piece
	at := strings.LastIndexByte(s.pending, '\n') + 1
	if space := strings.LastIndexByte(s.pending[at:], ' '); space >= 0 && !strings.ContainsAny(s.pending[at:], "[]<!\x1b\u0090\u0098\u009b\u009d\u009e\u009f") {
		at += space + 1
	}
	if at == 0 && len(s.pending) > maxPending {
		s.tell(s.pending + "\n")
		s.pending = ""
		return
	}
	s.tell(s.pending[:at])
	s.pending = s.pending[at:]
}

// Close tells the rest.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(s.pending)
	s.pending = ""
}

func (s *Stream) tell(piece string) {
	if piece = Safe(piece); piece != "" {
		s.To(piece)
	}
}
