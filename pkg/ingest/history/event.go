package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// event is what is read of a query-completed event of Trino's event listener; the
// rest, and events of other kinds, are passed over.
type event struct {
	Metadata struct {
		QueryID    string `json:"queryId"`
		Query      string `json:"query"`
		QueryState string `json:"queryState"`
		Tables     []struct {
			Catalog string `json:"catalog"`
			Schema  string `json:"schema"`
			Table   string `json:"table"`
			Columns []struct {
				Column string `json:"column"`
			} `json:"columns"`
			// Directly is false for tables that a view or a row filter reads.
			Directly *bool `json:"directlyReferenced"`
		} `json:"tables"`
	} `json:"metadata"`
	Context struct {
		User       string   `json:"user"`
		Catalog    string   `json:"catalog"`
		Schema     string   `json:"schema"`
		Source     string   `json:"source"`
		ClientTags []string `json:"clientTags"`
		ClientInfo string   `json:"clientInfo"`
	} `json:"context"`
	IO struct {
		Inputs []struct {
			Catalog string `json:"catalogName"`
			Schema  string `json:"schema"`
			Table   string `json:"table"`
			Columns []struct {
				Name string `json:"name"`
			} `json:"columns"`
		} `json:"inputs"`
	} `json:"ioMetadata"`
	CreateTime moment `json:"createTime"`
	EndTime    moment `json:"endTime"`
}

// completed tells the event of a query that has ended from others.
func (e *event) completed() bool { return e.Metadata.QueryID != "" && !e.EndTime.IsZero() }

// ours reports whether the query was the product's own, made to read samples and
// keys: it tells nothing of what people need.
func (e *event) ours() bool {
	return e.Context.Source == "dibrain" && slices.Contains(e.Context.ClientTags, "ingest")
}

// at is when the query was made.
func (e *event) at() time.Time {
	if e.CreateTime.IsZero() {
		return e.EndTime.UTC()
	}
	return e.CreateTime.UTC()
}

// moment is a time as the listener may write it: as text, or in seconds.
type moment struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(raw []byte) error {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		t, err := time.Parse(time.RFC3339Nano, strings.Replace(s, " ", "T", 1))
		if err != nil {
			return fmt.Errorf("%q is no time", s)
		}
		m.Time = t
		return nil
	}
	var seconds float64
	if err := json.Unmarshal(raw, &seconds); err != nil {
		return err
	}
	if seconds <= 0 || seconds > 1e13 {
		return fmt.Errorf("%s is no time", raw)
	}
	if seconds > 1e11 { // milliseconds
		seconds /= 1000
	}
	whole, rest := math.Modf(seconds)
	m.Time = time.Unix(int64(whole), int64(rest*1e9))
	return nil
}
