/// The parameters of permessage-deflate in an offer or in a response (RFC 7692 §7.1).
struct DeflateExtension: Hashable {
    static let name = "permessage-deflate"

    /// `client_max_window_bits`, the only parameter that may come without a value: then it only
    /// means that the client supports it.
    enum ClientMaxWindowBits: Hashable {
        case absent
        case withoutValue
        case value(Int)
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: Int?
    var clientMaxWindowBits = ClientMaxWindowBits.absent

    init() {}

    /// The offer of a client for `settings`.
    init(offering settings: DeflateSettings) {
        serverNoContextTakeover = !settings.server.isTakenOver
        clientNoContextTakeover = !settings.client.isTakenOver
        if settings.server.bits < DeflateWindow.bitsDefault {
            serverMaxWindowBits = settings.server.bits
        }
        clientMaxWindowBits =
            settings.client.bits < DeflateWindow.bitsDefault
            ? .value(settings.client.bits) : .withoutValue
    }

    /// Reads the parameters; nil for those that §7 requires to decline in an offer and to refuse in
    /// a response: an unknown parameter, an invalid value, the same parameter twice.
    init?(_ parsed: WebSocketExtension) {
        guard parsed.name == Self.name else { return nil }
        var names: Set<String> = []
        for parameter in parsed.parameters {
            guard names.insert(parameter.name).inserted else { return nil }
            guard take(parameter) else { return nil }
        }
    }

    private mutating func take(_ parameter: WebSocketExtension.Parameter) -> Bool {
        switch (parameter.name, parameter.value) {
        case ("server_no_context_takeover", nil):
            serverNoContextTakeover = true
        case ("client_no_context_takeover", nil):
            clientNoContextTakeover = true
        case ("server_max_window_bits", let value?):
            guard let bits = windowBits(value) else { return false }
            serverMaxWindowBits = bits
        case ("client_max_window_bits", let value?):
            guard let bits = windowBits(value) else { return false }
            clientMaxWindowBits = .value(bits)
        case ("client_max_window_bits", nil):
            clientMaxWindowBits = .withoutValue
        default:
            return false
        }
        return true
    }

    /// The extension in the form of the header field.
    var written: WebSocketExtension {
        var parameters: [WebSocketExtension.Parameter] = []
        if serverNoContextTakeover {
            parameters.append(.init(name: "server_no_context_takeover"))
        }
        if clientNoContextTakeover {
            parameters.append(.init(name: "client_no_context_takeover"))
        }
        if let serverMaxWindowBits {
            let value = String(serverMaxWindowBits)
            parameters.append(.init(name: "server_max_window_bits", value: value))
        }
        switch clientMaxWindowBits {
        case .absent: break
        case .withoutValue: parameters.append(.init(name: "client_max_window_bits"))
        case .value(let bits):
            parameters.append(.init(name: "client_max_window_bits", value: String(bits)))
        }
        return WebSocketExtension(name: Self.name, parameters: parameters)
    }
}

/// "a decimal integer value without leading zeroes between 8 to 15, inclusive"
private func windowBits(_ text: String) -> Int? {
    // Int also reads "+9" and "009", which are no such values.
    guard let bits = Int(text), String(bits) == text else { return nil }
    return DeflateWindow.bitsRange.contains(bits) ? bits : nil
}
