package findata

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/services/findata/rank"
	"github.com/dibrain/dibrain/services/findata/scope"
)

// Ids of table groups: a mart as "datamart_NAME" or "DataMart.NAME", a topic of
// chats as "topic_NAME".
const (
	martGroup  = "DataMart."
	topicGroup = "topic_"
)

// groups are the marts and topics that a request is confined to.
type groups struct{ marts, topics []string }

// readGroups reads them. A group without a visible table is told as unknown,
// whether it is hidden or there is none.
func (w *search) readGroups() {
	w.groups = groups{}
	for _, id := range w.query.Groups {
		mart, isMart := strings.CutPrefix(id, scope.GroupPrefix)
		if !isMart {
			mart, isMart = strings.CutPrefix(id, martGroup)
		}
		topic, isTopic := strings.CutPrefix(id, topicGroup)
		known := func(of func(*catalog.Table) string, name string) bool {
			return slices.ContainsFunc(w.desk.tables, func(t *catalog.Table) bool { return strings.EqualFold(of(t), name) })
		}
		switch {
		case isMart && known(func(t *catalog.Table) string { return t.Mart }, mart):
			w.groups.marts = append(w.groups.marts, strings.ToLower(mart))
		case isTopic && known(func(t *catalog.Table) string { return t.Topic }, topic):
			w.groups.topics = append(w.groups.topics, strings.ToLower(topic))
		default:
			w.warn("GROUP_UNKNOWN", "unknown_group", "name", id)
		}
	}
}

// holds reports whether a table is of the groups; without any, each is.
func (g groups) holds(t *catalog.Table) bool {
	return g.none() || slices.Contains(g.marts, strings.ToLower(t.Mart)) || t.Topic != "" && slices.Contains(g.topics, strings.ToLower(t.Topic))
}

func (g groups) none() bool { return len(g.marts)+len(g.topics) == 0 }

// key names the groups, for a cache.
func (g groups) key() string {
	return strings.Join(g.marts, "\x00") + "\x01" + strings.Join(g.topics, "\x00")
}

// ofGroups are the tables of the groups, most used first, for a question of which
// none of them knows a word.
func (w *search) ofGroups() []rank.Ranked {
	var of []rank.Ranked
	for _, t := range w.desk.tables {
		if w.groups.holds(t) && w.folder.Keep(t) {
			of = append(of, rank.Ranked{Table: t})
		}
	}
	byUse(of)
	return of
}

// within keeps the candidates of the groups.
func (g groups) within(candidates []retrieval.Candidate) []retrieval.Candidate {
	if g.none() {
		return candidates
	}
	return slices.DeleteFunc(slices.Clone(candidates), func(c retrieval.Candidate) bool { return !g.holds(c.Table) })
}
