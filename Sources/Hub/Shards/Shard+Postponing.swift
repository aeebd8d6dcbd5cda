import ClientWire
import Reactor

/// What a client has asked for and is not done yet, because it is more than the work of one turn.
package struct PostponedInput {
    /// Of the frame that was under way, in their order.
    package var actions: ArraySlice<SessionAction> = []
    /// What came behind that frame.
    package var bytes: [UInt8] = []
}

/// Few bytes can ask for very much: pages of history, compressed messages of a thousand times their length. So
/// the work that a turn does for one client is bounded. The rest of it goes on in later turns, for one
/// client in each, after all others that have something to say; until it is done nothing more is read
/// from the client. A client whose calls have cost too much is served only in later turns, so that many such
/// clients delay the others no more than one does. The calls of all clients together have a share of the loop's
/// time, and so does their compressed input (`RecentWork`).
///
/// What a client asks for is answered as fast as it takes the answers: one that comes back to many topics, over
/// a slow network, would be cut off by what it has missed, and ask for it again.
extension Shard {
    /// Begins the work of a turn for another client.
    package func beginWork() { workBytes = 0 }

    package func countWork(_ bytes: Int) { workBytes += bytes }

    package var isWorkDone: Bool { workBytes > settings.turnWorkBytesMax }

    /// A client may inflate so much in a turn even if the loop has inflated too much. Commands are shorter.
    private static let inflatedAnyway = 8 << 10

    /// Counts what a piece of a client's input has inflated to.
    package func countInflated(_ bytes: Int) {
        guard bytes > 0 else { return }
        countWork(bytes)
        inflating.add(bytes, now: milliseconds)
    }

    /// Whether the client under way has to wait with its compressed input.
    package var hasInflatedTooMuch: Bool {
        workBytes > Shard.inflatedAnyway && inflating.isTooMuch(now: milliseconds)
    }

    package func isPostponed(_ id: ConnectionID) -> Bool {
        !postponed.isEmpty && postponed[id] != nil
    }

    /// Leaves the commands that are left of a frame to a later turn.
    package func postpone(_ actions: ArraySlice<SessionAction>, of id: ConnectionID) {
        beginPostponing(id)
        postponed[id]?.actions += actions
    }

    /// Leaves what came behind a frame to a later turn.
    package func postpone(
        _ bytes: UnsafeMutableBufferPointer<UInt8>.SubSequence,
        of id: ConnectionID
    ) {
        beginPostponing(id)
        postponed[id]?.bytes += bytes
    }

    private func beginPostponing(_ id: ConnectionID) {
        guard postponed[id] == nil else { return }
        counters.bounds[.turnWork] += 1
        postponed[id] = PostponedInput()
        postponedOrder.append(id)
        connections.setReading(false, on: id)
    }

    /// Where in the order the first one stands that can be gone on with; nil when all that wait have much to
    /// take yet. The kernel tells when they have taken it.
    private var nextPostponed: Int? {
        guard !postponedOrder.isEmpty else { return nil }
        let isCallsTurn = !calls.isTooMuch(now: milliseconds)
        let isInflatersTurn = !inflating.isTooMuch(now: milliseconds)
        return postponedOrder.firstIndex { id in
            guard case .client(let session) = session(of: id) else { return true }
            return connections.queuedBytes(id) <= settings.connections.queueBytesMax / 2
                && (isCallsTurn || !mayCall(session, on: id))
                && (isInflatersTurn || !mayInflate(session, on: id))
        }
    }

    /// Whether the input of a postponed client continues with compressed bytes.
    private func mayInflate(_ session: ClientSession, on id: ConnectionID) -> Bool {
        guard let next = postponed[id]?.bytes.first else { return false }
        return session.machine.mayInflate(next)
    }

    /// Whether the input of a postponed client continues with a call. If the client has called too much, it is
    /// assumed to.
    private func mayCall(_ session: ClientSession, on id: ConnectionID) -> Bool {
        if case .rpc = postponed[id]?.actions.first { return true }
        return session.calls.isTooMuch(now: milliseconds)
    }

    /// When the first costly work that waits may go on; nil when none has to wait for that.
    package var nextCostlyWork: MonotonicInstant? {
        guard !postponed.isEmpty else { return nil }
        let ends = [calls, inflating].map { $0.end(now: milliseconds) }
        return ends.filter { $0 > milliseconds }.min().map { MonotonicInstant(milliseconds: $0) }
    }

    /// Whether somebody waits for the next turn and for nothing else.
    package var hasWorkPostponed: Bool { nextPostponed != nil }

    /// A client that takes what was sent is alive. Its answer to a ping is not read while its input waits.
    package func noteTaking(by id: ConnectionID) {
        guard isPostponed(id), case .client(let session) = session(of: id) else { return }
        session.machine.receiveSignOfLife()
    }

    /// Goes on with the client that has waited longest.
    package func continuePostponed() {
        guard let next = nextPostponed else { return }
        let id = postponedOrder.remove(at: next)
        guard let input = postponed.removeValue(forKey: id) else { return }
        var bytes = input.bytes
        beginWork()
        switch session(of: id) {
        case .client(let session):
            output.removeAll(keepingCapacity: true)
            // Nobody waits for answers behind a Close frame. The bytes are read on for the peer's.
            if session.machine.isOpen { perform(input.actions, session, on: id) }
            sendOutput(session, on: id)
            bytes.withUnsafeMutableBufferPointer { receiveClient($0, session, on: id) }
        case .echo(let session):
            bytes.withUnsafeMutableBufferPointer { receiveEcho($0, session, on: id) }
        case .none, .http, .eventStream, .socketReader: return
        }
        if !isPostponed(id) { connections.setReading(true, on: id) }
        accountForInput(of: id)
    }
}
