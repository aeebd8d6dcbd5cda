/// Where a store is: the text of an argument of `varde store copy`.
enum StoreLocation: Equatable {
    case file(String)
    case postgres(PostgresTarget)

    private static let filePrefix = "sqlite:"

    /// - Parameter text: a path, `sqlite:` with a path, or a URL of PostgreSQL.
    init(_ text: String) throws(StoreError) {
        if let target = PostgresTarget(text) {
            self = .postgres(target)
            return
        }
        guard !PostgresTarget.isURL(text) else {
            throw StoreError(
                .cannotOpen,
                "schema is not a name of 1 to 63 lower-case letters, digits and _",
                path: "store"
            )
        }
        let hasPrefix = text.hasPrefix(Self.filePrefix)
        // A URL with a mistake may contain a password, which an error about a file would show.
        guard hasPrefix || !(text.contains("://") || text.contains("@")) else {
            throw StoreError(
                .cannotOpen,
                "expected a path, sqlite:PATH or a URL that begins with postgresql://",
                path: "store"
            )
        }
        self = .file(hasPrefix ? String(text.dropFirst(Self.filePrefix.count)) : text)
    }

    /// Without a password.
    var name: String {
        switch self {
        case .file(let path): path
        case .postgres(let target): target.name
        }
    }
}
