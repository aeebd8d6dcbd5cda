import CTables

extension WordTable {
    init(_ table: varde_table, sections: [String]? = nil) {
        self.init(embedded: table.name, table.text, sections: sections)
    }
}
