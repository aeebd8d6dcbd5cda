import ClientWire
import Reactor

/// Input of a client that exceeds the work of one turn and waits for a later one.
package struct PostponedInput {
    /// The remaining actions of the current frame, in order.
    package var actions: ArraySlice<SessionAction> = []
    /// The input after that frame.
    package var bytes = WaitingBytes()
    /// The reason why the first of the actions, or the request of a stream, waits or has waited.
    package var waitedFor: Waited?
    /// Whether the histories for which it has waited cannot be read.
    package var hasFailed = false
    /// The token of the command or request that waits or has waited, so that it is verified only once.
    package var verified: VerifiedToken?

    package enum Waited: Sendable {
        /// Its position; see Loop+PositionWaits.swift.
        case position
        /// The histories of its topics; see Loop+HistoryWaits.swift.
        case histories
    }
}

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
    /// Starts the work of a turn for another client.
    package func beginWork() { workBytes = 0 }

    package func countWork(_ bytes: Int) { workBytes += bytes }

    package var isWorkDone: Bool { workBytes > settings.turnWorkBytesMax }

    /// The bytes that a client may inflate in a turn even if the loop has inflated too much.
    /// Commands are shorter.
    private static let inflatedAnyway = 8 << 10

    /// Counts the inflated bytes of a piece of a client's input.
    package func countInflated(_ bytes: Int) {
        guard bytes > 0 else { return }
        countWork(bytes)
        inflating.add(bytes, now: milliseconds)
    }

    /// Whether the current client must wait with its compressed input.
    package var hasInflatedTooMuch: Bool {
        workBytes > Loop.inflatedAnyway && inflating.isTooMuch(now: milliseconds)
    }

    package func isPostponed(_ id: ConnectionID) -> Bool {
        !postponed.isEmpty && postponed[id] != nil
    }

    /// Postpones the remaining commands of a frame to a later turn.
    package func postpone(_ actions: ArraySlice<SessionAction>, of id: ConnectionID) {
        beginPostponing(id)
        // A frame that goes on for many turns is not copied in each of them.
        if postponed[id]!.actions.isEmpty {
            postponed[id]!.actions = actions
        } else {
            postponed[id]!.actions += actions
        }
    }

    /// Postpones the input after a frame to a later turn.
    package func postpone(
        _ bytes: UnsafeMutableBufferPointer<UInt8>.SubSequence,
        of id: ConnectionID
    ) {
        beginPostponing(id)
        postponed[id]!.bytes.append(bytes)
    }

    /// Postpones the rest of input that has waited before.
    private func postpone(_ bytes: consuming WaitingBytes, of id: ConnectionID) {
        beginPostponing(id)
        postponed[id]!.bytes.append(bytes)
    }

    private func beginPostponing(_ id: ConnectionID) {
        guard postponed[id] == nil else { return }
        counters.bounds[.turnWork] += 1
        postponed[id] = PostponedInput()
        postponedOrder.add(id)
        connections.setReading(false, on: id)
    }

    /// Drops the postponed input of a connection that has ended.
    package func forgetPostponed(_ id: ConnectionID) {
        guard isPostponed(id) else { return }
        postponed[id] = nil
        postponedOrder.remove(id)
    }

    /// The kinds of costly work for which there is time.
    private var allowance: PostponedOrder.Allowance {
        PostponedOrder.Allowance(
            calls: !calls.isTooMuch(now: milliseconds),
            inflating: !inflating.isTooMuch(now: milliseconds)
        )
    }

    /// The reason why a postponed client cannot continue; nil if it can.
    private func obstacle(
        of id: ConnectionID,
        _ allowance: PostponedOrder.Allowance
    ) -> PostponedOrder.Obstacle? {
        guard isPostponed(id) else { return .gone }
        guard case .client(let session) = session(of: id) else { return nil }
        if !hasRoom(id) { return .room }
        if !allowance.calls, mayCall(session, on: id) { return .calls }
        if !allowance.inflating, mayInflate(session, on: id) { return .inflating }
        return nil
    }

    /// Whether the queue of a postponed client has room for answers.
    private func hasRoom(_ id: ConnectionID) -> Bool {
        connections.queuedBytes(id) <= settings.connections.queueBytesMax / 2
    }

    /// Whether the input of a postponed client continues with compressed bytes.
    private func mayInflate(_ session: ClientSession, on id: ConnectionID) -> Bool {
        guard let next = postponed[id]?.bytes.first else { return false }
        return session.machine.mayInflate(next)
    }

    /// Whether the input of a postponed client continues with a call. If the client has called too
    /// much, it is assumed to.
    private func mayCall(_ session: ClientSession, on id: ConnectionID) -> Bool {
        if case .rpc = postponed[id]?.actions.first { return true }
        return session.calls.isTooMuch(now: milliseconds)
    }

    /// The time at which the first costly work may continue; nil if no work has to wait for that.
    package var nextCostlyWork: MonotonicInstant? {
        let ends = [
            postponedOrder.hasCalling ? calls.end(now: milliseconds) : nil,
            postponedOrder.hasInflating ? inflating.end(now: milliseconds) : nil,
        ]
        return ends.compactMap(\.self).min().map { MonotonicInstant(milliseconds: $0) }
    }

    /// Whether a client waits only for the next turn.
    package func hasWorkPostponed() -> Bool {
        guard !postponed.isEmpty else { return false }
        let allowance = allowance
        return postponedOrder.next(allowance) { obstacle(of: $0, allowance) } != nil
    }

    /// Notes that a client reads: its input may continue. It is also a sign of life, because its answer
    /// to a ping is not read while its input waits.
    package func noteTaking(by id: ConnectionID) {
        guard isPostponed(id), case .client(let session) = session(of: id) else { return }
        session.machine.receiveSignOfLife()
        if hasRoom(id) { postponedOrder.roomCame(id) }
    }

    /// Continues with the client that has waited longest.
    package func continuePostponed() {
        guard !postponed.isEmpty else { return }
        let allowance = allowance
        let next = postponedOrder.next(allowance) { obstacle(of: $0, allowance) }
        guard let id = next, let input = postponed.removeValue(forKey: id) else { return }
        postponedOrder.takeNext(allowance)
        let histories = takeHistoryWork(of: id)
        beginWork()
        resume(input, on: id)
        if let histories { finishHistoryWork(histories) }
        if !isPostponed(id) { connections.setReading(true, on: id) }
        accountForInput(of: id)
    }

    private func resume(_ postponed: consuming PostponedInput, on id: ConnectionID) {
        var input = postponed
        var bytes = input.bytes
        input.bytes = WaitingBytes()
        verifiedToken = input.verified
        switch session(of: id) {
        case .client(let session):
            output.removeAll(keepingCapacity: true)
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
        if !bytes.isEmpty { postpone(bytes, of: id) }
    }

    private func resumeCommands(
        _ input: inout PostponedInput,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        if input.waitedFor == .position { noteWait(for: input.actions.first, session) }
        if input.hasFailed, session.machine.isOpen, let action = input.actions.popFirst() {
            refuse(action, .internalError, session)
            input.waitedFor = nil
        }
        // Answers after a Close frame are not read. The input is read on for the peer's Close
        // frame.
        if session.machine.isOpen {
            perform(input.actions, session, waitedFor: input.waitedFor, on: id)
        }
        sendOutput(session, on: id)
    }
}
