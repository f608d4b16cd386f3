package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/warehouse"
)

// failure turns an error of the driver into one that says what happened in
// Presto's words.
func failure(ctx context.Context, err error, timeout time.Duration) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &warehouse.Error{Name: warehouse.NameTimeLimit, Message: fmt.Sprintf("the statement did not end within %s: narrow it, or ask for more time", timeout), Cause: err}
	case ctx.Err() != nil:
		return &warehouse.Error{Name: warehouse.NameCanceled, Message: "the statement was cancelled", Cause: err}
	}
	text := err.Error()
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	e := &warehouse.Error{Name: warehouse.NameInternal, Message: "the embedded engine failed: " + firstLine(text), Cause: err}
	switch {
	case has("DIVISION_BY_ZERO"):
		e.Name, e.Message = warehouse.NameDivisionByZero, "division by zero: guard the divisor with nullif(x, 0)"
	case has("Conversion Error", "Could not convert"):
		e.Name, e.Message = warehouse.NameInvalidCast, "a value cannot be cast: "+firstLine(text)
	case has("Out of Range Error", "Overflow"):
		e.Name, e.Message = warehouse.NameOutOfRange, "a number is out of range: "+firstLine(text)
	case has("Out of Memory"):
		e.Name, e.Message = warehouse.NameMemoryLimit, "the statement needs more memory than it may use: narrow it, or raise the engine's memory limit"
	case has("More than one row returned by a subquery"):
		e.Name, e.Message = warehouse.NameSubquery, "a subquery that stands for one value returned more rows"
	case has("Invalid Input Error"):
		e.Name, e.Message = warehouse.NameInvalidArgument, "a function got an argument that it does not take: "+firstLine(text)
	}
	return e
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
