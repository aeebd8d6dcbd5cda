extension Configuration.Radar.Mapping: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Radar.Mapping>] {
        let path = ScalarType.text(example: "data.text")
        let word = ScalarType.text(lengthMax: 64, example: "agree")
        return [
            .optional("items", \.items, path, reload: .restart),
            .optional("id", \.id, path, reload: .restart),
            .scalar("stance", \.stance, path, isRequired: true, reload: .restart),
            .optional("confidence", \.confidence, path, reload: .restart),
            .scalar("content", \.content, path, isRequired: true, reload: .restart),
            .optional("author", \.author, path, reload: .restart),
            .optional("model", \.model, path, reload: .restart),
            .optional("reasoning", \.reasoning, path, reload: .restart),
            .list("for", \.forWords, word, counts: 1...32, reload: .restart),
            .list("against", \.againstWords, word, counts: 1...32, reload: .restart),
            .list("neutral", \.neutralWords, word, counts: 0...32, reload: .restart),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        var lists: [String: String] = [:]
        var found: [(path: String, message: String)] = []
        for (list, words) in [
            ("for", forWords), ("against", againstWords), ("neutral", neutralWords),
        ] {
            for word in words {
                guard let other = lists.updateValue(list, forKey: word.lowercased()) else {
                    continue
                }
                found.append(
                    (list, "found \"\(word)\" in \(other), too, expected one stance of it")
                )
            }
        }
        return found
    }
}
