import Wire

extension Configuration {
    /// The permissions of web pages in browsers.
    package struct HTTP: Equatable, Sendable {
        /// Pages of the hub's own address are allowed without an entry.
        package var allowedOrigins: [OriginPattern] = []
        /// Whether the hub serves the descriptions of its routes, and the page that shows them.
        package var openapi = true
        package var trustedProxies: [PeerBlocks.Entry] = []
        package var proxyProtocol: [PeerBlocks.Entry] = []

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
            .list(
                "trusted_proxies",
                \.trustedProxies,
                .peerBlock,
                counts: 0...256,
                reload: .restart,
                meaning: """
                    Proxies whose `X-Forwarded-For` names the client: the right-most address in it \
                    that is in none of these blocks. If it is malformed, the address of the proxy \
                    counts. `unix` stands for the peers of unix sockets.
                    """
            ),
            .list(
                "proxy_protocol",
                \.proxyProtocol,
                .peerBlock,
                counts: 0...256,
                reload: .restart,
                meaning: """
                    Proxies whose connections begin with a header of the PROXY protocol, version 1 \
                    or 2. A connection without it is closed. Headers of other peers are refused. \
                    Connections to the listeners of `admin.listen` have none.
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
                "found \"*\" with others, expected only it: it allows every origin"
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

extension ScalarType where Value == PeerBlocks.Entry {
    static var peerBlock: ScalarType {
        ScalarType(
            name: "peer",
            range: "ADDRESS/PREFIX, ADDRESS or unix",
            example: "10.0.0.0/8, 127.0.0.1 or unix",
            read: { PeerBlocks.Entry($0.text) },
            text: { yamlText($0.description) }
        )
    }
}
