package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// rentals keeps who rents which boats, in Chinese.
func rentals() []catalog.Table {
	text := func(name string, missing int64) catalog.Column {
		return catalog.Column{Name: name, Type: "varchar", Distinct: 200, Missing: missing, NotNull: missing == 0}
	}
	return []catalog.Table{
		{Name: catalog.Name{Table: "船只信息"}, RowCount: 60, Columns: []catalog.Column{
			{Name: "船只编号", Type: "varchar", PrimaryKey: true, NotNull: true, Distinct: 60}, texts("船型", "帆船", "皮艇"), texts("安全等级", "A", "B", "C"), texts("船坞", "东坞", "西坞"), col("下水日期", "date"),
		}},
		{Name: catalog.Name{Table: "顾客信息"}, RowCount: 200, Columns: []catalog.Column{
			{Name: "会员号", Type: "varchar", PrimaryKey: true, NotNull: true, Distinct: 200}, text("姓名", 0), text("电子邮箱", 12), {Name: "年龄", Type: "bigint", NotNull: true, Distinct: 50}, texts("会员类别", "个人", "团体"), col("入会日期", "date"),
		}},
		{
			Name: catalog.Name{Table: "租船记录"}, RowCount: 4000, Columns: []catalog.Column{
				{Name: "记录号", Type: "varchar", PrimaryKey: true, NotNull: true, Distinct: 4000}, {Name: "会员号", Type: "varchar", NotNull: true, Distinct: 190}, {Name: "船只编号", Type: "varchar", NotNull: true, Distinct: 60},
				{Name: "满意度", Type: "double", NotNull: true, Distinct: 5}, texts("结果", "已归还", "已报失"), {Name: "租金(元)", Type: "decimal(10,2)", NotNull: true, Distinct: 300},
			},
			ForeignKeys: []catalog.ForeignKey{to("会员号", "顾客信息"), to("船只编号", "船只信息")},
		},
	}
}

// What Chinese questions leave to whoever hears them: the place of a particle, two things of one row, points, what is
// kept of nobody, what none of many is.
func TestChineseOverChinese(t *testing.T) {
	t.Parallel()
	open(t, rentals()...).answers(t, map[string]string{
		"最早入会的顾客是谁，哪天入会的？": `SELECT "姓名", "入会日期" FROM "顾客信息" ORDER BY "入会日期" LIMIT 1`,
		"最晚入会的顾客是谁，什么时候？":  `SELECT "姓名", "入会日期" FROM "顾客信息" ORDER BY "入会日期" DESC LIMIT 1`,
		"满意度低于3分的租船记录有多少条": `SELECT count(*) AS "number_of_租船记录" FROM "租船记录" WHERE "满意度" < 3`,
		"没有登记邮箱的顾客有多少个？":   `SELECT count(*) AS "number_of_顾客信息" FROM "顾客信息" WHERE "电子邮箱" IS NULL`,
		"没留邮箱的顾客有哪些？":      `SELECT "姓名" FROM "顾客信息" WHERE "电子邮箱" IS NULL`,
		"哪些船坞没有帆船？":        `SELECT "船坞" FROM "船只信息" GROUP BY "船坞" HAVING count_if("船型" = '帆船') = 0`,
		"安全等级是A级的船只有多少条？":  `SELECT count(*) AS "number_of_船只信息" FROM "船只信息" WHERE "安全等级" = 'A'`,
		"租船记录平均一条多少租金？":    `SELECT avg(CAST("租金(元)" AS double)) AS "average_租金_元" FROM "租船记录"`,
		"团体和个人哪个更多？":       `SELECT "会员类别", count(*) AS "number_of_顾客信息" FROM "顾客信息" WHERE "会员类别" IN ('团体', '个人') GROUP BY "会员类别" ORDER BY "number_of_顾客信息" DESC, "会员类别"`,
		"团体和个人哪个来得更多？":     `SELECT "会员类别", count(*) AS "number_of_顾客信息" FROM "顾客信息" WHERE "会员类别" IN ('团体', '个人') GROUP BY "会员类别" ORDER BY "number_of_顾客信息" DESC, "会员类别"`,
		"帆船和皮艇哪个报失的多？":     `SELECT t2."船型", count(*) AS "number_of_租船记录" FROM "租船记录" AS t1 JOIN "船只信息" AS t2 ON t1."船只编号" = t2."船只编号" WHERE t2."船型" IN ('帆船', '皮艇') AND t1."结果" = '已报失' GROUP BY t2."船型" ORDER BY "number_of_租船记录" DESC, t2."船型"`,
		"个人顾客平均几岁？":        `SELECT avg("年龄") AS "average_年龄" FROM "顾客信息" WHERE "会员类别" = '个人'`,
		"团体的多还是个人的多？":      `SELECT "会员类别", count(*) AS "number_of_顾客信息" FROM "顾客信息" WHERE "会员类别" IN ('团体', '个人') GROUP BY "会员类别" ORDER BY "number_of_顾客信息" DESC, "会员类别"`,
	})
}

