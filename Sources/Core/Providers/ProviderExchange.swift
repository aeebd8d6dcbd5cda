// Providers: requests to AI providers, the meaning of their answers, and when a source may be
// asked.

/// One field of a request's or an answer's head.
package struct HeaderField: Sendable, Equatable {
    package let name: String
    package let value: String
    /// A secret's value is sent, and shown nowhere.
    package let isSecret: Bool

    package init(_ name: String, _ value: String, isSecret: Bool = false) {
        self.name = name
        self.value = value
        self.isSecret = isSecret
    }

    /// The replacement for a text that must not be shown.
    static let mask = "(secret)"
}

extension HeaderField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(name): \(isSecret ? HeaderField.mask : value)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The key that identifies the hub to a provider.
package struct ProviderKey: Sendable, Equatable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

extension ProviderKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { HeaderField.mask }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A request to a source, as a value; another part sends it.
package struct ProviderRequest: Sendable, Equatable {
    /// `GET` or `POST`.
    package let method: String
    package let url: String
    package let headers: [HeaderField]
    package let body: [UInt8]

    package init(method: String, url: String, headers: [HeaderField], body: [UInt8]) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

extension ProviderRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// Without the query, in which some services want their key.
    package var description: String {
        "\(method) \(url.prefix { $0 != "?" }) \(headers) (\(body.count) bytes)"
    }
    package var debugDescription: String { description }
}

/// A whole response.
package struct ProviderResponse: Sendable, Equatable {
    package let status: Int
    package let headers: [HeaderField]
    package let body: [UInt8]

    package init(status: Int, headers: [HeaderField], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first field of that name, whose case does not count (RFC 9110 §5.1).
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// Whether the body is a stream of events.
    var isEventStream: Bool {
        header("content-type")?.lowercased().hasPrefix("text/event-stream") ?? false
    }
}

/// The usage of a request to an AI provider.
package struct TokenUsage: Sendable, Equatable {
    /// Tokens read from a provider's cache are among them.
    package let inputTokens: Int
    package let outputTokens: Int

    package init(inputTokens: Int, outputTokens: Int) {
        precondition(inputTokens >= 0)
        precondition(outputTokens >= 0)
        self.inputTokens = inputTokens
        self.outputTokens = outputTokens
    }

    package var total: Int { inputTokens + outputTokens }
}
