import Reactor
import Service
import Wire

/// Responses: `HTTPMachine` decides when each piece is sent, and the loop carries out its actions.
extension Loop {
    package func send(_ response: ServerResponse, on id: ConnectionID) {
        guard connections.isOpen(id), case .http(let session) = session(of: id),
            let head = session.machine.head,
            let keepsAlive = session.machine.keepsAlive(isDraining: isDraining)
        else { return }
        let answer = OutgoingAnswer(
            bytes(of: response, answering: head, keepsAlive: keepsAlive),
            keepsAlive: keepsAlive
        )
        let actions = session.machine.answer(answer, room(of: id), now: now, settings.httpPolicy)
        perform(actions, session, on: id)
        watchReading(session, on: id)
        accountForAnswer(session, of: id)
    }

    /// Continues the answer of a connection that has accepted some bytes.
    package func continueAnswer(on id: ConnectionID) {
        guard case .http(let session) = session(of: id), session.machine.answerLength != nil else {
            return
        }
        let actions = session.machine.roomCame(room(of: id), now: now, settings.httpPolicy)
        perform(actions, session, on: id)
        watchReading(session, on: id)
    }

    package func handleDeadline(_ session: HTTPSession, on id: ConnectionID) {
        if connections.isOverLimit(id) {
            return refuse(session.machine.refusal(.tooManyConnections), on: id)
        }
        // The kernel reports room only when a third of its buffer is free, which takes longer over a slow
        // link than a peer may stall.
        if session.machine.isWaitingForPeer, session.watch.goesOn(connections.reading(of: id)) {
            return continueAnswer(on: id)
        }
        let actions = session.machine.deadlinePassed(room(of: id), now: now, settings.httpPolicy)
        perform(actions, session, on: id)
        watchReading(session, on: id)
    }

    /// Notes how far the peer of an answer has read when the time in which it may stall begins.
    private func watchReading(_ session: HTTPSession, on id: ConnectionID) {
        guard session.machine.isWaitingForPeer else { return }
        _ = session.watch.goesOn(connections.reading(of: id))
    }

    private func room(of id: ConnectionID) -> AnswerRoom {
        AnswerRoom(
            queuedBytes: connections.queuedBytes(id),
            hasUnflushed: connections.hasUnflushed(id),
            isDraining: isDraining
        )
    }

    package func perform(_ actions: [HTTPAction], _ session: HTTPSession, on id: ConnectionID) {
        for action in actions {
            switch action {
            case .count(let bound): turn.counters.bounds[bound] += 1
            case .wait(let deadline): connections.setDeadline(deadline, on: id)
            case .waitForTurn: connections.setDeadline(now + .nanoseconds(1), on: id)
            case .send(let bytes): connections.send(bytes, on: id)
            case .answerSent: memory.removeAnswer(of: id)
            case .readOn(let bytes): readOn(bytes, session, on: id)
            case .refuse(let refusal): refuse(refusal, on: id)
            case .close: connections.close(id)
            case .abort: connections.abort(id)
            // Only the peer's input causes them, and `receiveHTTP` handles them.
            case .head, .request: break
            }
        }
    }

    /// Reads the next request of a connection that is kept alive.
    ///
    /// - Parameter bytes: the input that arrived while the last request was being answered.
    private func readOn(
        _ bytes: consuming WaitingBytes,
        _ session: HTTPSession,
        on id: ConnectionID
    ) {
        connections.setReading(true, on: id)
        guard !bytes.isEmpty else { return }
        var bytes = bytes
        bytes.read { receiveHTTP($0, session, on: id) }
        session.machine.keep(bytes)
        // It may have been no more than an empty line.
        if isDraining { drain(id) }
        accountForInput(of: id)
    }

    package func refuse(_ refusal: HTTPRefusal, on id: ConnectionID) {
        if let bound = refusal.bound { turn.counters.bounds[bound] += 1 }
        refuse(refusal.response, answering: refusal.head, isHEAD: refusal.isHEAD, on: id)
    }

    /// Answers and closes the connection: its further input is unreliable or not accepted.
    package func refuse(
        _ response: ServerResponse,
        answering head: HTTPRequestHead? = nil,
        isHEAD: Bool = false,
        on id: ConnectionID
    ) {
        if response.isTemporary, let head, head.asksForEventStream {
            return sendBack(head, afterSeconds: response.retryAfterSeconds, on: id)
        }
        let bytes = bytes(of: response, answering: head, isHEAD: isHEAD, keepsAlive: false)
        connections.send(bytes, on: id)
        connections.close(id)
    }

    private func bytes(
        of response: ServerResponse,
        answering head: HTTPRequestHead?,
        isHEAD: Bool = false,
        keepsAlive: Bool
    ) -> [UInt8] {
        var response = response
        if response.isForPages {
            settings.origins.addFields(
                to: &response.head,
                answering: head,
                takesKey: response.takesKeyOfPages
            )
        }
        return response.bytes(
            answering: head,
            isHEAD: isHEAD,
            keepsAlive: keepsAlive,
            date: HubClock.wall.httpDate
        )
    }
}
