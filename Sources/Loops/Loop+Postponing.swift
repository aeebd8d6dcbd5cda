import ClientWire
import Reactor

/// Few bytes can request very much: pages of history, compressed messages that inflate to a
/// thousand times their length. So the work that a turn does for one client is bounded. The rest
/// continues in later turns, for one client in each, after all other clients with input; until it
/// is finished, the hub reads no more from the client. A client whose calls have cost too much is
/// served only in later turns, so many such clients delay the others no more than one does. The
/// calls of all clients together have a share of the loop's time, and so does their compressed
/// input (`RecentWork`).
///
/// Commands of a client are answered as fast as it reads the answers. Otherwise the publications
/// that it has missed would disconnect a client that returns to many topics over a slow network,
/// and it would request them again.
extension Loop {
    package var isWorkDone: Bool { turn.workBytes > settings.turnWorkBytesMax }

    /// The bytes that a client may inflate in a turn even if the loop has inflated too much.
    /// Commands are shorter.
    private static let inflatedAnyway = 8 << 10

    /// Counts the inflated bytes of a piece of a client's input.
    package func countInflated(_ bytes: Int) {
        guard bytes > 0 else { return }
        turn.countWork(bytes)
        waiting.costs.inflating.add(bytes, now: milliseconds)
    }

    /// Whether the current client must wait with its compressed input.
    package var hasInflatedTooMuch: Bool {
        turn.workBytes > Loop.inflatedAnyway && waiting.costs.inflating.isTooMuch(now: milliseconds)
    }

    /// Postpones the remaining commands of a frame to a later turn.
    package func postpone(_ actions: ArraySlice<SessionAction>, of id: ConnectionID) {
        if waiting.postpone(actions, of: id) { noteWaiting(id) }
    }

    /// Postpones the input after a frame to a later turn.
    package func postpone(
        _ bytes: UnsafeMutableBufferPointer<UInt8>.SubSequence,
        of id: ConnectionID
    ) {
        if waiting.postpone(bytes, of: id) { noteWaiting(id) }
    }

    private func noteWaiting(_ id: ConnectionID) {
        turn.counters.bounds[.turnWork] += 1
        connections.setReading(false, on: id)
    }

    /// The reason why a postponed client cannot continue; nil if it can.
    private func obstacle(
        of id: ConnectionID,
        with input: WaitingInput,
        _ allowance: PostponedOrder.Allowance
    ) -> PostponedOrder.Obstacle? {
        guard case .client(let session) = session(of: id) else { return nil }
        if !hasRoom(id) { return .room }
        if !allowance.calls, mayCall(session, input) { return .calls }
        if !allowance.inflating, mayInflate(session, input) { return .inflating }
        return nil
    }

    /// Whether the queue of a postponed client has room for answers.
    private func hasRoom(_ id: ConnectionID) -> Bool {
        connections.queuedBytes(id) <= settings.connections.queueBytesMax / 2
    }

    /// Whether the input of a postponed client continues with compressed bytes.
    private func mayInflate(_ session: ClientSession, _ input: WaitingInput) -> Bool {
        guard let next = input.bytes.first else { return false }
        return session.machine.mayInflate(next)
    }

    /// Whether the input of a postponed client continues with a call. If the client has called too
    /// much, it is assumed to.
    private func mayCall(_ session: ClientSession, _ input: WaitingInput) -> Bool {
        if case .rpc = input.actions.first { return true }
        return session.calls.isTooMuch(now: milliseconds)
    }

    /// The time at which the first costly work may continue; nil if no work has to wait for that.
    package var nextCostlyWork: MonotonicInstant? {
        waiting.nextCostlyWork(now: milliseconds).map { MonotonicInstant(milliseconds: $0) }
    }

    /// Whether a client waits only for the next turn.
    package func hasWorkPostponed() -> Bool {
        guard !waiting.isEmpty else { return false }
        let allowance = waiting.allowance(now: milliseconds)
        return waiting.hasNext(allowance) { obstacle(of: $0, with: $1, allowance) }
    }

    /// Notes that a client reads: its input may continue. It is also a sign of life, because its answer
    /// to a ping is not read while its input waits.
    package func noteTaking(by id: ConnectionID) {
        guard waiting.contains(id), case .client(let session) = session(of: id) else { return }
        session.machine.receiveSignOfLife()
        if hasRoom(id) { waiting.roomCame(id) }
    }

    /// Continues with the client that has waited longest.
    package func continuePostponed() {
        guard !waiting.isEmpty else { return }
        let allowance = waiting.allowance(now: milliseconds)
        let next = waiting.takeNext(allowance) { obstacle(of: $0, with: $1, allowance) }
        guard let (id, input, historyWork) = next else { return }
        turn.beginWork()
        resume(input, on: id)
        if let historyWork { finishHistoryWork(historyWork) }
        if !waiting.contains(id) { connections.setReading(true, on: id) }
        accountForInput(of: id)
    }

    private func resume(_ waited: consuming WaitingInput, on id: ConnectionID) {
        var input = waited
        var bytes = input.bytes
        input.bytes = WaitingBytes()
        admission.takeGrants(of: input)
        defer { admission.dropAnswers() }
        switch session(of: id) {
        case .client(let session):
            turn.clearOutput()
            resumeCommands(&input, session, on: id)
            bytes.read { readClient($0, session, on: id) }
        case .echo(let session):
            bytes.read { readEcho($0, session, on: id) }
        case .http(let session):
            bytes.read {
                openStream($0, session, waitedFor: input.waitedFor, input.hasFailed, on: id)
                return $0.count
            }
        case .none, .eventStream, .socketReader: return
        }
        if !bytes.isEmpty, waiting.postpone(bytes, of: id) { noteWaiting(id) }
    }

    private func resumeCommands(
        _ input: inout WaitingInput,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        if input.waitedFor == .position { noteWait(for: input.actions.first, session) }
        if input.hasFailed, session.machine.isOpen, let action = input.actions.popFirst() {
            input.waitedFor = nil
            admission.grants.answer = nil
            if case .connect = action {
                refuse(.internalError, session, on: id)
            } else {
                refuse(action, .internalError, session)
            }
        }
        // Answers after a Close frame are not read. The input is read on for the peer's Close
        // frame.
        if session.machine.isOpen {
            perform(input.actions, session, waitedFor: input.waitedFor, on: id)
        }
        sendOutput(session, on: id)
    }
}
