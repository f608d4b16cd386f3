package sandbox

// Config of a Local.
type Config struct {
	// Program is this program, whose main function knows IsChild.
	Program string
	// Python is the interpreter; empty: python3 of the PATH, or where it usually lies.
	Python string
	Limits Limits
	// MaxRunning bounds the programs that run at a time; 0 is 2. Others wait.
	MaxRunning int
}

// RefusedError is why no sandbox can be had on this machine. Its cause is ErrRefused.
type RefusedError struct {
	Problem string
	Walls   []Wall
}

// Error implements error.
func (e *RefusedError) Error() string { return ErrRefused.Error() + ": " + e.Problem }

// Unwrap returns ErrRefused.
func (e *RefusedError) Unwrap() error { return ErrRefused }
