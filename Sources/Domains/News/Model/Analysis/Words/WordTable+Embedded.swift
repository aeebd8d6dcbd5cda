import CTables

extension WordTable {
    package init(_ table: varde_table, sections: [String]? = nil) {
        self.init(embedded: table.name, table.text, sections: sections)
    }
}
