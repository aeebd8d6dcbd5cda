import Foundation

/// The section `hooks`: the applications that decide about clients.
package struct HooksSection: DomainListSection {
    package static let key = "hooks"
    package static let counts = 0...64
    package static var identity: (name: String, value: KeyPath<Hook, String>) { ("name", \.name) }

    package var items: [Hook] = []

    package init() {}

    package struct Hook: ConfigurationSection {
        /// In a URL, for the name of the event.
        static let placeholder = "{event}"

        package var name = ""
        package var url = ""
        package var secret: Secret?
        package var headers: [String] = []
        package var timeout = Duration.seconds(1)
        package var concurrency = 64
        package var queue = 1024
        package var cache = Duration.zero
        package var grace = Duration.seconds(600)

        package init() {}

        /// Where the questions about an event go.
        func url(of event: HookEvent) -> String {
            url.replacingOccurrences(of: Hook.placeholder, with: event.rawValue)
        }
    }

    package static func contradictionsOfAbsence(
        in configuration: Configuration
    ) -> [(path: String, message: String)] {
        HooksSection().unknownHooks(in: configuration)
    }

    package func contradictions(
        in configuration: Configuration
    ) -> [(path: String, message: String)] {
        unknownHooks(in: configuration) + sharedURLs(in: configuration)
    }

    private func unknownHooks(
        in configuration: Configuration
    ) -> [(path: String, message: String)] {
        let names = items.map(\.name)
        return configuration.namedHooks.filter { !names.contains($0.hook) }.map { path, hook in
            let expected =
                names.isEmpty ? "a hook in the section hooks" : names.joined(separator: ", ")
            return (path, "found \(hook), expected \(names.count > 1 ? "one of " : "")\(expected)")
        }
    }

    /// An application cannot distinguish events that come to one URL.
    private func sharedURLs(in configuration: Configuration) -> [(path: String, message: String)] {
        items.enumerated().compactMap { index, hook in
            let events = Set(
                configuration.hookEvents.filter { $0.hook == hook.name }.map(\.event.rawValue)
            ).sorted()
            guard events.count > 1, !hook.url.contains(Hook.placeholder) else { return nil }
            return (
                "hooks[\(index)].url",
                "found no \(Hook.placeholder), expected it: the hook is asked about"
                    + " \(events.joined(separator: ", "))"
            )
        }
    }

    package func warnings(in loaded: LoadedConfiguration) -> [ConfigurationWarning] {
        items.enumerated().compactMap { index, hook in
            guard hook.secret == nil, !hook.isOnThisMachine else { return nil }
            return ConfigurationWarning(
                path: "hooks[\(index)].secret",
                message: "none: anyone who can reach the application can ask it as if they were"
                    + " the hub"
            )
        }
    }
}

extension HooksSection.Hook {
    /// Whether the URL names this machine.
    var isOnThisMachine: Bool {
        guard let host = ScalarType<String>.host(of: url(of: .connect)) else { return false }
        return host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    package static var fields: [ConfigurationField<HooksSection.Hook>] {
        addressFields + boundFields
    }

    private static var addressFields: [ConfigurationField<HooksSection.Hook>] {
        [
            .scalar(
                "name",
                \.name,
                .name(allowing: "-_.", example: "app"),
                isRequired: true,
                reload: .restart,
                meaning: "Names the hook in other keys, logs and metrics."
            ),
            .scalar(
                "url",
                \.url,
                .url(
                    hiding: .pathAndQuery,
                    placeholder: placeholder,
                    example: "https://app.example.org/realtime/{event}"
                ),
                isRequired: true,
                reload: .restart,
                meaning: """
                    Where questions are sent. `{event}` stands for `connect`, `refresh`, `subscribe`, \
                    `sub_refresh`, `publish`, `rpc` or `cache_empty`; it is required for a hook of several events. \
                    Logs show only the host.
                    """
            ),
            .optional(
                "secret",
                \.secret,
                .secret(example: "whsec_ and base64"),
                reload: .restart,
                meaning: """
                    Signs each question, as webhooks are signed: `whsec_` and 24 to 64 bytes in \
                    base64. Without it, questions are not signed.
                    """
            ),
            .list(
                "headers",
                \.headers,
                .text("header", lengthMax: 64, example: "Cookie"),
                counts: 0...32,
                reload: .restart,
                meaning: """
                    The fields of the client's handshake that questions repeat, such as `Cookie`, \
                    `Authorization` or `X-Tenant`.
                    """
            ),
        ]
    }

    private static var boundFields: [ConfigurationField<HooksSection.Hook>] {
        [
            .scalar(
                "timeout",
                \.timeout,
                .duration(.milliseconds(50) ... .seconds(30)),
                reload: .restart,
                meaning: "The longest time of a call. A client then gets error 100, temporary."
            ),
            .scalar(
                "concurrency",
                \.concurrency,
                .integer(1...1024),
                reload: .restart,
                meaning: "Calls at the same time."
            ),
            .scalar(
                "queue",
                \.queue,
                .integer(0...100_000),
                reload: .restart,
                meaning: "Questions that wait for a call. One more is refused at once."
            ),
            .scalar(
                "cache",
                \.cache,
                .duration(.zero ... .seconds(3600)),
                reload: .restart,
                meaning: """
                    The time for which positive answers to `connect` and `subscribe` are used for \
                    equal questions, never beyond their `expire_at`. 0s asks each time.
                    """
            ),
            .scalar(
                "grace",
                \.grace,
                .duration(.zero ... .seconds(7 * 86_400)),
                reload: .restart,
                meaning: """
                    The time for which connections and subscriptions live on while the application \
                    does not answer `refresh` and `sub_refresh`.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        var found: [(path: String, message: String)] = []
        if let secret {
            do throws(WebhookSecretError) { _ = try WebhookSecret(secret.revealed) } catch {
                found.append(("secret", "\(error)"))
            }
        }
        for (index, name) in headers.enumerated() where !HooksSection.Hook.isForwarded(name) {
            found.append(
                (
                    "headers[\(index)]",
                    "found \(name), expected the name of a field that is not about the connection"
                )
            )
        }
        return found
    }

    /// Whether a field of a handshake makes sense in another request.
    private static func isForwarded(_ name: String) -> Bool {
        let own: Set = [
            "connection", "content-length", "content-type", "expect", "host", "keep-alive",
            "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding",
            "upgrade", "traceparent", "user-agent",
        ]
        let lower = name.lowercased()
        let isToken = lower.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: "_")
        }
        return isToken && !own.contains(lower) && !lower.hasPrefix("sec-websocket-")
            && !lower.hasPrefix("webhook-")
    }
}

extension Configuration {
    /// The events about which each hook is asked.
    fileprivate var hookEvents: [(hook: String, event: HookEvent)] {
        namedHooks.compactMap { path, hook in
            let key = path.split(separator: ".").dropFirst().first ?? ""
            let event: HookEvent? =
                switch key {
                case "connect_hook": .connect
                case "refresh_hook": .refresh
                case "rpc_hooks": .rpc
                case "subscribe_hook": .subscribe
                case "sub_refresh_hook": .subRefresh
                case "publish_hook": .publish
                case "cache_empty_hook": .cacheEmpty
                default: nil
                }
            return event.map { (hook, $0) }
        }
    }
}
