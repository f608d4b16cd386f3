package bind

// grave are the doubts under which a reading is not what was asked for, however
// well its names fit: it must not be answered with. All others are weighed by the
// ranking of readings.
var grave = []string{
	"aggregate_of_table", "aggregate_over_both", "calc_unread", "condition_empty", "contradiction", "counts_groups", "condition_unread", "misuse", "name_by_order", "order_no_sum", "picks_unclear",
	"share_denied", "share_elsewhere", "share_unread", "text_with_number", "total_of_text",
}

// Grave returns the first doubt for which a reading must not be answered with; empty
// where it may.
func (r *Reading) Grave() string { return r.grave }
