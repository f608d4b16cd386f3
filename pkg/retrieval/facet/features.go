package facet

import "github.com/dibrain/dibrain/pkg/catalog/mark"

// Numbers of the features. FeatureGap is below 0, and FeatureBest is 0, for a table of which a twin fits better.
const (
	featureFit = iota
	FeatureGap
	FeatureBest
	featureCountryEqual
	featureCountryOther
	featureLayerEqual
	featureLayerOther
	featureSnapshotEqual
	featureSnapshotOther
	featureCopyEqual
	featureCopyOther
	featurePeriodEqual
	featureUnasked
	// Features is how many there are.
	Features
)

// featureNames are the names that a trained model knows features by: a name never
// gets another meaning.
var featureNames = [Features]string{
	featureFit:           "facet.fit",            // sum of all facets' fits, see fit.yaml
	FeatureGap:           "facet.gap",            // what it lacks to the best of its kin, 0 or less
	FeatureBest:          "facet.best",           // 1: none of its kin fits better
	featureCountryEqual:  "facet.country.equal",  // 1: it has the country asked for
	featureCountryOther:  "facet.country.other",  // 1: it has another one, or one ruled out
	featureLayerEqual:    "facet.layer.equal",    // as for country, as are the following
	featureLayerOther:    "facet.layer.other",    //
	featureSnapshotEqual: "facet.snapshot.equal", //
	featureSnapshotOther: "facet.snapshot.other", //
	featureCopyEqual:     "facet.copy.equal",     //
	featureCopyOther:     "facet.copy.other",     // also a copy of which the question says nothing
	featurePeriodEqual:   "facet.period.equal",   // 1: the question names its year or day
	featureUnasked:       "facet.unasked",        // how many of its marks the question says nothing of
}

// FeatureNames returns the names of the features by their number. Nobody may
// change the list.
func FeatureNames() []string { return featureNames[:] }

// Features writes what speaks for table n into values, which has room for
// Features of them.
func (r *Reading) Features(n int, values []float64) {
	x := r.index
	clear(values[:Features])
	fit := r.Fit(n)
	values[featureFit] = fit
	values[FeatureGap] = min(0, fit-r.bestOf(x.kinOf[n]).fit)
	if r.IsBest(n) {
		values[FeatureBest] = 1
	}
	p := &x.profiles[x.profile[n]]
	for _, f := range [...]struct {
		facet        mark.Facet
		equal, other int
	}{
		{mark.Country, featureCountryEqual, featureCountryOther},
		{mark.Layer, featureLayerEqual, featureLayerOther},
		{mark.Snapshot, featureSnapshotEqual, featureSnapshotOther},
		{mark.Copy, featureCopyEqual, featureCopyOther},
	} {
		equal, other, asked := compare(p[f.facet], r.asked.wants[f.facet])
		switch {
		case equal:
			values[f.equal] = 1
		case other, !asked && f.facet == mark.Copy && p[f.facet] != "":
			values[f.other] = 1
		case !asked && p[f.facet] != "":
			values[featureUnasked]++
		}
	}
	if x.period[n] != "" && r.periodFit(x.period[n]) > 0 {
		values[featurePeriodEqual] = 1
	}
}

// compare tells whether a table's value is asked for, whether another one is or
// it is ruled out, and whether anything is asked for.
func compare(value string, wants []Want) (equal, other, asked bool) {
	for _, w := range wants {
		switch {
		case w.Not:
			other = other || w.Value == value
			continue
		case w.Value == value || w.Value == CopyOriginal && value == "":
			equal = true
		}
		asked = true
	}
	return equal, other || asked && !equal && value != "", asked
}
