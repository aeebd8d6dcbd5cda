import Upstream

/// A type of value that is a single text in the configuration.
package struct ScalarType<Value: Equatable> {
    /// The name in the documentation: "duration".
    package let name: String
    /// The accepted values: "1s to 1h"; empty if all values of the type are accepted.
    package let range: String
    /// An example for error texts.
    package let example: String
    /// Returns the value; nil to reject the text.
    package let read: (ScalarText) -> Value?
    /// Returns the text that `read` reads again. It contains no secret.
    package let text: (Value) -> String
    /// Whether the value is secret, so that the error text must not repeat it.
    package let isSecret: Bool
    /// Returns the reason why a text was rejected, if the expectation does not state it.
    package let problem: (ScalarText) -> String?

    package init(
        name: String,
        range: String,
        example: String,
        read: @escaping (ScalarText) -> Value?,
        text: @escaping (Value) -> String,
        isSecret: Bool = false,
        problem: @escaping (ScalarText) -> String? = { _ in nil }
    ) {
        self.name = name
        self.range = range
        self.example = example
        self.read = read
        self.text = text
        self.isSecret = isSecret
        self.problem = problem
    }

    package var expectation: String {
        let limits = range.isEmpty ? "" : ", \(range)"
        return "\(name)\(limits), such as \(example)"
    }
}

/// A scalar of the file, of an environment variable, or of a flag.
package struct ScalarText {
    package let text: String
    /// Whether the text is not in quotes.
    package let isPlain: Bool

    /// Whether the value is empty, or YAML reads it as null.
    package var isNull: Bool {
        isPlain && ["", "~", "null", "Null", "NULL"].contains(text)
    }
}

// MARK: - Numbers

extension ScalarType where Value == Int {
    package static func integer(_ range: ClosedRange<Int>) -> ScalarType {
        ScalarType(
            name: "integer",
            range: "\(range.lowerBound) to \(range.upperBound)",
            example: "\(range.lowerBound)",
            read: { scalar in Int(scalar.text).flatMap { range.contains($0) ? $0 : nil } },
            text: { "\($0)" }
        )
    }

    package static func byteCount(_ range: ClosedRange<Int>) -> ScalarType {
        let limits = (
            UnitText.text(byteCount: range.lowerBound), UnitText.text(byteCount: range.upperBound)
        )
        return ScalarType(
            name: "byte count",
            range: "\(limits.0) to \(limits.1)",
            example: "64KiB",
            read: { scalar in
                UnitText.byteCount(scalar.text).flatMap { range.contains($0) ? $0 : nil }
            },
            text: UnitText.text(byteCount:)
        )
    }
}

extension ScalarType where Value == Double {
    package static func number(_ range: ClosedRange<Double>) -> ScalarType {
        ScalarType(
            name: "number",
            range: "\(text(range.lowerBound)) to \(text(range.upperBound))",
            example: text(range.lowerBound),
            read: { scalar in
                // Double also reads "0x1p3", "nan" and "infinity".
                guard scalar.text.allSatisfy({ "+-.0123456789eE".contains($0) }),
                    let number = Double(scalar.text), range.contains(number)
                else { return nil }
                return number
            },
            text: text
        )
    }

    private static func text(_ number: Double) -> String {
        let rounded = number.rounded()
        return number == rounded && abs(number) < 1e15 ? "\(Int(rounded))" : "\(number)"
    }
}

extension ScalarType where Value == Duration {
    package static func duration(_ range: ClosedRange<Duration>) -> ScalarType {
        ScalarType(
            name: "duration",
            range: "\(UnitText.text(range.lowerBound)) to \(UnitText.text(range.upperBound))",
            example: range.contains(.seconds(25)) ? "25s" : UnitText.text(range.lowerBound),
            read: { scalar in
                UnitText.duration(scalar.text).flatMap { range.contains($0) ? $0 : nil }
            },
            text: UnitText.text(_:)
        )
    }
}

extension ScalarType where Value == Timestamp {
    package static var time: ScalarType {
        ScalarType(
            name: "time",
            range: "",
            example: "2024-12-09T16:00:00Z",
            read: { Timestamp(iso8601: $0.text) },
            text: \.iso8601
        )
    }
}

// MARK: - Choices

extension ScalarType where Value == Bool {
    package static var flag: ScalarType {
        ScalarType(
            name: "flag",
            range: "true or false",
            example: "true",
            read: { scalar in
                guard scalar.isPlain else { return nil }
                switch scalar.text {
                case "true": return true
                case "false": return false
                default: return nil
                }
            },
            text: { "\($0)" }
        )
    }
}

extension ScalarType
where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    package static func choice(_ type: Value.Type = Value.self) -> ScalarType {
        let names = Value.allCases.map(\.rawValue)
        return ScalarType(
            name: "choice",
            range: names.joined(separator: ", "),
            example: names[0],
            read: { Value(rawValue: $0.text) },
            text: \.rawValue
        )
    }
}

extension ScalarType where Value == Configuration.LoopCount {
    package static var loopCount: ScalarType {
        let range = 1...256
        return ScalarType(
            name: "loop count",
            range: "auto or 1 to \(range.upperBound)",
            example: "auto",
            read: { scalar in
                if scalar.text == "auto" { return .automatic }
                return Int(scalar.text).flatMap { range.contains($0) ? .count($0) : nil }
            },
            text: { loops in
                switch loops {
                case .automatic: "auto"
                case .count(let count): "\(count)"
                }
            }
        )
    }
}

