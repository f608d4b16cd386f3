// Package shorttest says in one place what a short run of the tests leaves out. CI runs all
// tests whole, and those of packages with goroutines a second time under the race detector,
// where every step costs about ten times as much. The second run looks for accesses that
// are not ordered, and for nothing else: it takes -short, and leaves out what can only
// fail because a rule is wrong, on paths that other tests of the package take too.
package shorttest

import "testing"

// Rules skips a test in a short run. why says, after "a short run leaves out", what the test
// holds, and by that why a whole run is enough: "the words of 60 questions, one after another".
// It is for tests that ask one thing after another of code that others of the package run.
func Rules(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a short run leaves out " + why)
	}
}

// Some returns all cases, and in a short run the first few of them: for properties over many
// draws of one path, of which a few come by every access to memory that there is.
func Some[T any](cases []T, few int) []T {
	if testing.Short() && len(cases) > few {
		return cases[:few]
	}
	return cases
}
