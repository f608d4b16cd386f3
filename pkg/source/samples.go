package source

import "github.com/dibrain/dibrain/pkg/catalog"

// SamplesShared reports whether the sample values of the catalog may be known to
// whoever may ask the source, as far as the access policy lets him. A Trino server
// has rights, row filters and masks of its own, which nobody here knows:
//
//   - where all statements run as one user, values that this user read are what
//     everybody can ask for;
//   - where statements run as whoever asks, values that the service's own user read
//     may be more than the asker can read. Those of another user are shown, whom the
//     operator has named as one who sees only what everybody may see;
//   - values of which nobody noted who read them are shown to nobody.
func (m Manifest) SamplesShared() bool {
	if m.Engine != EngineTrino {
		return true
	}
	if m.Trino == nil || m.SamplesBy == "" {
		return false
	}
	own := m.SamplesBy == m.Trino.User
	return own != m.Trino.Impersonate
}

// withoutSamples takes the stored values out of a catalog.
func withoutSamples(s *catalog.Snapshot) {
	for i := range s.Tables {
		for j := range s.Tables[i].Columns {
			c := &s.Tables[i].Columns[j]
			c.Samples, c.Low, c.High = nil, "", ""
		}
	}
}
