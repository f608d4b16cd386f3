package semantic

import "slices"

// ByMart cuts a layer into one for each mart; what belongs to none, as countries and
// the calendar, is under "". Joins go where the items of their first table are.
func (l *Layer) ByMart() map[string]*Layer {
	out := map[string]*Layer{}
	of := func(mart string) *Layer {
		if out[mart] == nil {
			out[mart] = &Layer{}
		}
		return out[mart]
	}
	martOf := map[string]string{} // of tables
	for _, x := range l.Entities {
		of(x.Mart).Entities = append(of(x.Mart).Entities, x)
		martOf[x.Table] = x.Mart
	}
	for _, x := range l.Dimensions {
		of(x.Mart).Dimensions = append(of(x.Mart).Dimensions, x)
		martOf[x.Table] = x.Mart
	}
	for _, x := range l.Metrics {
		of(x.Mart).Metrics = append(of(x.Mart).Metrics, x)
		martOf[x.Table] = x.Mart
	}
	for _, x := range l.Filters {
		of(x.Mart).Filters = append(of(x.Mart).Filters, x)
	}
	for _, x := range l.Exclusions {
		of(x.Mart).Exclusions = append(of(x.Mart).Exclusions, x)
	}
	for _, x := range l.Joins {
		of(martOf[x.From]).Joins = append(of(martOf[x.From]).Joins, x)
	}
	for _, x := range l.Dates {
		of(martOf[x.Table]).Dates = append(of(martOf[x.Table]).Dates, x)
	}
	for _, x := range l.Rules {
		of(x.Mart).Rules = append(of(x.Mart).Rules, x)
	}
	for _, x := range l.Glossary {
		of(x.Mart).Glossary = append(of(x.Mart).Glossary, x)
	}
	for _, x := range l.Examples {
		of(x.Mart).Examples = append(of(x.Mart).Examples, x)
	}
	if len(l.Countries) > 0 || l.Time != (Calendar{}) {
		of("").Countries, of("").Time = slices.Clone(l.Countries), l.Time
	}
	return out
}
