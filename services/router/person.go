package router

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
)

// personPause is after how long it is worth asking again where somebody's data are being
// exported or deleted.
const personPause = 5 * time.Second

// People exports and deletes what is kept of a person, in all stores that the process reaches.
type People interface {
	// Export gives the export in pieces.
	Export(ctx context.Context, principal string, send func([]byte) error) error
	Delete(ctx context.Context, principal string) ([]PersonRows, error)
}

// PersonRows counts what was of a person in a table.
type PersonRows struct {
	Store, Table string
	Rows, Names  int64
}

// whose is the person whose data somebody asks for: their own, or an administrator anybody's.
func whose(ctx context.Context, asked string) (string, error) {
	p := principal(ctx)
	if asked == "" {
		asked = p.ID
	}
	if asked != p.ID && !p.Admin {
		return "", fault.New(codes.PermissionDenied, "ADMIN_ONLY", "Only an administrator may do this with the data of somebody else: leave the principal out for your own.")
	}
	rpc.AuditObject(ctx, asked)
	return asked, nil
}

// alone lets one call at a time read through all stores.
func (s *Service) alone() (done func(), err error) {
	if s.deps.People == nil {
		return nil, fault.New(codes.Unimplemented, "PERSON_NOT_SERVED", "This process does not reach what is kept of people: use `dibrain person` where the data are.")
	}
	if !s.person.TryLock() {
		e := fault.New(codes.ResourceExhausted, "PERSON_BUSY", "The data of somebody are being exported or deleted: try again in a moment.")
		e.RetryAfter = personPause
		return nil, e
	}
	return s.person.Unlock, nil
}

// ExportPerson implements the contract.
func (s *Service) ExportPerson(r *routerv1.ExportPersonRequest, stream grpc.ServerStreamingServer[routerv1.ExportPersonResponse]) error {
	person, err := whose(stream.Context(), r.GetPrincipal())
	if err != nil {
		return err
	}
	done, err := s.alone()
	if err != nil {
		return err
	}
	defer done()
	return s.deps.People.Export(stream.Context(), person, func(data []byte) error {
		return stream.Send(&routerv1.ExportPersonResponse{Data: data})
	})
}

// DeletePerson implements the contract.
func (s *Service) DeletePerson(ctx context.Context, r *routerv1.DeletePersonRequest) (*routerv1.DeletePersonResponse, error) {
	person, err := whose(ctx, r.GetPrincipal())
	if err != nil {
		return nil, err
	}
	done, err := s.alone()
	if err != nil {
		return nil, err
	}
	defer done()
	deleted, err := s.deps.People.Delete(ctx, person)
	if err != nil {
		return nil, err
	}
	out := &routerv1.DeletePersonResponse{}
	for _, d := range deleted {
		if d.Rows+d.Names > 0 {
			out.Tables = append(out.Tables, &routerv1.PersonRows{Store: d.Store, Table: d.Table, Rows: d.Rows, Names: d.Names})
		}
	}
	return out, nil
}
