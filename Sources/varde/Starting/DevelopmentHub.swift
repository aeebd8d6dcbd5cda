/// The configuration of `varde dev`, and what the command prints.
enum DevelopmentHub {
    /// A back end that decides about clients.
    struct Hook {
        var url: String
        /// Nil if its questions are not signed.
        var secret: String?
    }

    /// The namespaces that are always open.
    static let namespaces = ["chat", "demo", "public", "room", "test"]

    /// Returns the configuration as YAML.
    ///
    /// - Parameters:
    ///   - more: further namespaces, which may include those of `namespaces`.
    ///   - hook: a back end that decides about clients; nil for none.
    static func configuration(
        _ secrets: GeneratedSecrets,
        namespaces more: [String],
        hook: Hook? = nil
    ) -> String {
        let names = namespaces + Set(more).subtracting(namespaces).sorted()
        let hookLines =
            hook == nil
            ? "" : "\n" + hookKeys(["subscribe", "sub_refresh", "publish"], indent: 4)
        let entries = names.map { name in
            """
              - name: \(quoted(name))
                anonymous_subscribe: true
                publish: anyone
                history_size: 1000
                history_age: 24h
                presence: true
                join_leave: true
            """ + hookLines
        }
        return """
            development: true
            synchronous: normal
            tokens:
              secrets: [\(quoted(secrets.tokenSecret))]
            api:
              keys: [\(quoted(secrets.apiKey))]
            http:
              allowed_origins: ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]
            webhook_limits:
              allow_addresses: ["127.0.0.0/8", "::1/128"]
            namespaces:
            \(entries.joined(separator: "\n"))
            \(hook.map(hookSections) ?? "")
            """
    }

    private static func hookKeys(_ events: [String], indent: Int) -> String {
        events.map { String(repeating: " ", count: indent) + "\($0)_hook: app" }
            .joined(separator: "\n")
    }

    private static func hookSections(_ hook: Hook) -> String {
        let url = hook.url
        let end = url.hasSuffix("/") ? "{event}" : "/{event}"
        let secret = hook.secret.map { "\n    secret: " + quoted($0) } ?? ""
        return """
            hooks:
              - name: app
                url: \(quoted(url.contains("{event}") ? url : url + end))
                headers: [Cookie, Authorization]\(secret)
            clients:
            \(hookKeys(["connect", "refresh"], indent: 2))
              rpc_hooks: {"*": app}

            """
    }

    /// Quotes the text of a flag, which may contain anything, as one scalar.
    private static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" ? "''" : $0.isNewline ? " " : String($0) }.joined() + "'"
    }

    /// Returns the secrets, and example commands.
    ///
    /// - Parameters:
    ///   - secrets: what a shell expands to the secrets, in double quotes.
    ///   - address: HOST:PORT.
    static func greeting(_ secrets: GeneratedSecrets, address: String, isKept: Bool) -> String {
        """
        Varde for development: http://\(address)
        Console:               http://\(address)/console/
        \(isKept ? "" : """
            Publications and secrets are gone when it stops; --database FILE keeps them.

            """)
        API key:      \(secrets.apiKey)
        token secret: \(secrets.tokenSecret)

        Subscribe, in a second terminal:

          curl -N 'http://\(address)/events?topics=chat:hello&since=beginning'

        Publish, in a third one:

          curl http://\(address)/api/publish -H "X-API-Key: \(secrets.apiKey)" \\
            -d '{"channel":"chat:hello","data":{"text":"Hello"}}'

        A browser, without a library:

          const events = new EventSource("http://\(address)/events?topics=chat:hello");
          events.addEventListener("chat:hello", (event) => console.log(event.data));

        A browser, with centrifuge-js, which also publishes:

          const client = new Centrifuge("ws://\(address)/connection/websocket");
          const subscription = client.newSubscription("chat:hello");
          subscription.on("publication", (message) => console.log(message.data));
          subscription.subscribe();
          client.connect();
          subscription.publish({text: "Hello"});

        For the programs in examples/ and for varde publish:

          export VARDE_URL=http://\(address) VARDE_API_KEY="\(secrets.apiKey)" \\
            VARDE_TOKEN_SECRET="\(secrets.tokenSecret)"

        A token for the user kari:

          VARDE_TOKEN_SECRET="\(secrets.tokenSecret)" varde token create --user kari

        Open namespaces: \(namespaces.joined(separator: ", ")); more with --namespace NAME.
        """
    }
}
