package ingest

import "context"

func (b *builder) parquet(context.Context, string) error    { return nil }
func (b *builder) duckdbFile(context.Context, string) error { return nil }
func (b *builder) sqlDump(context.Context, string) error    { return nil }
