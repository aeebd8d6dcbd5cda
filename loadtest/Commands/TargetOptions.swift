import ArgumentParser
import Reactor

enum ProtocolName: String, ExpressibleByArgument, CaseIterable {
    case centrifuge
    case raw
}

/// Which server, and what is said to it.
struct TargetOptions: ParsableArguments {
    @Option(help: "Where the server is: ws://HOST:PORT/PATH or wss://HOST:PORT/PATH.")
    var url = "ws://127.0.0.1:8000"

    @Flag(help: "Accept any certificate. For a server on your own machine.")
    var insecure = false

    @Option(name: .customLong("protocol"), help: "What is spoken: centrifuge or raw.")
    var protocolName: ProtocolName?

    @Option(help: "The channel, or topic, that messages go through.")
    var channel = "bench:1"

    @Option(help: "The path that a publisher asks for, when it is not the URL's.")
    var publisherPath: String?

    @Option(
        name: .customLong("subprotocol"),
        help: "A subprotocol to offer (may be repeated)."
    )
    var subprotocols: [String] = []

    @Option(help: "raw: a subscriber's first message; {channel} and {number} are filled in.")
    var subscribe: String?

    @Option(help: "raw: a publisher's first message.")
    var greeting: String?

    @Option(
        help: "raw: a message that publishes; {payload}, {length}, {channel}, {number}."
    )
    var publish = "{payload}"

    @Option(help: "raw: a message with this text says that a connection has joined.")
    var readyText: String?

    @Option(help: "raw: QUESTION=ANSWER, for a server that wants its messages answered.")
    var answer: String?

    @Flag(help: "raw: send binary messages.")
    var binary = false

    @Option(
        help: """
            How many addresses, 127.0.0.1 and up, connections come from; by default one for every \
            \(FleetSettings.connectionsPerSource) connections to a server on loopback.
            """
    )
    var sources: Int?

    @Option(
        help: """
            How many connections may be on their way at once: \
            \(FleetSettings.openingConcurrency), and in a storm all, when nothing is said.
            """
    )
    var opening: Int?

    /// Connections that may be on their way at once.
    var openingConcurrency: Int { opening ?? FleetSettings.openingConcurrency }

    @Option(name: .customLong("pid"), help: "A process of the server (may be repeated).")
    var pids: [Int32] = []

    /// - Parameters:
    ///   - standardProtocol: What is spoken when nothing is asked for.
    ///   - standardPath: What is asked for when the URL names no path.
    func settings(
        connectionsMax: Int,
        standardProtocol: ProtocolName = .centrifuge,
        standardPath: String? = nil
    ) throws -> FleetSettings {
        let destination = try Destination(
            url,
            isInsecure: insecure,
            example: "ws://HOST:PORT/PATH"
        )
        try DescriptorLimit.raise(for: connectionsMax)
        let name = protocolName ?? standardProtocol
        let path =
            destination.url.path ?? standardPath
            ?? (name == .centrifuge ? "/connection/websocket" : "/")
        return FleetSettings(
            url: destination.url,
            address: destination.address,
            tls: destination.tls,
            dialect: try dialect(name),
            channel: channel,
            path: path,
            publisherPath: publisherPath ?? path,
            subprotocols: subprotocols,
            sources: sources.map(FleetSettings.loopbackSources(count:))
                ?? FleetSettings.loopbackSources(for: connectionsMax, to: destination.address),
            connectionsMax: connectionsMax
        )
    }

    private func dialect(_ name: ProtocolName) throws -> Dialect {
        guard name == .raw else { return .centrifuge }
        let publish = MessageTemplate(publish)
        guard publish.hasPayload else {
            throw ValidationError("--publish needs a {payload}, by which messages are recognised")
        }
        return .raw(
            RawDialect(
                subscribe: subscribe.map(MessageTemplate.init),
                greeting: greeting.map(MessageTemplate.init),
                publish: publish,
                readyText: readyText.map { Array(MessageTemplate.unescaped($0).utf8) },
                answer: try answer.map(pair),
                isBinary: binary
            )
        )
    }

    private func pair(_ text: String) throws -> (question: [UInt8], answer: [UInt8]) {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
            throw ValidationError("--answer '\(text)' is not QUESTION=ANSWER")
        }
        let parts = [text[..<sign], text[text.index(after: sign)...]]
            .map { Array(MessageTemplate.unescaped(String($0)).utf8) }
        return (parts[0], parts[1])
    }
}
