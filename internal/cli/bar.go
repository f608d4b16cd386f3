package cli

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/text/language"
	printing "golang.org/x/text/message"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// bar shows progress on a terminal: how much of how much is done, how much in a
// second, and how long the rest will take. It says nothing elsewhere. Its total may
// grow while it runs, and 0 means that it is not known.
type bar struct {
	progress *mpb.Progress
	bar      *mpb.Bar
	what     atomic.Pointer[string] // read by the goroutine that draws
	reading  atomic.Pointer[ingest.Reading]
	now      func() time.Time
	began    time.Time
}

func newBar(f *Factory) *bar {
	if !f.IO.IsTTY {
		return &bar{}
	}
	b := &bar{now: f.Clock, began: f.Clock()}
	b.what.Store(new(string))
	options := []mpb.ContainerOption{mpb.WithOutput(f.IO.Err), mpb.WithWidth(40)}
	if f.IO.Sizeless {
		// Nothing at all is drawn on a terminal of no columns, so that it is taken for a plain stream of some.
		options = []mpb.ContainerOption{mpb.WithOutput(struct{ io.Writer }{f.IO.Err}), mpb.WithWidth(f.IO.Width()), mpb.WithAutoRefresh()}
	}
	b.progress = mpb.New(options...)
	b.bar = b.progress.AddBar(0,
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return fmt.Sprintf("%-32.32s", *b.what.Load()) })),
		mpb.AppendDecorators(decor.Any(b.count), decor.Any(b.left)),
		mpb.BarRemoveOnComplete())
	return b
}

// count tells what is done: bytes and rows of files, else parts of how many.
func (b *bar) count(s decor.Statistics) string {
	if r := b.reading.Load(); r != nil {
		text := fmt.Sprintf("%s of %s MB", grouped(r.BytesDone>>20), grouped(r.Bytes>>20))
		if r.Rows > 0 { // types are found out first
			text += " · " + grouped(r.Rows) + " rows"
		}
		return text
	}
	if s.Total == 0 {
		return "" // nothing is known yet
	}
	text := fmt.Sprintf("%d/%d", s.Current, s.Total)
	if took := b.now().Sub(b.began).Seconds(); took >= 1 {
		text += fmt.Sprintf(" %.0f/s", float64(s.Current)/took)
	}
	return text
}

func grouped(n int64) string { return printing.NewPrinter(language.English).Sprint(n) }

const (
	leftAfter     = time.Second // nothing is said of the rest before so long,
	leftOfParts   = 0.2         // nor before this share of parts of unequal size is done,
	leftOfReading = 0.05        // or this share of bytes, which take about the same time each
)

// left tells how long the rest takes, by what was done so far; nothing where too
// little is done to tell.
func (b *bar) left(s decor.Statistics) string {
	least := leftOfParts
	if b.reading.Load() != nil {
		least = leftOfReading
	}
	took := b.now().Sub(b.began)
	if s.Current >= s.Total || float64(s.Current) < least*float64(s.Total) || took < leftAfter {
		return ""
	}
	rest := time.Duration(float64(took) * float64(s.Total-s.Current) / float64(s.Current))
	return " · " + max(rest.Round(time.Second), time.Second).String() + " left"
}

// step tells how far the work is.
func (b *bar) step(done, total int, what string) {
	if b.bar == nil || b.reading.Load() != nil {
		return
	}
	b.at(int64(done), int64(total), what)
}

// read tells how far the reading of files is.
func (b *bar) read(r ingest.Reading) {
	if b.bar == nil {
		return
	}
	b.reading.Store(&r)
	b.at(r.Done, r.Total, r.What)
}

func (b *bar) at(done, total int64, what string) {
	b.what.Store(&what)
	b.bar.SetTotal(total, false)
	b.bar.SetCurrent(done)
}

// end takes the bar off the screen.
func (b *bar) end() {
	if b.bar == nil {
		return
	}
	b.bar.SetTotal(-1, true)
	b.progress.Wait()
}
