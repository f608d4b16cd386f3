package child

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

// prestoType returns the Presto type of a DuckDB type's name.
func prestoType(name string) types.Type {
	if element, ok := strings.CutSuffix(name, "[]"); ok {
		return types.Array(prestoType(element))
	}
	base, _, _ := strings.Cut(name, "(")
	switch base {
	case "UTINYINT", "USMALLINT":
		return types.Integer()
	case "UINTEGER", "BIGINT":
		return types.Bigint()
	case "HUGEINT", "UBIGINT", "UHUGEINT":
		return types.Decimal(38, 0)
	case "FLOAT":
		return types.Parse("real")
	case "BLOB":
		return types.Varbinary()
	case "TIMESTAMP", "TIMESTAMP_MS", "TIMESTAMP_S", "TIMESTAMP_NS":
		return types.Timestamp(map[string]int{"TIMESTAMP": 6, "TIMESTAMP_MS": 3, "TIMESTAMP_S": 0, "TIMESTAMP_NS": 9}[base])
	case "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE":
		return types.Type{Base: "timestamp with time zone", Precision: 6}
	case "ENUM":
		return types.Varchar()
	case "INTERVAL", "STRUCT", "MAP", "UNION", "ANY":
		return types.Unknown()
	}
	return types.Parse(strings.ToLower(name))
}
