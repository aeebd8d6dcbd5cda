import Reactor
import Service
import Wire

/// The memory that the loop holds for peers: counted in its `MemoryLedger`, and dropped if all peers
/// together hold more than `limits.memory` allows.
///
/// - **Unfinished input.** A frame of one kilobyte can inflate to a thousand, and a peer that answers
///   pings could keep it indefinitely. So the input of a connection is counted after each read, and a
///   message has a deadline.
/// - **Responses** that are longer than the queue of a connection are kept whole until their peers have
///   read them.
/// - **Queues** are counted once a turn. This adds no cost for connections that read: `Connections`
///   counts only where a socket accepts less than all bytes.
/// - **Topics.** Histories and their table are counted once for all loops, which share them; each loop
///   has tables of its subscriptions.
extension Loop {
    // MARK: Unfinished input

    /// Counts the input that a connection holds after a read. Call it after the output of the read
    /// is sent, because it may end connections, including this one.
    package func accountForInput(of id: ConnectionID) {
        let held = session(of: id).heldInput(waiting: waiting.heldBytes(of: id))
        // By far the most frequent case: all input was complete.
        guard held.bytes > 0 || held.isMidMessage else { return memory.removeInput(of: id) }
        let isMore = memory.setInput(
            held.bytes,
            of: id,
            rank: held.rank,
            isMidMessage: held.isMidMessage,
            deadline: now + settings.messageTimeout
        )
        // At once, not only at the end of the turn: very many connections can be ready in one turn.
        if isMore { giveUpInput() }
    }

    /// Closes WebSockets whose message has not ended in time.
    package func endOverdueMessages() {
        while let id = memory.takeOverdueMessage(
            now: now,
            extended: now + settings.messageTimeout
        ) {
            // The hub does not read from it, so the unfinished message is not the peer's fault.
            if waiting.contains(id) { continue }
            turn.counters.bounds[.messageTimeout] += 1
            let seconds = settings.messageTimeout.components.seconds
            closeWebSocket(id, .policyViolation, "message not finished within \(seconds) s")
            accountForInput(of: id)
        }
    }

    /// Drops unfinished input while its senders hold more than their ranks allow. For what anonymous
    /// peers exceed, only they pay.
    package func giveUpInput() {
        guard memory.hasInput else { return }
        giveUpInput(over: .anonymous)
        giveUpInput(over: .user)
    }

    private func giveUpInput(over rank: MemoryBudget.Rank) {
        let ids = memory.inputToGiveUp(over: rank, loopCount: shared.loopCount)
        var freed = 0
        for id in ids {
            let before = memory.inputBytes
            giveUpInput(of: id)
            freed += before - memory.inputBytes
        }
        note(.messages, count: ids.count, bytes: freed)
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
        memory.removeInput(of: id)
    }

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

    // MARK: Responses

    /// Counts a response that has not been sent whole at once.
    package func accountForAnswer(_ session: HTTPSession, of id: ConnectionID) {
        guard let length = session.machine.answerLength,
            memory.addAnswer(length, of: id, rank: session.rank)
        else { return }
        giveUpAnswers()
    }

    /// Ends connections while their peers hold more than their ranks allow.
    package func giveUpAnswers() {
        guard memory.hasAnswers else { return }
        for rank in [MemoryBudget.Rank.anonymous, .user] {
            let (ids, freed) = memory.giveUpAnswers(over: rank, loopCount: shared.loopCount)
            for id in ids { connections.abort(id) }
            note(.answers, count: ids.count, bytes: freed)
        }
    }

    // MARK: Queues

    /// Counts the bytes that the flush of a turn has left, and ends the connections with the
    /// longest queues while there is no room: first those of anonymous peers.
    package func accountForQueues() {
        let bytes = connections.backlogBytes
        memory.report(queues: bytes)
        guard bytes > 0 else { return }
        giveUpQueues(over: .anonymous)
        giveUpQueues(over: .user)
    }

    private func giveUpQueues(over exceeded: MemoryBudget.Rank) {
        let before = connections.backlogBytes
        guard
            var missing = memory.bytesToFree(
                for: .queues,
                holding: before,
                over: exceeded,
                loopCount: shared.loopCount
            )
        else { return }
        var count = 0
        for (id, bytes) in connections.backlogs().sorted(by: { $0.bytes > $1.bytes }) {
            guard missing > 0 else { break }
            guard exceeded != .anonymous || session(of: id).rank == .anonymous else { continue }
            connections.giveUp(id)
            missing -= bytes
            count += 1
        }
        guard count > 0 else { return }
        let left = connections.backlogBytes
        memory.report(queues: left)
        note(.queues, count: count, bytes: before - left)
    }

    // MARK: Topics

    /// Reports the change of the tables during a turn.
    package func accountForTopics() {
        let shared = isFirst ? hub.histories.sizes.topicCount * MemoryLedger.topicBytes : 0
        let bytes =
            shared + hub.subscribedTopicCount * MemoryLedger.subscribedTopicBytes
            + hub.subscriptionCount * MemoryLedger.subscriptionBytes
        memory.report(topics: bytes)
    }

    /// Whether the tables have room. They may use half of the memory that is available to a rank.
    package func hasRoomForSubscription(of rank: MemoryBudget.Rank) -> Bool {
        shared.budget.held(for: .topics) + MemoryLedger.subscriptionBytes
            <= shared.budget.limit(for: rank) / 2
    }

    /// Reports the change of the histories during a turn. The first loop reports for all.
    package func accountForHistories() {
        guard isFirst else { return }
        let sizes = hub.histories.sizes
        memory.report(histories: sizes.bytes)
        note(.histories, count: memory.newEvictions(of: sizes.evictedForMemoryCount))
    }

    // MARK: Losses

    /// Counts a loss, and logs it with the earlier ones of its kind if it is time to.
    private func note(_ loss: MemoryLedger.Loss, count: Int, bytes: Int = 0) {
        guard count > 0 else { return }
        turn.counters.bounds[.memory] += UInt64(count)
        guard let lost = memory.add(loss, count: count, bytes: bytes, now: now) else { return }
        shared.budget.log(loss, lost, histories: hub.histories.sizes.bytes, to: logger)
    }
}
