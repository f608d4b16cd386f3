package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/fault"
)

// stream reads and writes messages with their length in a header, as the protocol has
// them. Unlike the codec of the library it bounds what a header may ask for.
type stream struct {
	in   *bufio.Reader
	out  io.Writer
	most int // bytes of a message

	mu     sync.Mutex
	failed error // why nothing more is read; nil: the other side ended
}

// maxHeader bounds the lines before a message, in bytes.
const maxHeader = 4096

func newStream(in io.Reader, out io.Writer, most int) *stream {
	return &stream{in: bufio.NewReaderSize(in, maxHeader), out: out, most: most}
}

// ReadObject implements jsonrpc2.ObjectStream.
func (s *stream) ReadObject(v any) error {
	err := s.read(v)
	if err != nil && !errors.Is(err, io.EOF) {
		s.mu.Lock()
		s.failed = err
		s.mu.Unlock()
	}
	return err
}

func (s *stream) read(v any) error {
	length, header := -1, 0
	for {
		raw, err := s.in.ReadSlice('\n')
		header += len(raw)
		switch {
		case err != nil && errors.Is(err, bufio.ErrBufferFull), header > maxHeader:
			return fault.Invalid("message", "MESSAGE_UNREADABLE", "the header of a message is longer than %d bytes", maxHeader)
		case err != nil:
			return io.EOF // the editor is gone
		}
		line := strings.TrimRight(string(raw), "\r\n")
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 {
				return fault.Invalid("message", "MESSAGE_UNREADABLE", "the length of a message is no number")
			}
		}
	}
	switch {
	case length < 0:
		return fault.Invalid("message", "MESSAGE_UNREADABLE", "a message has no Content-Length: the command talks to editors, by the Language Server Protocol")
	case length > s.most:
		return fault.Invalid("message", "MESSAGE_TOO_LARGE", "a message of %d bytes is not read: the most is %d", length, s.most)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(s.in, body); err != nil {
		return io.EOF
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fault.Invalid("message", "MESSAGE_UNREADABLE", "a message is no JSON-RPC: %v", err)
	}
	return nil
}

// WriteObject implements jsonrpc2.ObjectStream.
func (s *stream) WriteObject(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	return nil
}

// Close implements jsonrpc2.ObjectStream. Whoever gave the two ends closes them.
func (s *stream) Close() error { return nil }

func (s *stream) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
