import ClientWire
import Reactor
import Service

/// Clients whose positions are ahead of this node.
///
/// Nodes that share a store receive every publication in commit order, but one can be some
/// milliseconds behind another. The hub of a client that comes from another node would report a gap
/// although the client misses nothing. So the command or the stream waits: it is postponed, with
/// the input after it, until the node has caught up with everything that was committed before
/// (`PositionBarrier`). Then it is carried out as if it had just arrived. If the barrier does not
/// answer in time, or the position is ahead even then, the client receives the gap.
///
/// A hub that is the only node of its store has no barrier, and nothing waits.
extension Loop {
    /// The maximum time that a command or a stream waits. The store is close to the hub, so a
    /// longer time means that it cannot be reached.
    package static let positionWaitMax = Duration.seconds(2)

    // MARK: Who waits

    /// Whether a command must wait. Only clients that may read a topic may notice how far it is,
    /// so no other client waits.
    package func mustWait(for action: SessionAction, _ session: ClientSession) -> Bool {
        guard services.barrier != nil, !session.hasWaitedInVain else { return false }
        switch action {
        case .connect(_, let request): return mustWait(for: request)
        case .subscribe(let request):
            return isAhead(request.since, of: request.topic)
                && admission.maySubscribe(request, session)
        case .history(let request):
            return isAhead(request.needed, of: request.topic)
                && admission.may(.history, request.topic, session)
        case .unsubscribe, .publish, .presence, .presenceStats, .rpc, .send, .refresh, .subRefresh,
            .connectionExpired, .subscriptionExpired, .reply, .tooManySubscriptions, .ping,
            .disconnect:
            return false
        }
    }

    /// Whether the positions of a connect command are ahead: those in the topics of its token.
    private func mustWait(for request: ConnectRequest) -> Bool {
        let topics = request.subscriptions.filter { isAhead($1.since, of: $0) }.keys
        guard !topics.isEmpty else { return false }
        return admission.grantedTopics(of: request).contains { topics.contains($0) }
    }

    private func isAhead(_ position: Position?, of topic: Topic) -> Bool {
        position.map { hub.isAhead($0, of: topic) } ?? false
    }

    /// Whether the stream of an authorized reader must wait.
    package func mustWait(for wish: StreamWish) -> Bool {
        guard services.barrier != nil, let cursor = wish.afterCursor else { return false }
        return hub.isAhead(cursor: cursor)
    }

    // MARK: Waiting

    /// Postpones a command that must wait, and the rest of its frame.
    package func wait(with actions: ArraySlice<SessionAction>, on id: ConnectionID) {
        beginWaiting(WaitingInput(actions: actions, waitedFor: .position), on: id)
    }

    /// Postpones the request of a stream that must wait, and the input after it.
    package func waitWithRequest(keeping rest: [UInt8], on id: ConnectionID) {
        beginWaiting(WaitingInput(bytes: WaitingBytes(rest), waitedFor: .position), on: id)
        connections.setDeadline(nil, on: id)
    }

    private func beginWaiting(_ input: WaitingInput, on id: ConnectionID) {
        turn.counters.positionWaits += 1
        var input = input
        admission.moveGrants(to: &input)
        waiting.wait(input, of: id, forPositionUntil: now + Loop.positionWaitMax)
        connections.setReading(false, on: id)
    }

    /// Asks the barrier once for all connections that have begun to wait. Call it at the end of a
    /// turn.
    package func askBarrier() {
        guard let barrier = services.barrier, let question = waiting.nextQuestion() else { return }
        // If the loop accepts no message, the connections wait until their deadline.
        barrier { [mailbox] in _ = mailbox.post(.caughtUp(question: question)) }
    }

    // MARK: Continuing

    /// Records whether a client has waited in vain. Such a client does not wait again: otherwise
    /// each of its subscriptions would wait while the store cannot be reached.
    package func noteWait(for action: SessionAction?, _ session: ClientSession) {
        guard let action else { return }
        session.hasWaitedInVain = mustWait(for: action, session)
    }

    /// Opens the stream of a request that has waited.
    package func openStream(
        _ rest: UnsafeMutableBufferPointer<UInt8>,
        _ session: HTTPSession,
        waitedFor: WaitingInput.Reason?,
        _ hasFailed: Bool,
        on id: ConnectionID
    ) {
        guard let head = session.machine.head, !connections.isClosing(id) else { return }
        if hasFailed {
            refuse(.historyUnavailable, answering: head, on: id)
        } else if head.isUpgrade(to: "websocket") {
            openCloudEvents(head, rest: rest, waitedFor: waitedFor, on: id)
        } else {
            openEventStream(head, waitedFor: waitedFor, on: id)
        }
    }
}
