/// The body of `POST /api/webhooks`.
package struct NewSubscription: Sendable {
    package var url: WebhookURL
    package var filter: WebhookFilter
    package var rate: Int

    package init(json body: [UInt8]) throws(WebhookRequestError) {
        let fields = try WebhookFields(body)
        guard let text = try fields.text("url") else { throw .missing("url") }
        do throws(WebhookURLError) { url = try WebhookURL(text) } catch {
            throw .badURL(error)
        }
        filter = try fields.filter(over: nil)
        rate = try fields.rate ?? 0
    }
}

/// The body of `PATCH /api/webhooks/{id}`.
package struct SubscriptionPatch: Sendable {
    private let fields: WebhookFields

    package init(json body: [UInt8]) throws(WebhookRequestError) {
        fields = try WebhookFields(body)
        // Another URL is another endpoint, which needs a verification of its own.
        guard try fields.text("url") == nil else { throw .fixed("url") }
    }

    /// Nil if it does not change.
    package var rate: Int? { get throws(WebhookRequestError) { try fields.rate } }

    /// Returns the filter with the given lists replaced.
    package func filter(over filter: WebhookFilter) throws(WebhookRequestError) -> WebhookFilter {
        try fields.filter(over: filter)
    }
}

/// The body of `POST /api/webhooks/{id}/replay`.
package struct ReplayRequest: Sendable {
    package var from: Timestamp
    package var to: Timestamp

    package init(json body: [UInt8]) throws(WebhookRequestError) {
        let fields = try WebhookFields(body)
        from = try fields.time("from")
        to = try fields.time("to")
        guard from <= to else { throw .unexpected("to", expected: "a time at or behind from") }
    }
}

/// Why the body of a request is refused. Contains nothing of the body.
package enum WebhookRequestError: Error, Equatable, CustomStringConvertible {
    case notAnObject
    case missing(String)
    case unexpected(String, expected: String)
    case fixed(String)
    case badURL(WebhookURLError)
    case badFilter(WebhookFilterError)

    package var description: String {
        switch self {
        case .notAnObject: "body is not a JSON object"
        case .missing(let field): "\(field) is missing"
        case .unexpected(let field, let expected): "\(field) is not \(expected)"
        case .fixed(let field): "\(field) cannot be changed: make another webhook"
        case .badURL(let error): "\(error)"
        case .badFilter(let error): "\(error)"
        }
    }
}

/// The fields of a body. A field with the value null counts as missing. Of duplicate fields, the
/// last one counts.
private struct WebhookFields {
    private let fields: [String: ArraySlice<UInt8>]

    init(_ body: [UInt8]) throws(WebhookRequestError) {
        guard String(validating: body, as: UTF8.self) != nil,
            let read = try? JSONReader.fields(of: body[...])
        else { throw .notAnObject }
        let present = read.filter { Array($0.value) != Array("null".utf8) }
        fields = Dictionary(present.map { ($0.key, $0.value) }) { $1 }
    }

    func text(_ name: String) throws(WebhookRequestError) -> String? {
        guard let value = fields[name] else { return nil }
        guard let text = JSONReader.string(value) else {
            throw .unexpected(name, expected: "a text")
        }
        return text
    }

    var rate: Int? {
        get throws(WebhookRequestError) {
            guard let value = fields["rate"] else { return nil }
            let range = EndpointRates.range
            guard let rate = Int(String(decoding: value, as: UTF8.self)), range.contains(rate)
            else {
                let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
                throw .unexpected("rate", expected: expected)
            }
            return rate
        }
    }

    func time(_ name: String) throws(WebhookRequestError) -> Timestamp {
        guard let text = try text(name) else { throw .missing(name) }
        guard let time = Timestamp(iso8601: text) else {
            throw .unexpected(name, expected: "a time such as 2026-01-31T12:00:00Z")
        }
        return time
    }

    /// Returns `filter` with the given lists replaced.
    func filter(over filter: WebhookFilter?) throws(WebhookRequestError) -> WebhookFilter {
        let types = try texts("types") ?? filter?.types ?? []
        let topics = try texts("topics") ?? filter?.topics ?? []
        let severities = try texts("severities") ?? filter.map { $0.severities.sorted() } ?? []
        do throws(WebhookFilterError) {
            return try WebhookFilter(types: types, topics: topics, severities: severities)
        } catch {
            throw .badFilter(error)
        }
    }

    private func texts(_ name: String) throws(WebhookRequestError) -> [String]? {
        guard let value = fields[name] else { return nil }
        let elements = (try? JSONReader.elements(of: value))?.map { JSONReader.string($0) }
        guard let elements, !elements.contains(nil) else {
            throw .unexpected(name, expected: "a list of texts")
        }
        return elements.compactMap(\.self)
    }
}
