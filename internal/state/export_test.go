package state

// DeclaredColumns tells which columns of a store's tables are declared, for the test that holds
// them against those that are there.
func DeclaredColumns(store string) map[string][]string {
	tables := make(map[string][]string)
	for _, t := range personTables[store].tables {
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