// MARK: - Texts

extension ScalarType where Value == String {
    /// Any text without control characters.
    package static func text(
        _ name: String = "text",
        lengthMax: Int = 255,
        example: String
    ) -> ScalarType {
        ScalarType(
            name: name,
            range: "1 to \(lengthMax) bytes",
            example: example,
            read: { scalar in
                guard !scalar.isNull, (1...lengthMax).contains(scalar.text.utf8.count),
                    !scalar.text.unicodeScalars.contains(where: {
                        $0.properties.generalCategory == .control
                    })
                else { return nil }
                return scalar.text
            },
            text: yamlText
        )
    }

    /// A name that is used in topics, logs and metrics.
    package static func name(lengthMax: Int = 64, allowing extra: String = "-_", example: String)
        -> ScalarType
    {
        let characters = "abcdefghijklmnopqrstuvwxyz0123456789" + extra
        let marks = extra.map { "\($0)" }.joined(separator: " ")
        return ScalarType(
            name: "name",
            range: "1 to \(lengthMax) of a-z 0-9 \(marks)",
            example: example,
            read: { scalar in
                guard (1...lengthMax).contains(scalar.text.utf8.count),
                    scalar.text.allSatisfy({ characters.contains($0) })
                else { return nil }
                return scalar.text
            },
            text: yamlText
        )
    }

    /// The name of a hook: an entry of the section `hooks`.
    static var hookName: ScalarType { .name(allowing: "-_.", example: "app") }

    /// A topic or an event type, or a common prefix of several: `aurora:*`.
    ///
    /// - Parameter separator: the text before the `*`.
    package static func pattern(_ name: String, separator: String, example: String) -> ScalarType {
        ScalarType(
            name: "\(name) pattern",
            range: "",
            example: example,
            read: { scalar in
                let text = scalar.text
                guard !scalar.isNull, (1...255).contains(text.utf8.count),
                    text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                    !text.dropLast().contains("*"),
                    !text.hasSuffix("*") || text == "*" || text.hasSuffix(separator + "*")
                else { return nil }
                return text
            },
            text: yamlText
        )
    }

    /// - Parameters:
    ///   - part: the part that is not shown, as it may be a credential.
    ///   - placeholder: a text that the URL may contain instead of a word.
    package static func url(
        hiding part: URLPart = .nothing,
        placeholder: String? = nil,
        example: String
    ) -> ScalarType {
        ScalarType(
            name: "URL",
            range: "http or https, no user info",
            example: example,
            read: { scalar in
                let url = placeholder.map { scalar.text.replacing($0, with: "x") } ?? scalar.text
                return isURL(url) ? scalar.text : nil
            },
            text: { yamlText(hide(part, of: $0)) },
            isSecret: part != .nothing
        )
    }

    /// Returns the host of a URL, an IPv6 address without its brackets; nil if the text is not a
    /// URL.
    package static func host(of url: String) -> String? {
        guard let authority = authority(of: url) else { return nil }
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return authority.prefix { $0 != ":" }.lowercased()
    }

    private static func isURL(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let authority = authority(of: text)
        else { return false }
        // User info would contain a password, and URLs are logged.
        guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else {
            return false
        }
        // The client of outgoing requests would reject other URLs at each request.
        return (try? UpstreamURL(text)) != nil
    }

    private static func authority(of url: String) -> Substring? {
        for scheme in ["http://", "https://"] where url.hasPrefix(scheme) {
            return url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        }
        return nil
    }

    private static func hide(_ part: URLPart, of url: String) -> String {
        let path = authority(of: url).map { url[$0.endIndex...] } ?? ""
        switch part {
        case .nothing: return url
        case .pathAndQuery:
            guard !path.isEmpty, path != "/" else { return url }
            return url[..<path.startIndex] + "/…"
        case .query:
            guard let query = path.firstIndex(where: { "?#".contains($0) }) else { return url }
            return url[..<query] + "?…"
        }
    }
}

/// The part of a URL that is never shown.
package enum URLPart {
    case nothing, query, pathAndQuery
}

extension ScalarType where Value == Secret {
    package static func secret(example: String) -> ScalarType {
        ScalarType(
            name: "secret",
            range: "1 to 512 bytes",
            example: example,
            read: { scalar in
                guard !scalar.isNull, (1...512).contains(scalar.text.utf8.count),
                    scalar.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
                else { return nil }
                return Secret(scalar.text)
            },
            text: { yamlText($0.description) },
            isSecret: true
        )
    }
}

extension ScalarType where Value == ListenAddress {
    package static var listenAddress: ScalarType {
        ScalarType(
            name: "address",
            range: "HOST:PORT or unix:PATH",
            example: "127.0.0.1:8000, [::1]:8000 or unix:/run/varde/varde.sock",
            read: { ListenAddress($0.text) },
            text: { yamlText($0.description) }
        )
    }
}

/// Returns `text` as a YAML scalar: unchanged if that is safe, else in double quotes.
package func yamlText(_ text: String) -> String {
    let isSafe =
        text.first.map { $0.isLetter || $0 == "/" || $0 == "." } ?? false
        && text.allSatisfy { $0.isLetter || $0.isNumber || "-_./:+@".contains($0) }
        && !text.contains("::") && !text.hasSuffix(":")
        && !["true", "false", "null", "yes", "no", "on", "off"].contains(text.lowercased())
    if isSafe { return text }
    let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    return "\"\(escaped)\""
}
