// Package examples keeps verified queries: questions with the SQL that answers
// them, approved by a curator. A question that is the same, or that differs only in
// constants which the SQL shows, is answered by the approved SQL before anything
// reads it (Find). What is found is a proposal all the same: whoever uses it has to
// see that the asker may read its tables, and to put it through the guard.
//
// Store keeps them, in a SQLite file or in PostgreSQL. The examples of a hand-written semantic
// layer are the same thing with the origin Layer; they are kept in the layer's files.
package examples

import (
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Status says whether an example answers questions.
type Status string

// Statuses.
const (
	Approved Status = "approved"
	Proposed Status = "proposed" // answers nothing until a curator approved it
)

// Origin says who wrote an example.
type Origin string

// Origins.
const (
	Person Origin = "person"
	Layer  Origin = "layer" // of the semantic layer; approved by being in it
)

// PrefixID begins the ids of examples in the store; PrefixLayer those of a layer.
const (
	PrefixID    = "ex_"
	PrefixLayer = "layer:"
)

// Bounds of an example, as in the contract.
const (
	MaxQuestionBytes = 4096
	MaxSQLBytes      = 64 << 10
)

// Example is a question with the SQL that answers it.
type Example struct {
	ID       string
	Source   string
	Mart     string
	Question string
	SQL      string   // Presto SQL
	Tables   []string // that it reads, idc_region.schema.table; empty for one of a layer
	Status   Status
	Origin   Origin

	AddedBy    string // principal; empty for one of a layer
	AddedAt    time.Time
	ApprovedBy string // principal; empty: nobody, or the layer
	ApprovedAt time.Time
	RunID      string // run whose feedback proposed it; empty: none
}

// Reasons of faults.
const (
	ReasonUnknown     = "EXAMPLE_UNKNOWN"
	ReasonExists      = "EXAMPLE_EXISTS"
	ReasonFull        = "EXAMPLES_FULL"
	ReasonSQLInvalid  = "EXAMPLE_SQL_INVALID"
	ReasonFrozen      = "EXAMPLE_DATES_FROZEN"
	ReasonCurators    = "EXAMPLES_CURATOR_ONLY"
	ReasonOfLayer     = "EXAMPLE_OF_LAYER"
	ReasonUnavailable = "EXAMPLES_UNAVAILABLE"
)

// Unknown says that there is no such example for the asker.
func Unknown(id string) *fault.Error {
	return fault.NotFound(ReasonUnknown, "There is no verified query %q. `dibrain examples list --source NAME` shows those that you may see.", id)
}

func exists() *fault.Error {
	return fault.New(codes.AlreadyExists, ReasonExists,
		"This question has an approved SQL already. Remove that one first, or word the question so that the two differ.")
}
