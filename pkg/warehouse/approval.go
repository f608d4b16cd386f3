package warehouse

import (
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
)

// CheckApproval is what every engine asks first: whether the guard approved the
// statement, and for this principal.
func CheckApproval(principal run.Principal, approved guard.Approved) error {
	if approved.IsZero() {
		return fault.New(codes.PermissionDenied, "STATEMENT_NOT_APPROVED", "the statement did not pass the guard and is not run")
	}
	if approved.PrincipalID() != principal.ID {
		return fault.New(codes.PermissionDenied, "STATEMENT_NOT_APPROVED", "the statement was approved for somebody else and is not run: check it again for this user")
	}
	return nil
}

// TextSize is roughly how many bytes a value takes as text: what MaxBytes counts.
func TextSize(v any) int64 {
	switch v := v.(type) {
	case nil:
		return 4
	case string:
		return int64(len(v))
	case []byte:
		return int64(2 * len(v))
	case []any:
		var n int64 = 2
		for _, item := range v {
			n += TextSize(item) + 1
		}
		return n
	case map[string]any:
		var n int64 = 2
		for k, item := range v {
			n += int64(len(k)) + TextSize(item) + 2
		}
		return n
	}
	return 8
}
