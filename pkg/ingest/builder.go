package ingest

import (
	"context"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
	"google.golang.org/grpc/codes"
)

type builder struct{}

func (*builder) csvFolder(context.Context, string) error  { return notYet() }
func (*builder) parquet(context.Context, string) error    { return notYet() }
func (*builder) duckdbFile(context.Context, string) error { return notYet() }
func (*builder) sqlDump(context.Context, string) error    { return notYet() }

func notYet() error { return fault.New(codes.Unimplemented, "NOT_YET", "ingest is not built in yet") }

func run(ctx context.Context, _ *source.Store, _, _ string, o Options, fill func(context.Context, *builder) error) (Report, error) {
	_ = o.complete()
	return Report{}, fill(ctx, &builder{})
}
