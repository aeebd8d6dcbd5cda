import ClientWire
import LogOutput
import Logging
import Reactor

/// The log's data of a client: one line when it connects, one when it disconnects.
package struct LoggedClient {
    package let id: String
    package let user: String
    package let transport: String
    package let wireProtocol: String
    package let address: String
    package let start: MonotonicInstant
    /// Whether its token was accepted, or it needed none.
    package let wasLetIn: Bool
    /// The name of the API key that opened the connection; nil without one.
    package var key: String?
}

extension Shard {
    package func logConnect(_ client: LoggedClient, _ more: Logger.Metadata = [:]) {
        logger.info(
            "client connected",
            metadata: metadata(client, event: "client.connected").merging(more) { $1 }
        )
    }

    /// Counts and logs the end of a client.
    ///
    /// - Parameter code: the hub's reason for ending the connection, if the hub ended it.
    package func noteDisconnect(
        _ client: LoggedClient,
        _ code: DisconnectCode?,
        _ end: ConnectionEnd
    ) {
        // A full queue has no room for the code, which is still the reason.
        let code = code ?? (end == .queueOverflow ? .slow : nil)
        counters.disconnects[DisconnectCause(code, end), default: 0] += 1
        let milliseconds = (now.nanoseconds - client.start.nanoseconds) / 1_000_000
        var metadata = metadata(client, event: "client.disconnected")
        metadata["duration_ms"] = .stringConvertible(milliseconds)
        metadata["code"] = .stringConvertible(code?.code ?? 0)
        metadata["reason"] = "\(code?.reason ?? end.text)"
        // Rates limit accepted connections, but not refused ones.
        let source = client.wasLetIn ? nil : LogSource.peer
        logger.info("client disconnected", metadata: metadata, source: source)
    }

    private func metadata(_ client: LoggedClient, event: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "event": "\(event)", "node": "\(settings.node)", "client": "\(client.id)",
            "user": "\(client.user)", "transport": "\(client.transport)",
            "protocol": "\(client.wireProtocol)", "remote": "\(client.address)",
        ]
        if let key = client.key { metadata["key"] = "\(key)" }
        return metadata
    }
}

extension ClientSession {
    package var logged: LoggedClient {
        LoggedClient(
            id: id,
            user: identity.user,
            transport: streamed?.framing.transport ?? "websocket",
            wireProtocol: "\(encoding)",
            address: address,
            start: start,
            wasLetIn: info != nil
        )
    }
}

extension EventStreamSession {
    package var logged: LoggedClient {
        LoggedClient(
            id: id,
            user: reader.user,
            transport: "eventstream",
            wireProtocol: "eventstream",
            address: reader.address,
            start: start,
            wasLetIn: true,
            key: reader.key?.grant.name
        )
    }
}

extension SocketReaderSession {
    package var logged: LoggedClient {
        LoggedClient(
            id: id,
            user: reader.user,
            transport: "websocket",
            wireProtocol: content.name,
            address: reader.address,
            start: start,
            wasLetIn: true,
            key: reader.key?.grant.name
        )
    }
}

extension SocketReaderSession.Content {
    /// The name in logs and metrics.
    package var name: String {
        switch self {
        case .cloudEvents: "cloudevents"
        case .topic(let socket): socket.name
        }
    }
}

extension ConnectionEnd {
    /// The text in the log.
    package var text: String {
        switch self {
        case .closed: "closed"
        case .broken: "connection lost"
        case .queueOverflow, .stalled: "slow"
        case .tlsFailed(let text): text
        case .proxyHeaderRefused(let error): error.description
        }
    }
}
