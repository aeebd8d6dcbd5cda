/// A call that writes a log entry, as far as a check of its message needs it.
struct LogCall {
    /// From 1.
    var line: Int
    /// `info`, or the expression of the level.
    var level: String
    /// The arguments behind the level, as they are in the source.
    var arguments: [String]

    var message: String { arguments.first ?? "" }

    /// The names of the fields, if the call lists them; nil if it takes them from elsewhere.
    var fields: [String]? {
        guard let metadata = arguments.first(where: { $0.hasPrefix("metadata: ") }) else {
            return []
        }
        guard metadata.hasPrefix("metadata: [") else { return nil }
        return metadata.matches(of: /"([a-z_]+)":/).map { String($0.output.1) }
    }

    /// Literals without interpolation, one or two of which a condition chooses, and a parameter `message`
    /// of type `Logger.Message`, whose callers give a literal.
    var isConstant: Bool { message == "message" || !texts.isEmpty }

    /// The texts of a constant message; empty for any other.
    var texts: [String] {
        if let text = LogCall.literal(message) { return [text] }
        guard let condition = message.firstIndex(of: "?") else { return [] }
        let choice = message[message.index(after: condition)...]
        guard let colon = choice.firstRange(of: "\" : \"")?.lowerBound else { return [] }
        let one = LogCall.literal(choice[...colon])
        let other = LogCall.literal(choice[choice.index(colon, offsetBy: 4)...])
        guard let one, let other else { return [] }
        return [one, other]
    }

    static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    static func all(in text: String) -> [LogCall] {
        let methods = levels + ["log"]
        let pattern = /[lL]ogger\??\.([a-z]+)\(\s*(?:level: ([^,]*),\s*)?/
        return text.matches(of: pattern).compactMap { match in
            guard methods.contains(String(match.output.1)) else { return nil }
            return LogCall(
                line: text[..<match.range.lowerBound].count { $0.isNewline } + 1,
                level: match.output.2.map(String.init) ?? String(match.output.1),
                arguments: arguments(text[match.range.upperBound...])
            )
        }
    }

    /// Up to the bracket that ends the call.
    private static func arguments(_ text: Substring) -> [String] {
        var found: [String] = []
        var rest = text
        repeat {
            let (one, end) = argument(rest)
            found.append(one)
            rest = rest[end...]
        } while rest.popFirst() == ","
        return found
    }

    /// The text up to the comma or bracket that ends it, and the place of that.
    private static func argument(_ rest: Substring) -> (text: String, end: Substring.Index) {
        var (depth, isText) = (0, false)
        var index = rest.startIndex
        scan: while index < rest.endIndex {
            switch rest[index] {
            case "\\" where isText: rest.formIndex(after: &index)
            case "\"": isText.toggle()
            case _ where isText: break
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                if depth == 0 { break scan }
                depth -= 1
            case "," where depth == 0: break scan
            default: break
            }
            if index < rest.endIndex { rest.formIndex(after: &index) }
        }
        let found = rest[..<index].drop { $0.isWhitespace }
        let last = found.lastIndex { !$0.isWhitespace }
        return (last.map { String(found[...$0]) } ?? "", index)
    }

    /// The text of one literal in quotes without interpolation and line breaks.
    private static func literal(_ expression: some StringProtocol) -> String? {
        let trimmed = String(expression.drop { $0.isWhitespace })
        guard trimmed.count >= 2, trimmed.first == "\"", trimmed.last == "\"" else { return nil }
        let text = String(trimmed.dropFirst().dropLast())
        guard !text.contains(where: \.isNewline), !text.contains("\\(") else { return nil }
        guard !text.replacing("\\\"", with: "").contains("\"") else { return nil }
        return text.replacing("\\\"", with: "\"")
    }
}
