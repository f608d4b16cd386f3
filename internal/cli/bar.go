package cli

import (
	"fmt"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// bar shows progress on a terminal: how much of how much is done, how much in a
// second, and how long the rest will take. It says nothing elsewhere. Its total may
// grow while it runs, and 0 means that it is not known.
type bar struct {
	progress *mpb.Progress
	bar      *mpb.Bar
	what     atomic.Pointer[string] // read by the goroutine that draws
}

func newBar(f *Factory) *bar {
	if !f.IO.IsTTY {
		return &bar{}
	}
	b := &bar{}
	b.what.Store(new(string))
	b.progress = mpb.New(mpb.WithOutput(f.IO.Err), mpb.WithWidth(40))
	b.bar = b.progress.AddBar(0,
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return fmt.Sprintf("%-32.32s", *b.what.Load()) })),
		mpb.AppendDecorators(decor.CountersNoUnit("%d/%d"), decor.AverageSpeed(0, " %.0f/s"), decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpace)),
		mpb.BarRemoveOnComplete())
	return b
}

// step tells how far the work is.
func (b *bar) step(done, total int, what string) {
	if b.bar == nil {
		return
	}
	b.what.Store(&what)
	b.bar.SetTotal(int64(total), false)
	b.bar.SetCurrent(int64(done))
}

// end takes the bar off the screen.
func (b *bar) end() {
	if b.bar == nil {
		return
	}
	b.bar.SetTotal(-1, true)
	b.progress.Wait()
}
