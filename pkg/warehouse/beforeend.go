package warehouse

import (
	"errors"
	"io"
)

// BeforeEnd is for the error of a Next that did not come to the end of its result. It
// is the error itself unless io.EOF is among its causes, as it is where a connection or
// a process ended: whoever reads the result would take that for its end, and the rows
// so far for all of them. What is returned then is no io.EOF; all else of it stays.
func BeforeEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return &beforeEnd{err}
	}
	return err
}

// beforeEnd has no Unwrap, so that nobody finds the io.EOF in it.
type beforeEnd struct{ cause error }

func (e *beforeEnd) Error() string        { return e.cause.Error() }
func (e *beforeEnd) Is(target error) bool { return target != io.EOF && errors.Is(e.cause, target) }
func (e *beforeEnd) As(target any) bool   { return errors.As(e.cause, target) }
