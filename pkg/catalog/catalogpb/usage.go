package catalogpb

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
)

// fromUsage leaves out who used the table on which day.
func fromUsage(u *catalog.Usage) *commonv1.TableUsage {
	if u == nil {
		return nil
	}
	m := &commonv1.TableUsage{LastDay: u.LastDay(), People: int32(u.People())}
	if !u.Until.IsZero() {
		m.Until = timestamppb.New(u.Until)
	}
	for _, c := range u.Columns {
		m.Columns = append(m.Columns, &commonv1.ColumnUsage{Column: c.Column, Queries: c.Queries, LastDay: c.LastDay})
	}
	for _, j := range u.Joins {
		m.Joins = append(m.Joins, &commonv1.TableJoin{
			Table: FromName(j.Table), Columns: copyOf(j.Columns), RefColumns: copyOf(j.RefColumns), Queries: j.Queries, LastDay: j.LastDay,
		})
	}
	return m
}

func toUsage(m *commonv1.TableUsage) *catalog.Usage {
	if m == nil {
		return nil
	}
	u := &catalog.Usage{}
	if m.GetUntil() != nil {
		u.Until = m.GetUntil().AsTime()
	}
	for _, c := range m.GetColumns() {
		u.Columns = append(u.Columns, catalog.ColumnUse{Column: c.GetColumn(), Queries: c.GetQueries(), LastDay: c.GetLastDay()})
	}
	for _, j := range m.GetJoins() {
		u.Joins = append(u.Joins, catalog.Join{
			Table: ToName(j.GetTable()), Columns: copyOf(j.GetColumns()), RefColumns: copyOf(j.GetRefColumns()), Queries: j.GetQueries(), LastDay: j.GetLastDay(),
		})
	}
	return u
}
