import DomainKit

extension RadarSection.Mapping: ConfigurationSection {
    package static var fields: [ConfigurationField<RadarSection.Mapping>] {
        opinionFields + authorFields + wordFields
    }

    private static var opinionFields: [ConfigurationField<RadarSection.Mapping>] {
        let path = ScalarType.text(example: "data.text")
        return [
            .optional(
                "items",
                \.items,
                path,
                reload: .restart,
                meaning: """
                    Where the list of opinions is in the answer of `json`: names of members with \
                    dots between them, `data.voices`; a number counts the elements of a list from 0. \
                    Left out, the answer itself is the list.
                    """
            ),
            .optional(
                "id",
                \.id,
                path,
                reload: .restart,
                meaning: """
                    Where an opinion's identifier is, so that each counts once. This path and those \
                    below begin at an opinion.
                    """
            ),
            .scalar(
                "stance",
                \.stance,
                path,
                isRequired: true,
                reload: .restart,
                meaning: "Where its stance is, one of the words listed below."
            ),
            .optional(
                "confidence",
                \.confidence,
                path,
                reload: .restart,
                meaning: """
                    Where its confidence is, a number from 0 to 1. Left out, every opinion counts \
                    half.
                    """
            ),
        ]
    }

    private static var authorFields: [ConfigurationField<RadarSection.Mapping>] {
        let path = ScalarType.text(example: "data.text")
        return [
            .scalar(
                "content",
                \.content,
                path,
                isRequired: true,
                reload: .restart,
                meaning: "Where its text is."
            ),
            .optional(
                "author",
                \.author,
                path,
                reload: .restart,
                meaning: "Where its author is."
            ),
            .optional(
                "model",
                \.model,
                path,
                reload: .restart,
                meaning: "Where the name of its model is."
            ),
            .optional(
                "reasoning",
                \.reasoning,
                path,
                reload: .restart,
                meaning: "Where its reasoning is."
            ),
        ]
    }

    private static var wordFields: [ConfigurationField<RadarSection.Mapping>] {
        let word = ScalarType.text(lengthMax: 64, example: "agree")
        return [
            .list(
                "for",
                \.forWords,
                word,
                counts: 1...32,
                reload: .restart,
                meaning: """
                    The words for being for it. A word is used for only one stance; case does not \
                    matter.
                    """
            ),
            .list(
                "against",
                \.againstWords,
                word,
                counts: 1...32,
                reload: .restart,
                meaning: "The words for being against it."
            ),
            .list(
                "neutral",
                \.neutralWords,
                word,
                counts: 0...32,
                reload: .restart,
                meaning: "The words for neither."
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
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
