// Package catalogpb translates between the catalog's types and the messages of
// dibrain.common.v1, both ways and without loss: a table that crosses a process
// boundary comes out as it went in, but for what stays at home: who used it on
// which day, and when it was profiled.
package catalogpb

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
)

// FromName returns the message of a name.
func FromName(n catalog.Name) *commonv1.TableRef {
	return &commonv1.TableRef{IdcRegion: n.Region, Schema: n.Schema, Table: n.Table}
}

// ToName reads a message; nil gives the zero Name.
func ToName(r *commonv1.TableRef) catalog.Name {
	return catalog.Name{Region: r.GetIdcRegion(), Schema: r.GetSchema(), Table: r.GetTable()}
}

func fromNames(names []catalog.Name) []*commonv1.TableRef {
	var out []*commonv1.TableRef
	for _, n := range names {
		out = append(out, FromName(n))
	}
	return out
}

func toNames(refs []*commonv1.TableRef) []catalog.Name {
	var out []catalog.Name
	for _, r := range refs {
		out = append(out, ToName(r))
	}
	return out
}

// FromTable returns the message of a table. The message shares no memory with
// the table.
func FromTable(t catalog.Table) *commonv1.TableDetail {
	d := &commonv1.TableDetail{
		Ref:            FromName(t.Name),
		Kind:           fromKind(t.Kind),
		Description:    t.Description,
		Columns:        make([]*commonv1.Column, 0, len(t.Columns)),
		Mart:           t.Mart,
		Layer:          t.Layer,
		Country:        t.Country,
		Manifest:       t.Manifest,
		Owner:          t.Owner,
		RowCount:       t.RowCount,
		UnreadRows:     t.UnreadRows,
		RowKey:         t.RowKey,
		QueryCount_30D: t.QueryCount30d,
		Successor:      t.Successor,
		Grain:          t.Grain,
		Topic:          t.Topic,
		Tags:           copyOf(t.Tags),
		Quality:        t.Quality,
		Usage:          fromUsage(t.Usage),
		Upstream:       fromNames(t.Upstream),
	}
	if !t.UpdatedAt.IsZero() {
		d.UpdatedAt = timestamppb.New(t.UpdatedAt)
	}
	for _, c := range t.Columns {
		d.Columns = append(d.Columns, fromColumn(c))
	}
	for _, x := range t.Dependencies {
		d.Dependencies = append(d.Dependencies, &commonv1.Dependency{Column: x.Column, Determines: copyOf(x.Determines)})
	}
	for _, k := range t.ForeignKeys {
		d.ForeignKeys = append(d.ForeignKeys, &commonv1.ForeignKey{
			Columns:    copyOf(k.Columns),
			RefTable:   FromName(k.RefTable),
			RefColumns: copyOf(k.RefColumns),
			Found:      fromEvidence(k.Found),
		})
	}
	return d
}

// ToTable reads a message; nil gives the zero Table. Times come back in UTC.
func ToTable(d *commonv1.TableDetail) catalog.Table {
	if d == nil {
		return catalog.Table{}
	}
	t := catalog.Table{
		Name:          ToName(d.GetRef()),
		Kind:          toKind(d.GetKind()),
		Description:   d.GetDescription(),
		Columns:       make([]catalog.Column, 0, len(d.GetColumns())),
		Mart:          d.GetMart(),
		Layer:         d.GetLayer(),
		Country:       d.GetCountry(),
		Manifest:      d.GetManifest(),
		Grain:         d.GetGrain(),
		Owner:         d.GetOwner(),
		RowCount:      d.GetRowCount(),
		UnreadRows:    d.GetUnreadRows(),
		RowKey:        d.GetRowKey(),
		QueryCount30d: d.GetQueryCount_30D(),
		Successor:     d.GetSuccessor(),
		Topic:         d.GetTopic(),
		Tags:          copyOf(d.GetTags()),
		Quality:       d.GetQuality(),
		Usage:         toUsage(d.GetUsage()),
		Upstream:      toNames(d.GetUpstream()),
	}
	for _, x := range d.GetDependencies() {
		t.Dependencies = append(t.Dependencies, catalog.Dependency{Column: x.GetColumn(), Determines: copyOf(x.GetDetermines())})
	}
	if d.GetUpdatedAt() != nil {
		t.UpdatedAt = d.GetUpdatedAt().AsTime()
	}
	for _, c := range d.GetColumns() {
		t.Columns = append(t.Columns, toColumn(c))
	}
	for _, k := range d.GetForeignKeys() {
		t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{
			Columns:    copyOf(k.GetColumns()),
			RefTable:   ToName(k.GetRefTable()),
			RefColumns: copyOf(k.GetRefColumns()),
			Found:      toEvidence(k.GetFound()),
		})
	}
	return t
}

