/// A request target, taken apart into the parts of its form (RFC 9112 §3.2).
struct RequestTarget {
    enum Form {
        /// `/where?q=now`
        case origin
        /// `http://www.example.org/pub`
        case absolute
        /// `www.example.com:80`
        case authority
        /// `*`
        case asterisk
    }

    let form: Form
    /// The host and port that the target itself names.
    let authority: Substring?
    /// Empty for an authority form, and for an absolute form that names none.
    let path: String
    let query: String?

    /// Decides the form by the first characters; checks nothing.
    init(_ target: String) {
        if target.utf8.first == UInt8(ascii: "/") {
            form = .origin
            authority = nil
            (path, query) = RequestTarget.split(target[...])
        } else if target == "*" {
            form = .asterisk
            authority = nil
            path = target
            query = nil
        } else if let start = RequestTarget.authorityStart(target) {
            let rest = target[start...]
            let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            let parts = RequestTarget.split(rest[(end ?? rest.endIndex)...])
            form = .absolute
            authority = rest[..<(end ?? rest.endIndex)]
            path = parts.path
            query = parts.query
        } else {
            form = .authority
            authority = target[...]
            path = ""
            query = nil
        }
    }

    /// The path that a request with this method is for.
    ///
    /// RFC 9110 §4.2.3: "When not being used as the target of an OPTIONS request, an empty path
    /// component is equivalent to an absolute path of "/"". There it is the server as a whole, which a
    /// proxy would write as `*` (RFC 9112 §3.2.4).
    func path(method: String) -> String {
        guard form == .absolute, path.isEmpty else { return path }
        return method == "OPTIONS" && query == nil ? "*" : "/"
    }

    /// Whether the method may have a target of this form and its authority is valid. The characters
    /// of path and query are not checked.
    func isValid(method: String) -> Bool {
        switch form {
        case .origin: return method != "CONNECT"
        case .asterisk: return method == "OPTIONS"
        case .absolute:
            return method != "CONNECT" && checkedAuthority?.hasHost == true
        case .authority:
            guard method == "CONNECT", let checkedAuthority else { return false }
            return checkedAuthority.hasHost && checkedAuthority.hasPort
        }
    }

    private var checkedAuthority: Authority? {
        authority.flatMap { Authority($0) }
    }

    /// Where the authority of an absolute form starts. Only our schemes have one: a target of
    /// another scheme reads as an authority form, which only CONNECT may have.
    private static func authorityStart(_ target: String) -> String.Index? {
        for scheme in ["http://", "https://"] {
            let prefix = target.utf8.prefix(scheme.utf8.count)
            if prefix.lazy.map(\.lowercased).elementsEqual(scheme.utf8) { return prefix.endIndex }
        }
        return nil
    }

    private static func split(_ text: Substring) -> (path: String, query: String?) {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return (String(text), nil)
        }
        return (String(text[..<mark]), String(text[text.utf8.index(after: mark)...]))
    }
}

/// The `uri-host [ ":" port ]` of Host (RFC 9110 §7.2), in the grammar of RFC 3986 §3.2.
struct Authority {
    /// An IPv6 address is in brackets.
    let host: Substring
    /// Nil when there is none, also behind a colon.
    let port: UInt16?

    var hasHost: Bool { !host.isEmpty }
    var hasPort: Bool { port != nil }

    /// Nil when the text is not of that form. The empty text is: RFC 9112 §3.2 has clients send an
    /// empty Host when the target has no authority. User information is refused, and so are zone
    /// identifiers and address versions to come in brackets.
    init?(_ text: Substring) {
        let bytes = text.utf8
        let portMark: Substring.UTF8View.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")),
                Authority.isAddress(bytes[..<close].dropFirst())
            else { return nil }
            portMark = bytes.index(after: close)
        } else {
            portMark = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard Authority.isRegisteredName(bytes[..<portMark]) else { return nil }
        }
        let rest = bytes[portMark...]
        guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { return nil }
        let digits = rest.dropFirst()
        // UInt16 takes a sign, a port does not.
        guard digits.allSatisfy(\.isDigit) else { return nil }
        let number = UInt16(Substring(digits))
        guard digits.isEmpty || number != nil else { return nil }
        host = text[..<portMark]
        port = number
    }

    /// Whether the characters are those of an IPv6 address; whether it names a host is not checked.
    private static func isAddress(_ bytes: Substring.UTF8View) -> Bool {
        bytes.contains(UInt8(ascii: ":"))
            && bytes.allSatisfy {
                $0.hexadecimalValue != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
    }

    /// `reg-name = *( unreserved / pct-encoded / sub-delims )`, which includes IPv4 addresses.
    private static func isRegisteredName(_ bytes: Substring.UTF8View) -> Bool {
        var escapeDigitsLeft = 0
        for byte in bytes {
            if escapeDigitsLeft > 0 {
                guard byte.hexadecimalValue != nil else { return false }
                escapeDigitsLeft -= 1
            } else if byte == UInt8(ascii: "%") {
                escapeDigitsLeft = 2
            } else if !isRegisteredNameCharacter(byte) {
                return false
            }
        }
        return escapeDigitsLeft == 0
    }

    private static func isRegisteredNameCharacter(_ byte: UInt8) -> Bool {
        if byte.isLetter || byte.isDigit { return true }
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            return true
        default: return false
        }
    }
}
