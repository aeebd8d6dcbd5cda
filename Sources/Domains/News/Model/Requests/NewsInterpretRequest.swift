/// The body of `POST /v1/interpret`: `{"textOrUrl":…}`.
package enum NewsInterpretRequest: Equatable, Sendable {
    case text(InterpretedText)
    /// An absolute `http` or `https` URL. Whether the hub may fetch it is decided when it connects.
    case url(String)

    package init(json body: [UInt8]) throws(NewsError) {
        let name = "textOrUrl"
        do throws(RequestError) {
            _ = try RequestFields(body)
        } catch {
            throw NewsError(error)
        }
        guard let value = rawField(name, of: body) else { throw .interpretEmpty }
        guard let text = JSONReader.string(value) else {
            throw NewsError(
                .unexpected(
                    field: name,
                    expected: "a string",
                    found: RequestError.excerpt(value)
                )
            )
        }
        try self.init(text)
    }

    /// - Parameter input: as the user has pasted it. Its control characters, of which texts from
    ///   documents have all kinds, become spaces.
    package init(_ input: String) throws(NewsError) {
        let limit = NewsRequestLimits.interpretLengthMax
        let scalars = input.unicodeScalars.map {
            $0.properties.generalCategory == .control ? " " : $0
        }
        let text = trimmedText(String(String.UnicodeScalarView(scalars)))
        let rule = TextRule(lengthMax: limit)
        do throws(RequestError) {
            _ = try rule.check(text, field: "textOrUrl")
        } catch {
            switch error {
            case .tooLong(_, let length, _, _):
                throw .interpretTooLong(length: length, limit: limit)
            default: throw .interpretEmpty
            }
        }
        guard let scheme = NewsInterpretRequest.scheme(of: text) else {
            self = .text(InterpretedText(text))
            return
        }
        guard isWebURL(text) else {
            let details =
                ["http", "https"].contains(scheme)
                ? "expected a URL of at most \(NewsRequestLimits.urlBytesMax) bytes with a host"
                : "expected the scheme http or https"
            throw .urlNotReadable(details: details)
        }
        self = .url(text)
    }

    /// The scheme, if the text is one word that begins like a URL with an authority.
    private static func scheme(of text: String) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text[colon...].hasPrefix("://"), !text.contains(where: \.isWhitespace)
        else { return nil }
        let scheme = text[..<colon].lowercased()
        guard scheme.first?.isLetter == true,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        return scheme
    }
}

/// A text that a user has pasted, and its properties without interpretation.
package struct InterpretedText: Equatable, Sendable {
    package static let source = "User Input"
    package static let titleLengthMax = 120

    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// `text://1767348000-9f86d081884c7d65`: the second of the request, as documented, and a digest
    /// of the text, so that two texts of one second are two signals.
    package func id(now: Timestamp) -> String {
        let digestBytes = 8
        let digits = Array("0123456789abcdef")
        let digest = sha256(text.utf8).prefix(digestBytes)
        let hex = String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] })
        return "text://\(now.wholeSeconds)-\(hex)"
    }

    /// The first sentence, cut at a word where it is longer than `titleLengthMax` characters.
    package var title: String {
        let words = text.split(whereSeparator: \.isWhitespace)
        var sentence = ""
        for (word, next) in zip(words, words.dropFirst().map(Optional.some) + [nil]) {
            let longer = sentence.isEmpty ? String(word) : "\(sentence) \(word)"
            guard longer.count <= InterpretedText.titleLengthMax else {
                return InterpretedText.shortened(sentence.isEmpty ? longer : sentence)
            }
            sentence = longer
            if InterpretedText.ends(word, before: next) { break }
        }
        return sentence
    }

    /// With an ellipsis, cut at a word unless it has only one.
    private static func shortened(_ text: String) -> String {
        let roomMax = titleLengthMax - 1
        guard text.count > roomMax else { return text + "…" }
        let text = text.prefix(roomMax + 1)
        let end = text.lastIndex(of: " ") ?? text.index(before: text.endIndex)
        return text[..<end] + "…"
    }

    /// Whether a sentence ends with the word. An abbreviation's point does not end it.
    private static func ends(_ word: Substring, before next: Substring?) -> Bool {
        let closing: Set<Character> = ["\"", "'", ")", "”", "’"]
        let bare = String(word.reversed().drop { closing.contains($0) }.reversed())
        guard let last = bare.last, [".", "!", "?"].contains(last) else { return false }
        guard last == "." else { return true }
        let stem = bare.dropLast()
        let isAbbreviation =
            stem.count < 2 || stem.contains(".")
            || WordLists.abbreviationsOfPastedTexts.contains(stem.lowercased())
        let startsSentence = next?.first.map { !$0.isLowercase } ?? true
        return startsSentence && !isAbbreviation
    }
}

/// Whether a text is an absolute `http` or `https` URL of visible ASCII with a host and without
/// credentials.
func isWebURL(_ text: some StringProtocol) -> Bool {
    let lower = text.prefix("https://".count).lowercased()
    guard lower.hasPrefix("http://") || lower == "https://",
        text.utf8.count <= NewsRequestLimits.urlBytesMax,
        text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return false }
    let rest = text[text.firstIndex(of: ":")!...].dropFirst("://".count)
    let authority = rest.prefix { !"/?#".contains($0) }
    return !authority.isEmpty && authority.first != ":" && !authority.contains("@")
        && !authority.contains("\\")
}
