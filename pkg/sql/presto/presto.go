// Package presto computes Presto's scalar functions as a Trino server does, for
// engines whose own functions give other values: texts of doubles, formats of
// dates, regular expressions in Java's syntax, JSON, URLs, hashes, exact decimals.
//
// Functions lists them in a form that an engine can register. All of them are
// pure; a mistake in the arguments is an *Error with Trino's name, and nothing that
// an argument can hold makes one panic. Values that they make are bounded by
// MaxText.
package presto

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxText is the longest text, in bytes, that a function makes of shorter ones.
const MaxText = 1 << 20

// Error is a failure with Trino's name. Its text begins with "PRESTO " and the
// name, which is how engines tell such a failure from one of their own.
type Error struct{ Name, Message string }

// Error implements error.
func (e *Error) Error() string { return "PRESTO " + e.Name + ": " + e.Message }

// Trino's names of failures of functions.
const (
	InvalidArgument = "INVALID_FUNCTION_ARGUMENT"
	InvalidCast     = "INVALID_CAST_ARGUMENT"
	OutOfRange      = "NUMERIC_VALUE_OUT_OF_RANGE"
	DivisionByZero  = "DIVISION_BY_ZERO"
	InternalError   = "GENERIC_INTERNAL_ERROR"
)

func invalid(format string, args ...any) error {
	return &Error{InvalidArgument, fmt.Sprintf(format, args...)}
}

func uncastable(value, typ string) error {
	return &Error{InvalidCast, fmt.Sprintf("cannot cast '%s' to %s", Short(value), typ)}
}

// Short cuts a value for a message.
func Short(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "..."
	}
	return s
}

// Kind is the type of an argument or a result.
type Kind int

// Kinds, with the Go values that stand for them.
const (
	Text          Kind = iota // string
	Bytes                     // []byte
	Bigint                    // int64
	Double                    // float64
	Real                      // float32
	Boolean                   // bool
	Timestamp                 // time.Time in UTC, microseconds
	Texts                     // []string, without nulls
	NullableTexts             // []any of strings and nils, of results only
	TextMap                   // [][2]string: entries of a map from texts to texts, of results only
)

// Function is a scalar function.
type Function struct {
	Name     string
	Args     []Kind
	Variadic bool // the last argument may repeat
	Result   Kind
	// Nulls: called with null arguments too, which are nil; otherwise a null
	// argument gives null.
	Nulls bool
	// Call computes a value; nil is null.
	Call func(args []any) (any, error)
}

// safely turns a panic into an error: an engine would end the process.
func (f Function) safely() Function {
	call := f.Call
	f.Call = func(args []any) (result any, err error) {
		defer func() {
			if r := recover(); r != nil {
				result, err = nil, &Error{InternalError, fmt.Sprintf("the function %s failed", f.Name)}
			}
		}()
		result, err = call(args)
		if s, ok := result.(string); ok && len(s) > MaxText && len(s) > longest(args) {
			return nil, invalid("%s would give a text of more than %d bytes", f.Name, MaxText)
		}
		return result, err
	}
	return f
}

func longest(args []any) int {
	n := 0
	for _, a := range args {
		switch a := a.(type) {
		case string:
			n = max(n, len(a))
		case []byte:
			n = max(n, 2*len(a)+16)
		}
	}
	return n
}

// Functions returns all functions.
func Functions() []Function {
	all := slices.Concat([]Function{unary("presto_fail", fail)}, numberFunctions(), distributionFunctions(), decimalFunctions(), castFunctions(), textFunctions(), byteFunctions(),
		hashFunctions(), mixHashes(), urlFunctions(), formatFunctions(), timeFunctions(), zoneFunctions(), dateFormatFunctions(),
		regexpFunctions(), jsonFunctions())
	for i, f := range all {
		all[i] = f.safely()
	}
	return all
}

// fail fails with the text of an Error, "PRESTO NAME: message". It is for parts of
// a statement that must not be reached.
func fail(text string) (int64, error) {
	name, message, _ := strings.Cut(strings.TrimPrefix(text, "PRESTO "), ": ")
	return 0, &Error{Name: name, Message: message}
}

// value is what stands for a Kind in Go.
type value interface {
	string | []byte | int64 | float64 | float32 | bool | time.Time | []string | [][2]string
}

func kindOf[T value]() Kind {
	var zero T
	switch any(zero).(type) {
	case string:
		return Text
	case []byte:
		return Bytes
	case int64:
		return Bigint
	case float64:
		return Double
	case float32:
		return Real
	case bool:
		return Boolean
	case time.Time:
		return Timestamp
	case []string:
		return Texts
	}
	return TextMap
}

func unary[A, R value](name string, call func(A) (R, error)) Function {
	return Function{Name: name, Args: []Kind{kindOf[A]()}, Result: kindOf[R](), Call: func(args []any) (any, error) {
		return boxed(call(args[0].(A)))
	}}
}

func binary[A, B, R value](name string, call func(A, B) (R, error)) Function {
	return Function{Name: name, Args: []Kind{kindOf[A](), kindOf[B]()}, Result: kindOf[R](), Call: func(args []any) (any, error) {
		return boxed(call(args[0].(A), args[1].(B)))
	}}
}

func ternary[A, B, C, R value](name string, call func(A, B, C) (R, error)) Function {
	return Function{Name: name, Args: []Kind{kindOf[A](), kindOf[B](), kindOf[C]()}, Result: kindOf[R](), Call: func(args []any) (any, error) {
		return boxed(call(args[0].(A), args[1].(B), args[2].(C)))
	}}
}

// errNull is what a function returns for null.
var errNull = &Error{Name: "NULL"}

func boxed[R value](result R, err error) (any, error) {
	if errors.Is(err, errNull) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// must wraps a function that does not fail.
func must[A, R value](call func(A) R) func(A) (R, error) {
	return func(a A) (R, error) { return call(a), nil }
}

func must2[A, B, R value](call func(A, B) R) func(A, B) (R, error) {
	return func(a A, b B) (R, error) { return call(a, b), nil }
}
