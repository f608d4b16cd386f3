package retrieval

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/retrieval/facet"
)

// Features are what speaks for a table, by the numbers of FeatureNames. Shares of
// the question weigh each concept by its rarity; scores are divided by the best
// of the question's candidates, so that both are 0 to 1 in corpora of any size.
type Features []float64

// Numbers of the features.
const (
	featureText = iota
	featureBM25
	featureLocal
	featureTable
	featureAlt
	featureCols
	featureKey
	featureDesc
	featureColDesc
	featureValue
	featureOther
	featureSchema
	featureCov
	featureCovName
	featureCovCol
	featureCovStrength
	featureWideCov
	featureWideCovName
	featureNameShare
	featureAltShare
	featureNameFull
	featureHeadIn
	featureNamePhrase
	featureFirstWord
	featureColFit
	featureColFitNonKey
	featureColBest
	featureColBigram
	featureKeyOnly
	featureOwnShare
	featureOwnName
	featureOwnResid
	featureSchCov
	featureSchStrength
	featureSchName
	featureSchCovRel
	featureSchBest
	featureSchTop3
	featureInSchema
	featureResid
	featureNbBest
	featureNbSecond
	featureNbCount
	featureNbResid
	featureNameLength
	featureColumns
	featureSchemaSize
	featureEvidence
	featureVector
	featureVectorSpread
	featureVectorSchema
	featureHistoryShape
	features // how many there are; those of facets follow

	allFeatures = features + facet.Features
)

// featureNames say what each feature is. A trained model names what it weighs by
// these: a name never gets another meaning.
var featureNames = [features]string{
	featureText:         "text",             // BM25F of the table's document, as it is: not to be weighed in a model
	featureBM25:         "bm25",             // the same over the best of the question
	featureLocal:        "bm25_local",       // strength by rarity within the schema, over the best
	featureTable:        "f_table",          // share of the question in the table's name,
	featureAlt:          "f_alt",            // in a description short enough to be a readable name,
	featureCols:         "f_cols",           // in names of columns but keys,
	featureKey:          "f_key",            // in names of keys,
	featureDesc:         "f_desc",           // in the description,
	featureColDesc:      "f_coldesc",        // in columns' comments,
	featureValue:        "f_value",          // in stored values,
	featureOther:        "f_other",          // in glossary terms, mart, layer, owner,
	featureSchema:       "f_db",             // in the schema's name
	featureCov:          "cov",              // share of the question in any field but the schema's name
	featureCovName:      "cov_name",         // in the name or the short description
	featureCovCol:       "cov_col",          // in columns' names
	featureCovStrength:  "cov_strength",     // each concept by its most telling field
	featureWideCov:      "wcov",             // cov of the concepts that count fully
	featureWideCovName:  "wcov_name",        // cov_name of them
	featureNameShare:    "name_share",       // share of the table's name that the question has
	featureAltShare:     "alt_share",        // share of the short description
	featureNameFull:     "name_full",        // the name's share of the question if all of the name is in it
	featureHeadIn:       "head_in",          // the last word of the name is in the question
	featureNamePhrase:   "name_phrase",      // adjacent concepts both in the name
	featureFirstWord:    "first_word",       // the first concept that counts fully is in the name
	featureColFit:       "colfit",           // each concept by the share of the best column's name that the question has
	featureColFitNonKey: "colfit_nonkey",    // without keys
	featureColBest:      "col_best",         // best of one column
	featureColBigram:    "colbigram",        // adjacent concepts in one column
	featureKeyOnly:      "keyonly",          // share found in keys or comments alone
	featureOwnShare:     "own_share",        // share of the concepts of which the table is the schema's best, divided among equals
	featureOwnName:      "own_name",         // the same by its name
	featureOwnResid:     "own_resid",        // the same by strength
	featureSchCov:       "sch_cov",          // share of the question that the schema's tables have together
	featureSchStrength:  "sch_cov_strength", // each concept by its most telling place there
	featureSchName:      "sch_name",         // in names of its tables
	featureSchCovRel:    "sch_cov_rel",      // sch_cov_strength over the best schema's
	featureSchBest:      "sch_best",         // best bm25 of the schema
	featureSchTop3:      "sch_top3",         // mean of its three best, over the best schema's
	featureInSchema:     "bm_in_schema",     // bm25 over the schema's best
	featureResid:        "resid",            // what it adds to the schema's best table
	featureNbBest:       "nb_best",          // the best table that is joined with it
	featureNbSecond:     "nb_second",        // the second of them
	featureNbCount:      "nb_count",         // how many good ones there are
	featureNbResid:      "nb_resid",         // what it adds to one of them
	featureNameLength:   "nlen",             // words of its name
	featureColumns:      "ncol",             // logarithm of the number of its columns
	featureSchemaSize:   "schsize",          // logarithm of the number of the schema's tables
	featureEvidence:     "evidence",         // worth of the evidence that Why tells, as it is
	featureVector:       "vector",           // cosine with the question's vector, over the nearest table's; 0 without an embedder
	featureVectorSpread: "vector_spread",    // the cosine from that of the farthest table found, 0, to the nearest's, 1
	featureVectorSchema: "vector_sch",       // the schema's best vector_spread

	featureHistoryShape: "history_shape", // how much better what queries of one shape read together fits the question than for the mean of the tables with a history; 0 without one
}

// FeatureNames returns the names of the features by their number.
func FeatureNames() []string { return slices.Concat(featureNames[:], facet.FeatureNames()) }

// Evidence returns the worth of what the table has of the question.
func (f Features) Evidence() float64 { return f[featureEvidence] }

// Found reports whether anything speaks for the table: words of its own, or a
// candidate with such that it is joined with.
func (f Features) Found() bool { return f[featureEvidence] > 0 || f[featureNbBest] > 0 }

// How telling each place of a word is: for the table itself, and for what it is
// the schema's best table for.
const (
	strengthName    = 1.0
	strengthDesc    = 0.9
	strengthOther   = 0.8
	strengthCols    = 0.7
	strengthValue   = 0.5
	strengthKey     = 0.35
	strengthColDesc = 0.3

	ownNameBase  = 0.6 // of a name of which the question has nothing else
	ownNameShare = 0.4 // more, by the share of the name that it has
	ownDesc      = 0.8
	ownOther     = 0.7
	ownColsBase  = 0.3
	ownColsFit   = 0.4
	ownValue     = 0.4
	ownKey       = 0.3
	ownColDesc   = 0.2
)