// Another Chinese word for the rows of a table stands for them, and that is told; what is pointed to is asked about.
func TestOtherWordsForRows(t *testing.T) {
	t.Parallel()
	s := open(t, rentals()...)
	sql, reading := s.ask(t, "年龄大于60的客户有多少个？")
	require.Equal(t, `SELECT count(*) AS "number_of_顾客信息" FROM "顾客信息" WHERE "年龄" > 60`, sql)
	require.Contains(t, reading.Notes, reader.Note{ID: "kin", Args: []string{"客户", "顾客信息"}})
	_, reading = s.ask(t, "这些客户平均年龄多大？")
	require.Contains(t, reading.Notes, reader.Note{ID: "meant_open", Args: []string{"客户", "顾客信息"}})
}

// What was done with rows of their own, or to what is there, is no value that is missing.
func TestDoneIsNotKept(t *testing.T) {
	t.Parallel()
	s := open(t, rentals()...)
	for _, question := range []string{"没有取消租船的顾客有多少个？", "没有验证邮箱的顾客有多少个？", "没有更换邮箱的顾客有多少个？", "没公开邮箱的顾客有哪些？"} {
		_, reading := s.ask(t, question)
		require.NotEmpty(t, reading.Unread, question)
	}
}

// A verb that is how rows ended restricts, also where it stands with 得.
func TestWhatBecameOfRowsRestricts(t *testing.T) {
	t.Parallel()
	list, _ := open(t, rentals()...).reader.Question("帆船和皮艇哪个失得更多？", open(t, rentals()...).view, today).Readings()
	for _, x := range list {
		require.NotEmpty(t, x.Unread)
	}
}

// A character that names of a table's columns share with what points to its rows stands for its rows.
func TestCharactersOfPointersToRows(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "车源"}, RowCount: 300, Columns: []catalog.Column{
		{Name: "车辆编号", Type: "varchar", PrimaryKey: true, NotNull: true, Distinct: 300}, texts("品牌", "大众", "丰田"), texts("车系", "速腾", "卡罗拉"),
	}}, catalog.Table{Name: catalog.Name{Table: "成交"}, RowCount: 200, Columns: []catalog.Column{
		{Name: "成交单号", Type: "varchar", PrimaryKey: true, NotNull: true, Distinct: 200}, {Name: "车辆编号", Type: "varchar", NotNull: true, Distinct: 200}, col("成交日期", "date"),
	}, ForeignKeys: []catalog.ForeignKey{to("车辆编号", "车源")}})
	sql, reading := s.ask(t, "一共有多少辆车？")
	require.Equal(t, `SELECT count(*) AS "number_of_车源" FROM "车源"`, sql)
	require.Contains(t, reading.Notes, reader.Note{ID: "kin", Args: []string{"车", "车源"}})
}
