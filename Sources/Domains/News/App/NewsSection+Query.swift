import News

extension NewsSection {
    /// The query of a source of the kind `newsapi`.
    package struct Query: Equatable, Sendable {
        package var country: String?
        package var category: NewsCategory?
        /// NewsAPI's `q`.
        package var words: String?
        package var language: String?
        /// NewsAPI's `sources`.
        package var publishers: [String] = []

        package init() {}

        /// NewsAPI's own limit.
        static let publisherCountMax = 20
        /// NewsAPI's largest page, so that each request returns as many articles as possible.
        private static let pageSize = 100

        /// Whether the query requests NewsAPI's headlines, not all of its articles.
        var asksForHeadlines: Bool { country != nil || category != nil }

        /// Path and query of the request.
        var target: String {
            let path = asksForHeadlines ? "/v2/top-headlines" : "/v2/everything"
            let sources = publishers.isEmpty ? nil : publishers.joined(separator: ",")
            var parameters: [(String, String?)] = [
                ("country", country), ("category", category?.rawValue), ("q", words),
                ("language", language), ("sources", sources), ("pageSize", "\(Query.pageSize)"),
            ]
            if !asksForHeadlines { parameters.append(("sortBy", "publishedAt")) }
            let texts = parameters.compactMap { name, value in
                value.map { "\(name)=\(Query.percentEncoded($0))" }
            }
            return path + "?" + texts.joined(separator: "&")
        }

        /// Encodes all characters except the unreserved ones of RFC 3986 §2.3.
        private static func percentEncoded(_ text: String) -> String {
            let unreserved = Set(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8
            )
            let digits = Array("0123456789ABCDEF".utf8)
            let encoded = text.utf8.flatMap { byte in
                unreserved.contains(byte)
                    ? [byte]
                    : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
            return String(decoding: encoded, as: UTF8.self)
        }
    }

    /// Returns the errors in the keys `language` and `country`, which are two small letters each.
    static func wrongCodes(
        language: String?,
        country: String?
    ) -> [(path: String, message: String)] {
        [
            ("language", language, "en (ISO 639-1)"), ("country", country, "us (ISO 3166-1)"),
        ].compactMap { key, code, example in
            guard let code, code.count != 2 || !code.allSatisfy({ ("a"..."z").contains($0) })
            else { return nil }
            return (key, "found \"\(code)\", expected two letters such as \(example)")
        }
    }
}
