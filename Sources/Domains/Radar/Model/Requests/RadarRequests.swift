/// The body of `POST /api/radars`.
package struct NewRadar: Sendable, Equatable {
    package var topic: String
    /// Nil when it is left out.
    package var isPublic: Bool?
    /// Of the topic; nil to find it out.
    package var language: LexicalLanguage?

    package init(json body: [UInt8]) throws(RequestError) {
        let fields = try RequestFields(body)
        topic = try fields.requiredText("topic", .topic)
        isPublic = try fields.bool("isPublic")
        language = try fields.language("language")
    }
}

/// The body of `PATCH /api/radars/{id}`.
package struct RadarPatch: Sendable, Equatable {
    /// Nil to leave it unchanged.
    package var isPublic: Bool?

    package init(json body: [UInt8]) throws(RequestError) {
        isPublic = try RequestFields(body).bool("isPublic")
    }
}

/// The body of `POST /api/interpret`.
package struct InterpretRequest: Sendable, Equatable {
    package var topic: String
    /// Of the topic; nil to find it out.
    package var language: LexicalLanguage?

    package init(json body: [UInt8]) throws(RequestError) {
        let fields = try RequestFields(body)
        topic = try fields.requiredText("topic", .topic)
        language = try fields.language("language")
    }
}

extension RequestFields {
    /// Nil when it is left out.
    fileprivate func language(_ name: String) throws(RequestError) -> LexicalLanguage? {
        guard let tag = try text(name, .languageTag) else { return nil }
        guard let language = LexicalLanguage(tag: tag) else {
            throw .unexpected(
                field: name,
                expected: "one of " + quotedList(LexicalLanguage.tags),
                found: #""\#(RequestError.excerpt(tag.utf8))""#
            )
        }
        return language
    }
}

/// The `days` of a trend's query; 7 when it is left out.
package func requestedTrendDays(_ text: String?) throws(RequestError) -> Int {
    let daysDefault = 7
    guard let text else { return daysDefault }
    let range = RadarLimits.trendDays
    guard let days = Int(text), range.contains(days) else {
        throw .unexpected(
            field: "days",
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            found: #""\#(RequestError.excerpt(text.utf8))""#
        )
    }
    return days
}
