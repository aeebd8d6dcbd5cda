/// A function of a Swift file, with its length in lines: a `func`, an initialiser, a computed property or a subscript.
struct FunctionLength: Equatable {
    /// `start` for a function or a property; `init`, `deinit` or `subscript`.
    var name: String
    /// Where the declaration begins; attributes on lines of their own are not counted.
    var line: Int
    /// From there to the closing brace.
    var lineCount: Int

    static func all(in text: String) -> [FunctionLength] {
        let tokens = SwiftCode(text).tokens
        return tokens.indices.compactMap { FunctionLength(at: $0, in: tokens) }
    }

    /// Nil where the token begins no function with a body.
    private init?(at index: Int, in tokens: [SwiftCode.Token]) {
        guard let name = FunctionLength.name(at: index, in: tokens) else { return nil }
        let isProperty = tokens[index].text == "var"
        guard
            let start = isProperty
                ? FunctionLength.propertyBody(after: index + 1, in: tokens)
                : FunctionLength.body(after: index + 1, in: tokens)
        else { return nil }
        self.name = name
        line = tokens[index].line
        lineCount = FunctionLength.endLine(ofBlockAt: start, in: tokens) - line + 1
    }

    private static func name(at index: Int, in tokens: [SwiftCode.Token]) -> String? {
        guard index + 1 < tokens.count else { return nil }
        // `Float.init` and `self.init` are calls.
        if index > 0, tokens[index - 1].text == "." { return nil }
        let word = tokens[index].text
        let next = tokens[index + 1].text
        switch word {
        case "func", "var": return next.filter { $0 != "`" }
        case "init" where ["(", "<", "?", "!"].contains(next): return "init"
        case "subscript" where ["(", "<"].contains(next): return "subscript"
        case "deinit" where next == "{": return "deinit"
        default: return nil
        }
    }

    private static let declarations: Set<Substring> = [
        "func", "var", "let", "init", "subscript", "deinit", "case", "associatedtype", "typealias",
        "struct", "enum", "class", "actor", "extension", "protocol",
    ]

    /// The opening brace of a function's body; nil for a requirement of a protocol, which has none.
    private static func body(after start: Int, in tokens: [SwiftCode.Token]) -> Int? {
        var depth = 0
        for index in start..<tokens.count {
            let text = tokens[index].text
            switch text {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "{" where depth == 0: return index
            case "}" where depth == 0: return nil
            default:
                let isName = index == start || tokens[index - 1].text == "."
                if depth == 0, !isName, declarations.contains(text) { return nil }
            }
        }
        return nil
    }

    /// The opening brace of a computed property, which is on the line that its type ends on; nil for a stored one.
    private static func propertyBody(after name: Int, in tokens: [SwiftCode.Token]) -> Int? {
        guard name + 1 < tokens.count, tokens[name + 1].text == ":" else { return nil }
        var depth = 0
        for index in (name + 1)..<tokens.count {
            let (text, before) = (tokens[index].text, tokens[index - 1])
            switch text {
            case "{" where depth == 0: return index
            case "=" where depth == 0, "in" where depth == 0, "}" where depth == 0: return nil
            default:
                let isContinued = ":>,&.|".contains(before.text) || ">.&".contains(text)
                if depth == 0, before.line < tokens[index].line, !isContinued { return nil }
            }
            if "([".contains(text) { depth += 1 }
            if ")]".contains(text) { depth -= 1 }
            if depth < 0 { return nil }
        }
        return nil
    }

    private static func endLine(ofBlockAt start: Int, in tokens: [SwiftCode.Token]) -> Int {
        var depth = 0
        for token in tokens[start...] {
            if token.text == "{" { depth += 1 }
            if token.text == "}" { depth -= 1 }
            if depth == 0 { return token.line }
        }
        return tokens.last?.line ?? 0
    }
}
