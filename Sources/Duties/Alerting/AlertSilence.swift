import Foundation

/// A time in which the alerts of a rule, or about a subject, cause no webhooks. They are published
/// all the same.
package struct AlertSilence: Sendable, Equatable, Codable {
    package var id: String
    /// The name of an operator's rule; nil for all of them.
    package var rule: String?
    /// The subject of the events; nil for every subject.
    package var subject: String?
    package var created: Timestamp
    /// The wall-clock time at which it ends.
    package var until: Timestamp
    /// The name of the API key that created it.
    package var by: String
    package var note: String?

    package init(
        id: String,
        rule: String? = nil,
        subject: String? = nil,
        created: Timestamp,
        until: Timestamp,
        by: String,
        note: String? = nil
    ) {
        self.id = id
        self.rule = rule
        self.subject = subject
        self.created = created
        self.until = until
        self.by = by
        self.note = note
    }

    func covers(_ record: AlertRecord, now: Timestamp) -> Bool {
        now < until && (rule ?? record.rule) == record.rule
            && (subject ?? record.subject) == record.subject
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", id)
            $0.field("rule", rule)
            $0.field("subject", subject)
            $0.field("created", created.iso8601)
            $0.field("until", until.iso8601)
            $0.field("by", by)
            $0.field("note", note)
        }
    }
}

// MARK: - Stored rows

extension AlertSilence {
    /// Nil if the row was not written by any version of the hub.
    init?(_ row: StateRow) {
        guard let value = row.value,
            let silence = try? JSONDecoder().decode(AlertSilence.self, from: Data(value))
        else { return nil }
        self = silence
    }

    var row: StateRow {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Texts and whole numbers only: encoding cannot fail.
        guard let data = try? encoder.encode(self) else { preconditionFailure("not encodable") }
        return StateRow(domain: AlertSilences.domain, key: id, value: Array(data))
    }
}

// MARK: - Requests

/// The body of `POST /api/alerts/silences`.
struct NewAlertSilence: Equatable {
    var rule: String?
    var subject: String?
    var until: Timestamp
    var note: String?

    init(json body: [UInt8], now: Timestamp) throws(RequestError) {
        let fields = try RequestFields(body)
        rule = try fields.text("rule", TextRule(lengthMax: 64, isName: true))
        subject = try fields.text(
            "subject",
            TextRule(lengthMax: StateRow.nameLengthMax, isName: true)
        )
        note = try fields.text("note", .alertNote)
        let text = try fields.requiredText("until", TextRule(lengthMax: 64))
        guard let time = Timestamp(iso8601: text), time > now else {
            throw .unexpected(
                field: "until",
                expected: "a time in the future, such as 2026-01-31T12:00:00Z",
                found: "\"\(RequestError.excerpt(text.utf8))\""
            )
        }
        until = time
    }
}

extension TextRule {
    /// The note of a silence or an acknowledgement.
    static let alertNote = TextRule(lengthMax: 500, isProse: true)
}
