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

    package func logConnect(node: String, _ more: Logger.Metadata = [:], to logger: Logger) {
        logger.info(
            "client connected",
            metadata: metadata(event: "client.connected", node).merging(more) { $1 },
            source: LogSource.peer
        )
    }

    /// - Parameter code: the hub's reason for ending the connection, if the hub ended it.
    package func logDisconnect(
        _ code: DisconnectCode?,
        _ end: ConnectionEnd,
        node: String,
        now: MonotonicInstant,
        to logger: Logger
    ) {
        let milliseconds = (now.nanoseconds - start.nanoseconds) / 1_000_000
        var metadata = metadata(event: "client.disconnected", node)
        metadata["duration_ms"] = .stringConvertible(milliseconds)
        metadata["code"] = .stringConvertible(code?.code ?? 0)
        metadata["reason"] = "\(code?.reason ?? end.text)"
        logger.info("client disconnected", metadata: metadata, source: LogSource.peer)
    }

    private func metadata(event: String, _ node: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "event": "\(event)", "node": "\(node)", "client": "\(id)",
            "user": "\(user)", "transport": "\(transport)",
            "protocol": "\(wireProtocol)", "remote": "\(address)",
        ]
        if let key { metadata["key"] = "\(key)" }
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
    /// Logs the end of a connection that failed before its first request.
    package func logProblem(to logger: Logger) {
        switch self {
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
