extension HTTPHeaders {
    /// Appends one line for each field. A field whose name is not a token is left out: sent, it could
    /// begin a field, or a message, of its own. It may come from an operator, so it does not trap.
    func append(to bytes: inout [UInt8]) {
        for (name, value) in self where isToken(name) {
            bytes.append(contentsOf: name.utf8)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(.space)
            appendFieldText(value, to: &bytes)
            bytes.append(.carriageReturn)
            bytes.append(.lineFeed)
        }
    }

    /// Whether the connection persists after this message, by its Connection field (RFC 9112 §9.3).
    func keepsAlive(version: HTTPVersion) -> Bool {
        if contains("Connection", token: "close") { return false }
        switch version {
        case .http10: return contains("Connection", token: "keep-alive")
        case .http11: return true
        }
    }
}

/// Appends a field value or a reason phrase, with a space for each control character.
///
/// A CR LF in a value would start a field, or a message, of the value's author. RFC 9110 §5.5 lets a
/// recipient "replace each of those characters with SP before further processing"; we do it before
/// sending.
func appendFieldText(_ text: String, to bytes: inout [UInt8]) {
    guard text.utf8.contains(where: \.isControl) else {
        bytes.append(contentsOf: text.utf8)
        return
    }
    bytes.append(contentsOf: text.utf8.lazy.map { $0.isControl ? .space : $0 })
}
