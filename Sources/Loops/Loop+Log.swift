import ClientWire
import Reactor
import Service

extension Loop {
    package func logConnect(_ client: LoggedClient, _ more: Logger.Metadata = [:]) {
        client.logConnect(node: settings.node, more, to: logger)
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
        client.logDisconnect(code, end, node: settings.node, now: now, to: logger)
    }
}
