package findata

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/services/findata/knowledge"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/rank"
	"github.com/dibrain/dibrain/services/findata/scope"
)

// Ids of table groups: a mart as "datamart_NAME" or "DataMart.NAME", a topic of
// chats as "topic_NAME" or "Topic.NAME".
var (
	martGroups  = []string{scope.GroupPrefix, "datamart."}
	topicGroups = []string{topicGroup, "topic."}
)

const topicGroup = "topic_"

// calledMart is what people put behind the name of a mart.
var calledMart = regexp.MustCompile(`(?i)(\s+(data\s*)?mart|\s*(数据)?集市)$`)

// groups are the marts and topics that a request is confined to, and the schemas and topics
// that its question names.
type groups struct{ marts, topics, schemas, spoken []string }

// readGroups reads them, from the groups of the request and from its list of
// knowledge bases, which may name marts, topics and tables too. A group without a
// visible table is told as unknown, whether it is hidden or there is none.
func (w *search) readGroups() {
	w.groups = groups{}
	for _, id := range w.query.Groups {
		if !w.addGroup(id) {
			w.warn("GROUP_UNKNOWN", "unknown_group", "name", id)
		}
	}
	var bases []string
	tables := false
	for _, id := range w.query.Bases {
		switch {
		case w.isBase(id):
			bases = append(bases, id)
		case strings.HasPrefix(id, preprocess.KnowledgePrefix):
			tables = true
			if !slices.Contains(w.query.Selected, id) {
				w.query.Selected = append(slices.Clone(w.query.Selected), id)
			}
		case w.addGroup(id):
			tables = true
		case isGroup(id):
			tables = true
			w.warn("GROUP_UNKNOWN", "unknown_group", "name", id)
		default:
			bases = append(bases, id) // told as missing
		}
	}
	if tables && !slices.Contains(bases, knowledgeTables) {
		bases = append(bases, knowledgeTables)
	}
	w.query.Bases = bases
}

// isBase reports whether a knowledge base beside or of the tables has that name.
func (w *search) isBase(name string) bool {
	return name == knowledgeTables || name == knowledgeCatalog || name == knowledgeDocs ||
		slices.ContainsFunc(w.deps.Knowledge, func(b knowledge.Base) bool { return b.Name() == name })
}

// cutGroup returns the name in the id of a group of some prefixes.
func cutGroup(id string, prefixes []string) (name string, ok bool) {
	for _, p := range prefixes {
		if len(id) > len(p) && strings.EqualFold(id[:len(p)], p) {
			return id[len(p):], true
		}
	}
	return "", false
}

// isGroup reports whether an id can be that of a group alone.
func isGroup(id string) bool {
	_, mart := cutGroup(id, martGroups)
	_, topic := cutGroup(id, topicGroups)
	return mart || topic
}

// addGroup confines the request to a group and reports whether the asker has it.
// A mart may be called by its bare name too.
func (w *search) addGroup(id string) bool {
	id = strings.TrimSpace(id)
	known := func(of func(*catalog.Table) string, name string) (string, bool) {
		for _, called := range []string{name, calledMart.ReplaceAllString(name, "")} {
			if called != "" && slices.ContainsFunc(w.desk.tables, func(t *catalog.Table) bool { return strings.EqualFold(of(t), called) }) {
				return strings.ToLower(called), true
			}
		}
		return "", false
	}
	if name, ok := cutGroup(id, topicGroups); ok {
		topic, has := known(func(t *catalog.Table) string { return t.Topic }, name)
		if has {
			w.groups.topics = append(w.groups.topics, topic)
		}
		return has
	}
	name, ok := cutGroup(id, martGroups)
	if !ok {
		name = id
	}
	mart, has := known(func(t *catalog.Table) string { return t.Mart }, name)
	if has {
		w.groups.marts = append(w.groups.marts, mart)
	}
	return has
}

// holds reports whether a table is of the groups; without any, each is.
func (g groups) holds(t *catalog.Table) bool {
	if len(g.schemas) > 0 && !slices.Contains(g.schemas, t.Name.Schema) {
		return false
	}
	if len(g.spoken) > 0 && !slices.Contains(g.spoken, t.Topic) {
		return false
	}
	return len(g.marts)+len(g.topics) == 0 || slices.Contains(g.marts, strings.ToLower(t.Mart)) || t.Topic != "" && slices.Contains(g.topics, strings.ToLower(t.Topic))
}

func (g groups) none() bool { return len(g.marts)+len(g.topics)+len(g.schemas)+len(g.spoken) == 0 }

// key names the groups, for a cache.
func (g groups) key() string {
	return strings.Join(g.marts, "\x00") + "\x01" + strings.Join(g.topics, "\x00") + "\x01" + strings.Join(g.schemas, "\x00") + "\x01" + strings.Join(g.spoken, "\x00")
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

// spokenMarts are the marts of the schemas and topics that the question names.
func (w *search) spokenMarts() []string {
	var marts []string
	said := groups{schemas: w.groups.schemas, spoken: w.groups.spoken}
	if said.none() {
		return nil
	}
	for _, t := range w.desk.tables {
		if said.holds(t) && t.Mart != "" && !slices.Contains(marts, t.Mart) {
			marts = append(marts, t.Mart)
		}
	}
	return marts
}

// within keeps the candidates of the groups.
func (g groups) within(candidates []retrieval.Candidate) []retrieval.Candidate {
	if g.none() {
		return candidates
	}
	return slices.DeleteFunc(slices.Clone(candidates), func(c retrieval.Candidate) bool { return !g.holds(c.Table) })
}
