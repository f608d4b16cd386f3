package store

import (
	"encoding/base64"
	"encoding/json"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Cursor is the place in a list after which a page goes on. List names the list
// with its filter, so a token of one list is refused by another.
type Cursor struct {
	List string `json:"l"`
	At   int64  `json:"a"`           // sort key of the last entry of the page before
	ID   string `json:"i,omitempty"` // its id, which breaks ties
}

// Token returns the cursor as an opaque text.
func (c Cursor) Token() string {
	raw, err := json.Marshal(c)
	if err != nil { // a struct of strings and numbers always marshals
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ParseCursor reads a token of the named list. An empty token is the zero
// Cursor and false: the first page.
func ParseCursor(list, token string) (Cursor, bool, error) {
	if token == "" {
		return Cursor{}, false, nil
	}
	var c Cursor
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil || c.List != list {
		return Cursor{}, false, fault.Invalid("page_token", ReasonPageToken,
			"The page token is not one of this list. Send the next_page_token of the answer before, with the same filter, or leave it empty for the first page.")
	}
	return c, true, nil
}