// FromTables returns the messages of tables, in their order.
func FromTables(tables []catalog.Table) []*commonv1.TableDetail {
	out := make([]*commonv1.TableDetail, 0, len(tables))
	for _, t := range tables {
		out = append(out, FromTable(t))
	}
	return out
}

// ToTables reads messages, in their order.
func ToTables(details []*commonv1.TableDetail) []catalog.Table {
	out := make([]catalog.Table, 0, len(details))
	for _, d := range details {
		out = append(out, ToTable(d))
	}
	return out
}

// FromTerm returns the message of a business word.
func FromTerm(t catalog.Term) *commonv1.GlossaryTerm {
	return &commonv1.GlossaryTerm{Term: t.Term, Synonyms: copyOf(t.Synonyms), Definition: t.Definition, Mart: t.Mart}
}

// ToTerm reads a message; nil gives the zero Term.
func ToTerm(m *commonv1.GlossaryTerm) catalog.Term {
	return catalog.Term{Term: m.GetTerm(), Synonyms: copyOf(m.GetSynonyms()), Definition: m.GetDefinition(), Mart: m.GetMart()}
}

// FromRule returns the message of a rule.
func FromRule(r catalog.Rule) *commonv1.BusinessRule {
	return &commonv1.BusinessRule{Id: r.ID, Text: r.Text, Mart: r.Mart}
}

// ToRule reads a message; nil gives the zero Rule.
func ToRule(m *commonv1.BusinessRule) catalog.Rule {
	return catalog.Rule{ID: m.GetId(), Text: m.GetText(), Mart: m.GetMart()}
}

func fromColumn(c catalog.Column) *commonv1.Column {
	return &commonv1.Column{
		Name:          c.Name,
		Type:          c.Type,
		Comment:       c.Comment,
		PrimaryKey:    c.PrimaryKey,
		Partition:     c.Partition,
		Nullable:      !c.NotNull,
		DistinctCount: c.Distinct,
		SampleValues:  copyOf(c.Samples),
		Unit:          c.Unit,
		Written:       c.Written,
		Unread:        c.Unread,
		Resembles:     c.Resembles,
		Absent:        c.Absent,
		Missing:       c.Missing,
		Low:           c.Low,
		High:          c.High,
		Personal:      fromPersonal(c.Personal),
		NotJoined:     c.NotJoined,
	}
}

func fromPersonal(p *catalog.Personal) *commonv1.PersonalData {
	if p == nil {
		return nil
	}
	return &commonv1.PersonalData{Kind: p.Kind, Reason: p.Reason}
}

func toPersonal(p *commonv1.PersonalData) *catalog.Personal {
	if p == nil {
		return nil
	}
	return &catalog.Personal{Kind: p.GetKind(), Reason: p.GetReason()}
}

func fromEvidence(e *catalog.Evidence) *commonv1.KeyEvidence {
	if e == nil {
		return nil
	}
	return &commonv1.KeyEvidence{Reason: e.Reason, Person: e.Person, Values: e.Values, Sampled: e.Sampled}
}

func toEvidence(e *commonv1.KeyEvidence) *catalog.Evidence {
	if e == nil {
		return nil
	}
	return &catalog.Evidence{Reason: e.GetReason(), Person: e.GetPerson(), Values: e.GetValues(), Sampled: e.GetSampled()}
}

func toColumn(c *commonv1.Column) catalog.Column {
	return catalog.Column{
		Name:       c.GetName(),
		Type:       c.GetType(),
		Comment:    c.GetComment(),
		PrimaryKey: c.GetPrimaryKey(),
		Partition:  c.GetPartition(),
		NotNull:    !c.GetNullable(),
		Distinct:   c.GetDistinctCount(),
		Samples:    copyOf(c.GetSampleValues()),
		Unit:       c.GetUnit(),
		Written:    c.GetWritten(),
		Unread:     c.GetUnread(),
		Resembles:  c.GetResembles(),
		Absent:     c.GetAbsent(),
		Missing:    c.GetMissing(),
		Low:        c.GetLow(),
		High:       c.GetHigh(),
		Personal:   toPersonal(c.GetPersonal()),
		NotJoined:  c.GetNotJoined(),
	}
}

// fromKind maps the empty kind to a table: it is what catalogs without kinds mean.
func fromKind(k catalog.Kind) commonv1.TableKind {
	if k == catalog.KindDataset {
		return commonv1.TableKind_TABLE_KIND_CHAT_DATASET
	}
	return commonv1.TableKind_TABLE_KIND_HIVE_TABLE
}

func toKind(k commonv1.TableKind) catalog.Kind {
	if k == commonv1.TableKind_TABLE_KIND_CHAT_DATASET {
		return catalog.KindDataset
	}
	return catalog.KindTable
}

// copyOf keeps nil as nil, so that a round trip compares equal.
func copyOf(s []string) []string {
	if len(s) == 0 {
		return nil
	}
	return append([]string(nil), s...)
}
