import CTables

/// Query parameters that identify the origin of a reader and do not select the article.
enum TrackingParameters {
    /// Whether a parameter of this name, in lower case, is removed.
    static func contains(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.hasPrefix($0) }
    }

    private static let prefixes = URLWords.table.words("prefixes of tracking parameters")
    private static let names = Set(URLWords.table.words("tracking parameters"))
}

/// Parts of URLs.
enum URLWords {
    static let table = WordTable(
        varde_url_parts(),
        sections: [
            "tracking parameters", "prefixes of tracking parameters", "second-level domains",
        ]
    )
}
