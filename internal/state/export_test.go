package state

// DeclaredColumns tells which columns of a store's tables are declared, for the test that holds
// them against those that are there.
func DeclaredColumns(store string, inPostgres bool) map[string][]string {
	tables := make(map[string][]string)
	for _, t := range declared(kept{name: store, prefix: PrefixOf(store, inPostgres)}).tables {
		tables[t.name] = t.columns()
	}
	return tables
}

// DeclaredStores are the stores whose tables are declared.
func DeclaredStores() []string {
	var names []string
	for name := range personTables {
		names = append(names, name)
	}
	return names
}

// PrefixOf begins the names of a store's tables.
func PrefixOf(store string, inPostgres bool) string {
	moved, err := smallTables("")
	if err != nil {
		panic(err)
	}
	for _, t := range moved {
		if t.Schema.Of == store && inPostgres {
			return t.Prefix
		}
	}
	return ""
}
