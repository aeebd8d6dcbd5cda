/// The topics of the news: all of them, `news:global`, `news:ticker:{T}`, `news:category:{c}`, and
/// `news:user:{id}` only for that user.
extension Topic {
    package static let newsNamespace = "news"

    /// Signals of `NewsTopic.globalImportanceMin` or more, and all stories without a ticker.
    package static let newsGlobal = Topic(trusted: "\(newsNamespace):global")

    package static func news(_ ticker: Ticker) -> Topic {
        Topic(trusted: "\(newsNamespace):ticker:\(ticker)")
    }

    package static func news(_ category: NewsCategory) -> Topic {
        Topic(trusted: "\(newsNamespace):category:\(category.rawValue)")
    }

    /// The topic of a user. Different users have different topics.
    package static func news(_ user: NewsUserID) -> Topic {
        Topic(trusted: "\(newsNamespace):user:\(NewsTopic.part(of: user))")
    }
}

/// The meaning of a topic of the news, parsed from its name.
package enum NewsTopic: Equatable, Sendable {
    case global
    case ticker(Ticker)
    case category(NewsCategory)
    /// The user whose topic is `Topic.news(user)`.
    case user

    /// Less important signals are only in the topics of their tickers and their category.
    package static let globalImportanceMin = 75

    /// Nil for a topic that does not exist. Only one spelling of each name does: a ticker is in
    /// upper case.
    package init?(_ topic: Topic) {
        let parts = topic.name.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.first.map({ $0 == Topic.newsNamespace }) == true else { return nil }
        switch (parts.dropFirst().first, parts.dropFirst(2).first, parts.count) {
        case ("global", nil, 2): self = .global
        case ("ticker", let name?, 3):
            guard let ticker = Ticker(name), ticker.text == name else { return nil }
            self = .ticker(ticker)
        case ("category", let name?, 3):
            guard let category = NewsCategory(rawValue: String(name)) else { return nil }
            self = .category(category)
        case ("user", let part?, 3):
            guard let user = NewsTopic.user(part), topic == .news(user) else { return nil }
            self = .user
        case ("user", let mark?, 4):
            guard mark == NewsTopic.digestMark, NewsTopic.isDigest(parts[3]) else { return nil }
            self = .user
        default: return nil
        }
    }

    // MARK: Users in names

    /// In front of the digest of a name that is too long for a topic.
    private static let digestMark = "sha256"

    /// Bytes of a user's part of a name, so that alerts about the topic have room for their suffix.
    static let partBytesMax =
        Topic.nameLengthMax - "\(Topic.newsNamespace):user:".utf8.count - ":alerts".utf8.count

    /// A user's name as a part of a topic: bytes that topics do not have, `:` and `%` are
    /// percent-encoded; `sha256:` and the digest of the name if that is too long. No encoded name has
    /// a colon, so none looks like a digest.
    static func part(of user: NewsUserID) -> String {
        var part: [UInt8] = []
        for byte in user.text.utf8 {
            if isPlain(byte) {
                part.append(byte)
            } else {
                part += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        guard part.count <= partBytesMax else {
            return "\(digestMark):\(hexadecimal(sha256(user.text.utf8)))"
        }
        return String(decoding: part, as: UTF8.self)
    }

    /// The user of an encoded name; nil for broken escapes and other texts than names. The same name
    /// may be encoded in other ways, which are no topics.
    private static func user(_ part: Substring) -> NewsUserID? {
        var name: [UInt8] = []
        var rest = part.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                name.append(byte)
                continue
            }
            guard let decoded = UInt8(String(Substring(rest.prefix(2))), radix: 16) else {
                return nil
            }
            name.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(validating: name, as: UTF8.self).flatMap { NewsUserID($0) }
    }

    private static func isDigest(_ text: Substring) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Whether a byte stands for itself: those that a topic may have, without the colon, which
    /// separates parts, and the percent sign.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: ";"),
            UInt8(ascii: ":"), UInt8(ascii: "%"):
            false
        default: (0x21...0x7E).contains(byte)
        }
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}
