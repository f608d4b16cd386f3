package cli

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/dibrain/dibrain/internal/term"
)

// bar shows progress on a terminal: how much of how much is done, how much in a
// second, and how long the rest will take. It says nothing elsewhere. Its total may
// grow while it runs, and 0 means that it is not known.
type bar struct {
	progress *mpb.Progress
	bar      *mpb.Bar
	what     atomic.Pointer[string] // read by the goroutine that draws
	now      func() time.Time
	began    time.Time
}

func newBar(f *Factory) *bar {
	if !f.IO.IsTTY {
		return &bar{}
	}
	b := &bar{now: f.Clock, began: f.Clock()}
	b.what.Store(new(string))
	b.progress = mpb.New(mpb.WithOutput(f.IO.Err), mpb.WithWidth(40))
	b.bar = b.progress.AddBar(0,
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return fmt.Sprintf("%-32.32s", *b.what.Load()) })),
		mpb.AppendDecorators(decor.CountersNoUnit("%d/%d"), decor.AverageSpeed(0, " %.0f/s"), decor.Any(b.left)),
		mpb.BarRemoveOnComplete())
	return b
}

// left tells how long the rest takes, by what was done so far; nothing before a fifth
// of it is done, as the first part says little of the rest.
func (b *bar) left(s decor.Statistics) string {
	if s.Current*5 < s.Total || s.Current == 0 {
		return ""
	}
	return " " + term.Duration(time.Duration(float64(b.now().Sub(b.began))*float64(s.Total-s.Current)/float64(s.Current)))
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
