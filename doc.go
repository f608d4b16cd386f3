// Package dibrain is the root of DI-Brain, a data agent for Trino warehouses.
// It holds no code: start at cmd/dibrain, proto/ and docs/architecture.md.
package dibrain

//go:generate go tool -modfile=tools/go.mod buf generate
//go:generate go generate ./pkg/sql/tree
