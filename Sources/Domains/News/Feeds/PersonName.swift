/// An author: `Kari`, `kari@example.com`, `kari@example.com (Kari)`, `Kari <kari@example.com>`.
struct PersonName: Equatable {
    private(set) var name: String?
    private(set) var email: String?

    init(name: String? = nil, email: String? = nil) {
        self.name = name
        self.email = email
    }

    /// The parts of a text.
    init(_ text: String) {
        guard text.utf8.contains(UInt8(ascii: "@")) else {
            let text = trimmed(text)
            if !text.isEmpty { name = text }
            return
        }
        let isSeparator: (Character) -> Bool = { $0.isWhitespace || "()<>,;:".contains($0) }
        let words = text.split(whereSeparator: isSeparator)
        guard let address = words.first(where: PersonName.isAddress) else {
            let text = trimmed(text)
            if !text.isEmpty { name = text }
            return
        }
        email = String(address)
        var rest = String(text[..<address.startIndex] + text[address.endIndex...])
        for empty in ["()", "<>", "mailto:"] { rest = rest.replacing(empty, with: "") }
        rest = trimmed(rest)
        if rest.hasPrefix("("), rest.hasSuffix(")") { rest = trimmed(rest.dropFirst().dropLast()) }
        if !rest.isEmpty { name = rest }
    }

    private static func isAddress(_ word: Substring) -> Bool {
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
    }
}
