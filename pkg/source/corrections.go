package source

import (
	"fmt"
	"os"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog/correct"
	"github.com/dibrain/dibrain/pkg/fault"
)

// CorrectionsPath is the file in which people correct the catalog of a source,
// whatever generation of it is current. Most sources have none.
func (s *Store) CorrectionsPath(name string) string { return correct.Path(s.dataDir, name) }

// Corrections reads what people correct of a source; nil: nothing. The fault has
// reason CORRECTIONS_INVALID, and names file and line to the operator.
func (s *Store) Corrections(name string) (*correct.Corrections, error) {
	c, err := correct.Read(s.CorrectionsPath(name))
	if err != nil {
		return nil, fault.New(codes.FailedPrecondition, "CORRECTIONS_INVALID",
			fmt.Sprintf("the corrections of source %q cannot be read; an administrator has to mend them: dibrain doctor names the line", name), "source", name).
			Because(err).ForOperator("%v", err)
	}
	return c, nil
}

// CorrectionsStamp tells a state of the corrections of a source from another; empty:
// there are none.
func (s *Store) CorrectionsStamp(name string) string {
	info, err := os.Stat(s.CorrectionsPath(name))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d-%d", info.ModTime().UnixNano(), info.Size())
}

// CorrectionsStamp is that of the generation's source.
func (g *Generation) CorrectionsStamp() string {
	if g.store == nil {
		return ""
	}
	return g.store.CorrectionsStamp(g.Name)
}
