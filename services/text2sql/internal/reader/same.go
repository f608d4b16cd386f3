package reader

import (
	"encoding/json"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// same reports whether two intents ask for the same.
func same(a, b *intent.Intent) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
