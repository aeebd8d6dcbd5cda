extension NewAttempt {
    /// The characters of an error that are kept; it can quote a receiver.
    private static let errorLengthMax = 200

    /// An attempt of a sender, as it is stored.
    init(
        _ row: StoredDelivery,
        _ answer: WebhookAnswer,
        _ outcome: DeliveryOutcome,
        _ time: Timestamp,
        _ duration: Duration
    ) {
        var error: String?
        if case .failed(let failure) = answer.result {
            error = NewAttempt.clipped(failure.description)
        }
        self.init(
            endpoint: row.endpoint,
            time: time,
            duration: max(duration, .zero),
            outcome: Outcome(outcome),
            error: error,
            content: answer.content.isEmpty ? nil : answer.content
        )
    }

    /// Without control characters: they belong in no list, and PostgreSQL stores no U+0000.
    static func clipped(_ error: String) -> String {
        var clipped = String.UnicodeScalarView()
        for scalar in error.unicodeScalars.prefix(errorLengthMax) {
            clipped.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(clipped)
    }
}

extension NewAttempt.Outcome {
    fileprivate init(_ outcome: DeliveryOutcome) {
        self =
            switch outcome {
            case .delivered: .delivered
            case .retry: .failed
            case .exhausted: .exhausted
            case .disableEndpoint: .gone
            }
    }
}

extension StoredAttempt {
    /// The beginning of the answer's content as text. A character that was cut off at the end is
    /// left out; other invalid UTF-8 becomes U+FFFD.
    var text: String? {
        attempt.content.map { content in
            var whole = content[...]
            // A character has at most 4 bytes, so at most 3 of them can be its beginning.
            for length in 1...3 where content.count >= length {
                let tail = content[(content.count - length)...]
                guard let first = tail.first, first & 0xC0 != 0x80 else { continue }
                let needed = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
                if needed > length, content.count == WebhookConnector.keptBytesMax {
                    whole = content.dropLast(length)
                }
                break
            }
            return String(decoding: whole, as: UTF8.self)
        }
    }
}
