import ClientWire
import Reactor
import Service

/// The log's data of a client: one line when it connects, one when it disconnects.
package struct LoggedClient {
    package let id: String
    package let user: String
    package let transport: String
    package let wireProtocol: String
    package let address: String
    package let start: MonotonicInstant
    /// The name of the API key that opened the connection; nil without one.
    package var key: String?
}

extension Loop {
    package func logConnect(_ client: LoggedClient, _ more: Logger.Metadata = [:]) {
        logger.info(
            "client connected",
            metadata: metadata(client, event: "client.connected").merging(more) { $1 },
            source: LogSource.peer
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
        turn.counters.disconnects[DisconnectCause(code, end), default: 0] += 1
        let milliseconds = (now.nanoseconds - client.start.nanoseconds) / 1_000_000
        var metadata = metadata(client, event: "client.disconnected")
        metadata["duration_ms"] = .stringConvertible(milliseconds)
        metadata["code"] = .stringConvertible(code?.code ?? 0)
        metadata["reason"] = "\(code?.reason ?? end.text)"
        logger.info("client disconnected", metadata: metadata, source: LogSource.peer)
    }

    /// Logs the end of a connection that failed before its first request.
    package func logProblem(of end: ConnectionEnd) {
        switch end {
        // At debug level: anyone who scans ports can cause it.
        case .tlsFailed(let reason):
            logger.debug(
                "tls failed",
                metadata: ["reason": "\(reason)"],
                source: LogSource.peer
            )
        // The peer is trusted, so this is a mistake of the operator.
        case .proxyHeaderRefused(let error):
            logger.warning(
                "PROXY protocol header refused",
                metadata: ["reason": "\(error)"],
                source: LogSource.peer
            )
        case .closed, .broken, .queueOverflow, .stalled: break
        }
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
            start: start
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
