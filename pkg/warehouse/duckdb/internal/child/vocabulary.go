package child

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/presto/udf"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
)

// vocabulary is what transpiled SQL calls beside DuckDB's own: functions and
// macros, in the engine's main database, where all its connections see them. DuckDB
// needs about a millisecond for one, and a statement calls few of them: each is made
// before the first statement that calls it.
type vocabulary struct {
	functions map[string]func() (duck.ScalarFunc, error)
	made      map[string]bool // by name
}

func newVocabulary() *vocabulary {
	v := &vocabulary{functions: sketches(), made: map[string]bool{}}
	for _, f := range presto.Functions() {
		v.functions[f.Name] = func() (duck.ScalarFunc, error) { return udf.New(f) }
	}
	return v
}

// ensure makes what a text calls and is not made yet. What is begun is ended, as
// later statements need it too.
func (v *vocabulary) ensure(ctx context.Context, db *sql.DB, text string) error {
	calls := transpile.Calls(text)
	if len(calls) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var macros, functions []string
	for _, name := range calls {
		_, isMacro := transpile.Macro(name)
		switch {
		case v.made[name]:
		case isMacro:
			macros = append(macros, name)
		case v.functions[name] != nil:
			functions = append(functions, name)
		}
	}
	if len(macros)+len(functions) == 0 {
		return nil
	}
	return v.create(context.WithoutCancel(ctx), db, functions, macros)
}

// create makes functions one by one, then macros, which may call them, in one go.
func (v *vocabulary) create(ctx context.Context, db *sql.DB, functions, macros []string) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to the embedded engine: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for _, name := range functions {
		f, err := v.functions[name]()
		if err == nil {
			err = duck.RegisterScalarUDF(conn, name, f)
		}
		if err != nil {
			return fmt.Errorf("make the embedded engine's function %s: %w", name, err)
		}
		v.made[name] = true
	}
	if len(macros) == 0 {
		return nil
	}
	var statements strings.Builder
	for _, name := range macros {
		statement, _ := transpile.Macro(name)
		statements.WriteString(statement + "\n")
	}
	if _, err := conn.ExecContext(ctx, statements.String()); err != nil {
		return fmt.Errorf("make the embedded engine's macros: %w", err)
	}
	for _, name := range macros {
		v.made[name] = true
	}
	return nil
}
