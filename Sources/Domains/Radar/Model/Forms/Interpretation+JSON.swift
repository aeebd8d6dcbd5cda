extension Interpretation {
    /// The form of the contract, with an additional `source`. The store also keeps it.
    ///
    /// - Parameter isPending: in the answer to a user, whether a better one may come.
    package func json(isPending: Bool? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            write(to: &json)
            if let isPending { json.field("pending", isPending) }
        }
        return json.bytes
    }

    func write(to json: inout JSONWriter) {
        json.field("text", text)
        json.field("category", category)
        json.field("subCategory", subCategory)
        json.array("tags") { json in tags.forEach { json.value($0) } }
        json.field("sentiment", sentiment.rawValue)
        json.field("source", source)
        json.field("language", language?.rawValue)
    }

    /// Reads the output of `json()`; nil for anything else.
    package init?(json: [UInt8]) {
        guard let list = try? JSONReader.fields(of: json[...]) else { return nil }
        let fields = Dictionary(list.map { ($0.key, $0.value) }) { $1 }
        func string(_ key: String) -> String? { fields[key].flatMap(JSONReader.string) }
        guard let text = string("text"), let category = string("category"),
            let sentiment = string("sentiment").flatMap(Sentiment.init(rawValue:)),
            let source = string("source"),
            let array = fields["tags"], let elements = try? JSONReader.elements(of: array)
        else { return nil }
        let tags = elements.compactMap(JSONReader.string)
        guard tags.count == elements.count else { return nil }
        self.init(
            text: text,
            category: category,
            subCategory: fields["subCategory"].flatMap(JSONReader.string),
            tags: tags,
            sentiment: sentiment,
            source: source,
            language: string("language").flatMap(LexicalLanguage.init(rawValue:))
        )
    }
}
