package retrieval

// Features are what speaks for a table, by the numbers of FeatureNames. Scores
// are not normalised: compare them among the candidates of one question. Shares
// are 0 to 1.
type Features []float64

// Numbers of the features.
const (
	featureText = iota
	featureTextName
	featureTextSchema
	featureTextDescription
	featureTextColumn
	featureTextComment
	featureTextValue
	featureEvidence
	featureCovered
	featureCoveredName
	featureCoveredColumn
	featureNameShare
	featureNameWhole
	featureNamePhrase
	featureColumnBest
	featureColumnsWhole
	featureSchemaBest
	featureSchemaMean
	featureSchemaCovered
	featureSchemaName
	featureNeighbourBest
	featureNeighbourGain
	featureOwnKey
	featureNameLength
	featureColumns
	features // how many there are
)

// featureNames say what each feature is. A trained model names what it weighs by
// these: a name never gets another meaning.
var featureNames = [features]string{
	featureText:            "text",             // BM25F of the table's document
	featureTextName:        "text.name",        // BM25 of one field alone, as are the following
	featureTextSchema:      "text.schema",      //
	featureTextDescription: "text.description", //
	featureTextColumn:      "text.column",      //
	featureTextComment:     "text.comment",     //
	featureTextValue:       "text.value",       //
	featureEvidence:        "evidence",         // worth of the question's concepts where they are found, by telling field
	featureCovered:         "covered",          // share of the question, by rarity, found in any field
	featureCoveredName:     "covered.name",     // share of the question found in the table's name
	featureCoveredColumn:   "covered.column",   // share of the question found in columns' names
	featureNameShare:       "name.share",       // share of the table's name, by rarity, that the question has
	featureNameWhole:       "name.whole",       // 1: the question has every word of the table's name
	featureNamePhrase:      "name.phrase",      // 1: and has them one after another
	featureColumnBest:      "column.best",      // the question's share in one column's name, times the share of that name
	featureColumnsWhole:    "columns.whole",    // share of the question in columns of which it has every word
	featureSchemaBest:      "schema.best",      // best text of a table of the schema
	featureSchemaMean:      "schema.mean",      // mean text of its three best tables
	featureSchemaCovered:   "schema.covered",   // share of the question that its tables cover together
	featureSchemaName:      "schema.name",      // share of the question found in the schema's name
	featureNeighbourBest:   "neighbour.best",   // best text of a table that is joined with this one
	featureNeighbourGain:   "neighbour.gain",   // share of the question that such a table covers and this one does not
	featureOwnKey:          "key.own",          // share of the question in columns named like the table: its own key, not a reference
	featureNameLength:      "name.length",      // words of the table's name
	featureColumns:         "columns",          // logarithm of 1 + the number of columns
}

// FeatureNames returns the names of the features by their number. Nobody may
// change the list.
func FeatureNames() []string { return featureNames[:] }

// Evidence returns the worth of what the table has of the question.
func (f Features) Evidence() float64 { return f[featureEvidence] }
