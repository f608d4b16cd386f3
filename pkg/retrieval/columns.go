package retrieval

// maxReadableName is how many words a text may have to be taken for a name.
const maxReadableName = 6

// columnText is a column of a table by its texts.
type columnText struct {
	name uint32
	alt  uint32 // of a comment that may be a readable name; noText for none
	key  bool
}

// noText is the number of no text.
const noText = ^uint32(0)

// columns looks for the columns that the question speaks of.
func (r *reading) columns(t *tableRead) {
	asked := false
	for slot := range t.in {
		asked = asked || t.in[slot].fields&(1<<fieldColumn|1<<fieldComment) != 0
	}
	if !asked {
		return
	}
	for _, column := range t.doc.columns {
		r.column(t, column)
	}
}

func (r *reading) column(t *tableRead, column columnText) {
	place := uint16(1 << placeCols)
	if column.key {
		place = 1 << placeKey
	}
	clear(r.hit)
	share := r.fit(r.c.texts.of(column.name), r.hit, func(slot int) { t.in[slot].places |= place })
	if column.alt != noText {
		clear(r.hitAlt)
		share = max(share, r.fit(r.c.texts.of(column.alt), r.hitAlt, nil))
		for i, v := range r.hitAlt {
			r.hit[i] = max(r.hit[i], v)
		}
	}
	if share == 0 {
		return
	}
	var sum, bigram float64
	for i, hit := range r.hit {
		if hit == 0 {
			continue
		}
		t.colFit[i] = max(t.colFit[i], hit*share)
		if !column.key {
			t.colNonKey[i] = max(t.colNonKey[i], hit*share)
		}
		sum += r.share[i] * hit
		if i > 0 && r.hit[i-1] > 0 {
			bigram += (r.share[i] + r.share[i-1]) * min(hit, r.hit[i-1])
		}
	}
	t.features[featureColBest] = max(t.features[featureColBest], sum*share)
	t.features[featureColBigram] = max(t.features[featureColBigram], bigram)
}

// fit notes in hit the concepts that some words speak of and returns the share of
// the words, by rarity, that the question has.
func (r *reading) fit(words []int32, hit []float64, tell func(slot int)) float64 {
	var all, asked float64
	for _, id := range words {
		rarity := r.c.scorer.Rarity(id)
		all += rarity
		slot := int(r.slotOf[id]) - 1
		if slot < 0 {
			continue
		}
		var best float64
		for _, s := range r.says[slot] {
			hit[s.concept] = max(hit[s.concept], s.weight)
			best = max(best, s.weight)
		}
		asked += rarity * best
		if tell != nil {
			tell(slot)
		}
	}
	if asked == 0 {
		return 0
	}
	return min(1, asked/all)
}
