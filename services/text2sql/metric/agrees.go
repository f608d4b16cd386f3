package metric

import "slices"

// agrees reports whether a number only counts what is listed or all that there
// is: "iOS、安卓、网页三端", "the eight countries". It then says nothing, but that all
// of a dimension are shown one by one.
func (r *reader) agrees(u *unit) bool {
	n := int(u.number)
	at := r.pos + 1
	for at < len(r.units) && (r.units[at].idle() || r.units[at].is("counter")) && !r.units[at].is("classifier") {
		at++
	}
	var next *unit
	if at < len(r.units) {
		next = &r.units[at]
	}
	if next != nil {
		for _, id := range next.ids(kindDimension) {
			switch {
			case r.listedOf(id) == n:
				next.asFiller()
				return true
			case r.listedOf(id) == 0 && r.sizeOf(id) == n:
				r.expect(true, false)
				return true
			}
		}
	}
	prev := r.around(-1)
	if prev == nil {
		return false
	}
	for _, id := range dimensionsOf(prev) {
		if r.listedOf(id) == n {
			if next != nil && next.is("classifier") {
				next.asFiller()
			}
			return true
		}
	}
	return false
}

// dimensionsOf are the dimensions that hold a unit as a value.
func dimensionsOf(u *unit) []string {
	if u.has(kindCountry) {
		return []string{countryDimension}
	}
	return u.ids(kindValue)
}

// listedOf counts the values of a dimension that the question names.
func (r *reader) listedOf(dimension string) int {
	var values []string
	for i := range r.units {
		for _, m := range r.units[i].meanings {
			of, value := m.id, m.value
			if m.kind == kindCountry {
				of, value = countryDimension, m.id
			} else if m.kind != kindValue || r.units[i].has(kindCountry) {
				continue
			}
			if of == dimension && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
	}
	return len(values)
}

// sizeOf is how many values the layer lists of a dimension; 0 where it lists none.
func (r *reader) sizeOf(dimension string) int {
	if dimension == countryDimension && len(r.names.layer.Countries) > 0 {
		return len(r.names.layer.Countries)
	}
	for _, d := range r.names.layer.Dimensions {
		if Base(d.ID) == dimension && len(d.Values) > 0 {
			return len(d.Values)
		}
	}
	return 0
}
