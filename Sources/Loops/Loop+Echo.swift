import Reactor
import Wire

/// WebSockets that send back every message: `EchoMachine` decides, and the loop carries out its
/// actions. Excess input of one turn waits in the queue of all clients' input.
extension Loop {
    package func upgradeEcho(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard let agreement = accept(head, subprotocols: [], on: id) else { return }
        let machine = EchoMachine(webSocket(agreement), now: now, settings.webSocketPolicy)
        let session = EchoSession(machine: machine)
        setSession(.echo(session), of: id)
        turn.beginWork()
        receiveEcho(rest, session, on: id)
    }

    package func receiveEcho(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: EchoSession,
        on id: ConnectionID
    ) {
        let consumed = readEcho(bytes, session, on: id)
        if consumed < bytes.count { postpone(bytes[consumed...], of: id) }
    }

    /// Returns the number of bytes that were read; the rest has to wait.
    package func readEcho(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: EchoSession,
        on id: ConnectionID
    ) -> Int {
        guard !waiting.contains(id) else { return 0 }
        turn.clearOutput()
        let echoed = session.machine.receive(
            bytes,
            bytesMax: settings.turnWorkBytesMax,
            now: now,
            settings.webSocketPolicy,
            output: &turn.output
        )
        if echoed.hasMessage { memory.noteMessage(of: id) }
        perform(echoed.actions, on: id)
        return echoed.consumed
    }

    package func handleDeadline(_ session: EchoSession, on id: ConnectionID) {
        let policy = settings.webSocketPolicy
        if session.machine.isPongLate(now: now) {
            guard let isAlive = reads(&session.watch, on: id) else { return }
            if isAlive { session.machine.receiveSignOfLife(now: now, policy) }
        }
        let isPinged = session.machine.isAwaitingPong
        turn.clearOutput()
        let actions = session.machine.deadlinePassed(
            now: now,
            policy,
            output: &turn.output
        )
        if !isPinged, session.machine.isAwaitingPong {
            session.watch.pingSent(connections.reading(of: id), now: now)
        }
        perform(actions, on: id)
    }
}
