package sandbox

import (
	"fmt"
	"os"
	"testing"
)

// parentArgument has the test binary run a program without end, for a test that kills it;
// poorArgument has it open a sandbox without the system call that is the second argument.
const (
	parentArgument = "parent-of-a-sandbox"
	poorArgument   = "open-a-sandbox-without"
)

// TestMain lets the test binary be the program of the sandbox's children, as the
// product's is.
func TestMain(m *testing.M) {
	var err error
	switch {
	case IsChild(os.Args):
		os.Exit(ChildMain())
	case len(os.Args) == 2 && os.Args[1] == parentArgument:
		err = runForEver()
	case len(os.Args) == 3 && os.Args[1] == poorArgument:
		err = openPoor(os.Args[2])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
