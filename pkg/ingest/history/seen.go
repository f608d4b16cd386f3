package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

// seen are the queries that were counted, by day, as hashes of their ids. In the
// file: 8 bytes "dihist" version 0 | 8 bytes XXH64 of the rest | latest moment |
// days, each its number, its number of queries, and 8 bytes a query.
type seen struct {
	days   map[int64]map[uint64]struct{} // by days since 1970
	latest time.Time
	total  int
}

const seenHeader = "dihist\x01\x00"

const secondsOfDay = 24 * 60 * 60

// freshness is what seen says of a query.
type freshness int

const (
	fresh freshness = iota
	known
	tooOld
)

// add notes a query. The error is HISTORY_TOO_LARGE.
func (s *seen) add(at time.Time, id string, o Options) (freshness, error) {
	day := at.Unix() / secondsOfDay
	if !s.latest.IsZero() && at.Before(s.latest.AddDate(0, 0, -o.KeepDays)) {
		return tooOld, nil
	}
	of := s.days[day]
	if of == nil {
		of = make(map[uint64]struct{})
		s.days[day] = of
	}
	hash := xxhash.Sum64String(id)
	if _, there := of[hash]; there {
		return known, nil
	}
	if s.total >= o.MaxQueries {
		return fresh, fault.Invalid("path", "HISTORY_TOO_LARGE",
			"the query history has more than %d queries in %d days (MaxQueries): keep fewer days with --keep-days", o.MaxQueries, o.KeepDays)
	}
	of[hash] = struct{}{}
	s.total++
	s.latest = later(s.latest, at)
	return fresh, nil
}

// until is the moment of the latest query.
func (s *seen) until() time.Time { return s.latest }

// drop forgets the queries before a day.
func (s *seen) drop(since string) {
	t, err := time.Parse(time.DateOnly, since)
	if err != nil {
		return // since is always a day
	}
	for day, of := range s.days {
		if day < t.Unix()/secondsOfDay {
			s.total -= len(of)
			delete(s.days, day)
		}
	}
}

func (s *seen) write(dir string) error {
	body := binary.AppendVarint(nil, s.latest.UnixNano())
	days := make([]int64, 0, len(s.days))
	for day := range s.days {
		days = append(days, day)
	}
	slices.Sort(days)
	for _, day := range days {
		hashes := make([]uint64, 0, len(s.days[day]))
		for h := range s.days[day] {
			hashes = append(hashes, h)
		}
		slices.Sort(hashes)
		body = binary.AppendVarint(body, day)
		body = binary.AppendUvarint(body, uint64(len(hashes)))
		for _, h := range hashes {
			body = binary.LittleEndian.AppendUint64(body, h)
		}
	}
	whole := binary.LittleEndian.AppendUint64([]byte(seenHeader), xxhash.Sum64(body))
	path := filepath.Join(dir, source.HistoryFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // it is the old generation's too
		return err
	}
	return os.WriteFile(path, append(whole, body...), 0o600)
}

func newSeen() *seen { return &seen{days: make(map[int64]map[uint64]struct{})} }

// readSeen reads what an earlier reading noted; none is no error.
func readSeen(dir string) (*seen, error) {
	s := newSeen()
	raw, err := os.ReadFile(filepath.Join(dir, source.HistoryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	n := len(seenHeader)
	if len(raw) < n+8 || string(raw[:n]) != seenHeader || xxhash.Sum64(raw[n+8:]) != binary.LittleEndian.Uint64(raw[n:]) {
		return nil, fault.Invalid("source", "HISTORY_DAMAGED",
			"what was counted of the query history is damaged: read the whole history again with --anew")
	}
	return s, s.decode(raw[n+8:])
}

func (s *seen) decode(rest []byte) error {
	damaged := fmt.Errorf("read %s: a number does not fit", source.HistoryFile)
	latest, n := binary.Varint(rest)
	if n <= 0 {
		return damaged
	}
	s.latest, rest = time.Unix(0, latest).UTC(), rest[n:]
	for len(rest) > 0 {
		day, n := binary.Varint(rest)
		if n <= 0 {
			return damaged
		}
		rest = rest[n:]
		count, n := binary.Uvarint(rest)
		if n <= 0 || count > uint64(len(rest)-n)/8 {
			return damaged
		}
		rest = rest[n:]
		of := make(map[uint64]struct{}, count)
		for range count {
			of[binary.LittleEndian.Uint64(rest)] = struct{}{}
			rest = rest[8:]
		}
		s.days[day] = of
		s.total += len(of)
	}
	return nil
}
