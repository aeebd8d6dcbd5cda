import HTTPWire

extension Configuration {
    /// What web pages in browsers may do.
    package struct HTTP: Equatable, Sendable {
        /// Pages of the hub's own address are allowed without an entry.
        package var allowedOrigins: [OriginPattern] = []
        /// Whether the hub serves the descriptions of its routes, and the page that shows them.
        package var openapi = true

        package init() {}
    }
}

extension Configuration.HTTP: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.HTTP>] {
        [
            .list(
                "allowed_origins",
                \.allowedOrigins,
                .originPattern,
                counts: 0...256,
                reload: .live,
                meaning: """
                    `https://app.example.org` is only that origin. `"https://*.example.org"` is \
                    every host below, not `example.org` itself. `"null"`, in quotes, is sandboxed \
                    frames and local files. `"http://localhost:*"` is every port of the visitor's \
                    own machine, also with `127.0.0.1` and `[::1]`. `"*"`, as the only entry, is \
                    every page.
                    """
            ),
            .scalar(
                "openapi",
                \.openapi,
                .flag,
                reload: .restart,
                meaning: """
                    Whether `/openapi/` shows the routes, and `/openapi/NAME.json` and \
                    `/schemas/NAME.json` describe them for programs.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        guard allowedOrigins.count > 1, let index = allowedOrigins.firstIndex(of: .any) else {
            return []
        }
        return [
            (
                "allowed_origins[\(index)]",
                "found \"*\" beside others, expected it alone: it allows every origin"
            )
        ]
    }
}

extension ScalarType where Value == OriginPattern {
    package static var originPattern: ScalarType {
        ScalarType(
            name: "origin",
            range: "SCHEME://HOST or SCHEME://HOST:PORT",
            example:
                #"https://app.example.org, "https://*.example.org", "http://localhost:*", "null" or "*""#,
            read: { scalar in
                guard !scalar.isNull, scalar.text.utf8.count <= 255 else { return nil }
                return OriginPattern(scalar.text)
            },
            text: { yamlText($0.description) }
        )
    }
}
