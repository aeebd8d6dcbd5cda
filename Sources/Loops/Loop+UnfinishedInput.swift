import Reactor
import Wire

/// Unfinished messages and requests: their memory is counted, they have a deadline, and they are
/// dropped if all peers together hold more than `limits.memory` allows.
///
/// A frame of one kilobyte can inflate to a thousand, and a peer that answers pings could keep it
/// indefinitely. So each loop counts the memory of a connection after each read. If a rank exceeds
/// its part of the budget, the loop frees its share of the excess: first the input of anonymous
/// peers, and of that the largest first.
extension Loop {
    /// Counts the input that a connection holds after a read. Call it after the output of the read
    /// is sent, because it may end connections, including this one.
    package func accountForInput(of id: ConnectionID) {
        let held = heldInput(of: id)
        // By far the most frequent case: all input was complete.
        guard held.bytes > 0 || held.isMidMessage else { return forgetInput(of: id) }
        let change = unfinished.set(
            held.bytes,
            of: id,
            rank: held.rank,
            isMidMessage: held.isMidMessage,
            deadline: now + settings.messageTimeout
        )
        shared.budget.add(change, to: .messages)
        // At once, not only at the end of the turn: very many connections can be ready in one turn.
        if change > 0 { giveUpInput() }
    }

    /// Subtracts the input of a connection that has ended.
    package func forgetInput(of id: ConnectionID) {
        guard !unfinished.isEmpty else { return }
        shared.budget.add(-unfinished.remove(id), to: .messages)
    }

    /// Records that a message has ended: the next one has a separate deadline.
    package func noteMessage(on id: ConnectionID) {
        guard !unfinished.isEmpty else { return }
        unfinished.noteMessage(of: id)
    }

    private func heldInput(
        of id: ConnectionID
    ) -> (bytes: Int, isMidMessage: Bool, rank: MemoryBudget.Rank) {
        let waiting = waiting.heldBytes(of: id)
        switch session(of: id) {
        case .none, .eventStream: return (0, false, .anonymous)
        case .http(let session):
            return (session.machine.heldInputBytes + waiting, false, session.rank)
        case .client(let session):
            let bytes = session.machine.heldInputBytes + waiting
            return (bytes, session.machine.isMidMessage, session.rank)
        case .echo(let session):
            let bytes = session.machine.heldInputBytes + waiting
            return (bytes, session.machine.isMidMessage, .anonymous)
        case .socketReader(let session):
            let bytes = session.machine.heldInputBytes
            return (bytes, session.machine.isMidMessage, session.reader.rank)
        }
    }

    // MARK: Too long

    /// Closes WebSockets whose message has not ended in time.
    package func endOverdueMessages() {
        while let id = unfinished.takeOverdue(now: now, extended: now + settings.messageTimeout) {
            // The hub does not read from it, so the unfinished message is not the peer's fault.
            if waiting.contains(id) { continue }
            turn.counters.bounds[.messageTimeout] += 1
            let seconds = settings.messageTimeout.components.seconds
            closeWebSocket(id, .policyViolation, "message not finished within \(seconds) s")
            accountForInput(of: id)
        }
    }

    // MARK: Too much

    /// Drops unfinished input while its senders hold more than their ranks allow.
    package func giveUpInput() {
        guard !unfinished.isEmpty else { return }
        giveUpInput(over: .anonymous)
        giveUpInput(over: .user)
    }

    /// - Parameter rank: whose part of the budget is exceeded. For theirs, only anonymous peers pay.
    private func giveUpInput(over rank: MemoryBudget.Rank) {
        guard
            let missing = memory.bytesToFree(
                for: .messages,
                holding: unfinished.bytes,
                over: rank,
                loopCount: shared.loopCount
            )
        else { return }
        var count = 0
        var freed = 0
        for id in unfinished.largest(holding: missing, anonymousOnly: rank == .anonymous) {
            let before = unfinished.bytes
            giveUpInput(of: id)
            freed += before - unfinished.bytes
            count += 1
        }
        guard count > 0 else { return }
        turn.counters.bounds[.memory] += UInt64(count)
        logLoss(count, freed)
    }

    private func giveUpInput(of id: ConnectionID) {
        switch session(of: id) {
        case .none, .eventStream: break
        case .http(let session):
            perform(session.machine.giveUp(), session, on: id)
        case .client, .echo, .socketReader:
            waiting.dropInput(of: id)
            closeWebSocket(id, .tryAgainLater, "the hub is out of memory for messages")
        }
        forgetInput(of: id)
    }

    private func logLoss(_ count: Int, _ bytes: Int) {
        guard let lost = memory.add(.messages, count: count, bytes: bytes, now: now) else { return }
        logger.warning(
            "memory limit reached, unfinished messages given up",
            metadata: [
                "limit": .stringConvertible(shared.budget.limit),
                "held": .stringConvertible(shared.budget.held),
                "connections": .stringConvertible(lost.count),
                "bytes": .stringConvertible(lost.bytes),
            ]
        )
    }

    // MARK: The end

    /// Closes a WebSocket of any protocol with a code of RFC 6455.
    private func closeWebSocket(_ id: ConnectionID, _ code: CloseCode, _ reason: String) {
        turn.clearOutput()
        switch session(of: id) {
        case .none, .http, .eventStream: break
        case .client(let session):
            session.machine.fail(code, reason, output: &turn.output)
            sendOutput(session, on: id)
        case .echo(let session):
            let actions = session.machine.fail(
                code,
                reason,
                now: now,
                settings.webSocketPolicy,
                output: &turn.output
            )
            perform(actions, on: id)
        case .socketReader(let session):
            let actions = session.machine.fail(
                code,
                reason,
                now: now,
                settings.webSocketPolicy,
                output: &turn.output
            )
            perform(actions, on: id)
        }
    }
}

extension HTTPSession {
    /// Credentials are verified where the request is answered; here only their presence counts. A
    /// peer with invented credentials competes with users, not with operators' own work, and has to
    /// send every byte.
    package var rank: MemoryBudget.Rank {
        guard let headers = machine.head?.headers else { return .anonymous }
        return headers.contains("Authorization") || headers.contains("X-API-Key")
            ? .user : .anonymous
    }
}

extension ClientSession {
    /// Before the connect command is answered, a client is anonymous.
    package var rank: MemoryBudget.Rank { identity.user.isEmpty ? .anonymous : .user }
}
