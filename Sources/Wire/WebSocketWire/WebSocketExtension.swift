/// An extension as it is offered or accepted in Sec-WebSocket-Extensions (RFC 6455 §9.1).
package struct WebSocketExtension: Hashable, Sendable {
    package struct Parameter: Hashable, Sendable {
        package var name: String
        /// Without its quotes; nil for a parameter without "=".
        package var value: String?

        package init(name: String, value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    package var name: String
    /// In the order sent; the extension decides whether duplicate names are allowed.
    package var parameters: [Parameter]

    package init(name: String, parameters: [Parameter] = []) {
        self.name = name
        self.parameters = parameters
    }

    /// The extensions that the fields list, in order; nil when one is malformed: "If a value is
    /// received by either the client or the server during negotiation that does not conform to the
    /// ABNF below, the recipient of such malformed data MUST immediately _Fail the WebSocket
    /// Connection_."
    package static func list(in headers: HTTPHeaders) -> [WebSocketExtension]? {
        var extensions: [WebSocketExtension] = []
        for element in headers.listValues("Sec-WebSocket-Extensions") {
            guard let parsed = WebSocketExtension(parsing: element) else { return nil }
            extensions.append(parsed)
        }
        return extensions
    }

    /// Reads `extension-token *( ";" extension-param )`.
    ///
    /// Cut at every semicolon: none can be in a quoted value, because "the value after
    /// quoted-string unescaping MUST conform to the 'token' ABNF".
    private init?(parsing text: Substring) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard isToken(parts[0]) else { return nil }
        self.init(name: String(parts[0]))
        for part in parts.dropFirst() {
            guard let parameter = Parameter(parsing: part) else { return nil }
            parameters.append(parameter)
        }
    }
}

extension WebSocketExtension.Parameter {
    /// Reads `token [ "=" (token | quoted-string) ]`.
    fileprivate init?(parsing text: Substring) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = trimmed(parts[0])
        guard isToken(name) else { return nil }
        guard parts.count == 2 else {
            self.init(name: String(name))
            return
        }
        guard let value = unquoted(trimmed(parts[1])), isToken(value) else { return nil }
        self.init(name: String(name), value: value)
    }
}

extension WebSocketExtension: CustomStringConvertible {
    /// The text for a header field.
    package var description: String {
        parameters.reduce(name) { text, parameter in
            text + "; " + parameter.name + (parameter.value.map { "=" + $0 } ?? "")
        }
    }
}

/// The value of a quoted string (RFC 9110 §5.6.4); text without quotes is returned unchanged, and
/// text whose quotes or escapes are not closed is nil.
private func unquoted(_ text: Substring) -> String? {
    guard text.first == "\"" else { return String(text) }
    guard text.count >= 2, text.last == "\"" else { return nil }
    var value = ""
    var isEscaped = false
    for character in text.dropFirst().dropLast() {
        if !isEscaped && character == "\\" {
            isEscaped = true
            continue
        }
        if !isEscaped && character == "\"" { return nil }
        value.append(character)
        isEscaped = false
    }
    return isEscaped ? nil : value
}
