//go:build race

package e2e

// underRace: the processes under test are built with the race detector as well.
const underRace = true
