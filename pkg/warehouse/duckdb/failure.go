package duckdb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
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
	text := firstLine(err.Error())
	if own := raised.FindStringSubmatch(text); own != nil {
		return &warehouse.Error{Name: own[1], Message: own[2], Cause: err}
	}
	for _, k := range knownFailures() {
		if !strings.Contains(text, k.words) {
			continue
		}
		e := &warehouse.Error{Name: k.name, Message: k.message, Cause: err}
		if value := quotedValue.FindStringSubmatch(text); k.name == warehouse.NameInvalidCast && value != nil {
			e.Message = "'" + lang.Shorten(value[1], 100) + "' cannot be cast: use try_cast to get NULL instead"
		}
		return e
	}
	return &warehouse.Error{Name: warehouse.NameInternal, Message: "the embedded engine failed at this statement: write it another way; the log tells more", Cause: err}
}

var (
	// raised is what the transpiler's macros raise: a Trino error name and a message.
	raised = regexp.MustCompile(`^(?:Invalid Input Error: )?(?:database/sql/driver: API error: )?PRESTO ([A-Z_]+): (.*)$`)
	// quotedValue is the value that the engine could not cast.
	quotedValue = regexp.MustCompile(`Could not convert string '([^']*)'`)
)

// knownFailure gives Trino's name, and words of ours, to an error of DuckDB.
type knownFailure struct{ words, name, message string }

// knownFailures are tried in order. The engine's own words stay in the cause,
// for the log: they name its types and settings, not those of Presto.
func knownFailures() []knownFailure {
	return []knownFailure{
		{"Insufficient padding", warehouse.NameInvalidArgument, "the padding text must not be empty"},
		{"out of range for the destination type", warehouse.NameOutOfRange, "a number is out of range of the type that it is cast to: cast it to a larger one, such as bigint"},
		{"Conversion Error", warehouse.NameInvalidCast, "a value cannot be cast to the type that is asked for: use try_cast to get NULL instead"},
		{"Could not convert", warehouse.NameInvalidCast, "a value cannot be cast to the type that is asked for: use try_cast to get NULL instead"},
		{"Out of Range Error", warehouse.NameOutOfRange, "a number is out of range: cast the operands to a larger type, such as decimal(38,0) or double"},
		{"Overflow", warehouse.NameOutOfRange, "a number is out of range: cast the operands to a larger type, such as decimal(38,0) or double"},
		{"Out of Memory", warehouse.NameMemoryLimit, "the statement needs more memory than it may use: narrow it, or raise the engine's memory limit"},
		{"More than one row returned by a subquery", warehouse.NameSubquery, "a subquery that stands for one value returned more rows"},
		{"Invalid Input Error", warehouse.NameInvalidArgument, "a function got an argument that it does not take"},
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
