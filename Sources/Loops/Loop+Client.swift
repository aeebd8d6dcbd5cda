import ClientWire
import Reactor
import Service
import Wire

/// WebSockets of the Centrifuge client protocol: `ClientMachine` decides on their frames, deadlines
/// and end, and the loop carries out its actions.
extension Loop {
    package func upgradeClient(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        if let refusal = admissionRefusal(on: id) {
            return refuse(refusal, answering: head, on: id)
        }
        guard
            let agreement = accept(
                head,
                subprotocols: ClientEncoding.allCases.map(\.subprotocol),
                on: id
            ), let agreed = ClientEncoding(subprotocol: agreement.subprotocol)
        else { return }
        let query = head.queryItems()
        // Clients that cannot offer a subprotocol use the query instead.
        let asksForProtobuf = query.contains {
            ["format", "cf_protocol"].contains($0.name) && $0.value == "protobuf"
        }
        let encoding =
            agreement.subprotocol == nil && asksForProtobuf ? ClientEncoding.protobuf : agreed
        let centrifuge = CentrifugeSession(
            limits: settings.client,
            encoding: encoding,
            usesFramePings: query.contains {
                $0.name == "cf_ws_frame_ping_pong" && $0.value == "true"
            },
            now: milliseconds
        )
        let limits = settings.webSocket.capped(messageLength: settings.connectBytesMax)
        let session = ClientSession(
            machine: ClientMachine(webSocket(agreement, limits), centrifuge),
            compressedForm: form(agreement),
            id: uuidVersion4(settings.random(16)),
            address: connections.peer(id)?.host ?? "",
            network: connections.peer(id)?.network ?? 0,
            start: now
        )
        session.hooked = admission.hooked(head)
        countHandshake(on: id)
        setSession(.client(session), of: id)
        turn.beginWork()
        receiveClient(rest, session, on: id)
    }

    /// Returns the refusal of a new WebSocket or event stream that exceeds a rate or a limit; nil
    /// if it is admitted.
    package func admissionRefusal(on id: ConnectionID) -> ServerResponse? {
        do throws(ClientCensus.Refusal) {
            let network = connections.peer(id)?.network ?? 0
            try shared.clients.takeHandshake(from: network, now: milliseconds)
            return nil
        } catch {
            turn.counters.bounds[error.bound] += 1
            return .tooMany
        }
    }

    /// Receives input until the client's work for this turn is done; the rest waits for a later
    /// turn.
    package func receiveClient(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        let consumed = readClient(bytes, session, on: id)
        if consumed < bytes.count { postpone(bytes[consumed...], of: id) }
    }

    /// Reads input until the client's work for this turn is done. Returns the number of bytes that were
    /// read; the rest has to wait.
    package func readClient(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Int {
        guard !waiting.contains(id) else { return 0 }
        turn.clearOutput()
        let policy = settings.clientPolicy
        var consumed = 0
        while true {
            let step = session.machine.receive(
                UnsafeMutableBufferPointer(rebasing: bytes[consumed...]),
                now: now,
                policy,
                output: &turn.output
            )
            consumed += step.consumed
            perform(step, session, on: id)
            let isLeft = consumed < bytes.count
            let mustWait = isWorkDone || step.isCompressed && hasInflatedTooMuch
            if waiting.contains(id) || mustWait && isLeft { break }
            // The call without an event gives back the memory of the last message.
            guard step.event != nil || isLeft else { break }
        }
        sendOutput(session, on: id)
        return consumed
    }

    private func perform(_ step: ClientStep, _ session: ClientSession, on id: ConnectionID) {
        if step.isCompressed { countInflated(step.inflated) }
        switch step.event {
        case .message(let length, let actions):
            memory.noteMessage(of: id)
            if !step.isCompressed { turn.countWork(length) }
            perform(actions[...], session, on: id)
        case .other, nil: break
        }
        if !step.actions.isEmpty { perform(step.actions, session, on: id) }
    }

    package func handleDeadline(_ session: ClientSession, on id: ConnectionID) {
        if session.machine.isPongLate(now: now) {
            guard let isAlive = reads(&session.watch, on: id) else { return }
            if isAlive { session.machine.receiveSignOfLife() }
        }
        let isPinged = session.machine.isAwaitingPong
        turn.clearOutput()
        switch session.machine.deadlinePassed(now: now) {
        case .end(let actions): perform(actions, session, on: id)
        case .perform(let actions):
            if !isPinged, session.machine.isAwaitingPong {
                session.watch.pingSent(connections.reading(of: id), now: now)
            }
            turn.beginWork()
            perform(actions[...], session, on: id)
            sendOutput(session, on: id)
        }
    }

    /// Ends a client's session with a code. The connection ends when the peer has confirmed, or
    /// after a timeout.
    package func disconnect(_ session: ClientSession, _ code: DisconnectCode, on id: ConnectionID) {
        turn.clearOutput()
        close(session, code)
        sendOutput(session, on: id)
    }

    // MARK: Output

    /// Appends one message of the client protocol to `output`.
    package func append(_ message: [UInt8], to session: ClientSession) {
        turn.countWork(session.machine.push(message, output: &turn.output))
    }

    /// Appends the answer to a command to `output`.
    package func answer(_ answer: ClientAnswer, _ session: ClientSession) {
        turn.countWork(session.machine.answer(answer, now: now, output: &turn.output))
    }

    /// Ends a client's session for a reason of the hub.
    package func close(_ session: ClientSession, _ code: DisconnectCode) {
        _ = session.machine.end(code, output: &turn.output)
    }

    /// Sends the bytes that the client's input and the hub have appended to `output`, and performs
    /// the next action.
    package func sendOutput(_ session: ClientSession, on id: ConnectionID) {
        connections.send(turn.output, on: id)
        perform(session.machine.progress(now: now, settings.clientPolicy), session, on: id)
    }

    package func perform(
        _ actions: [WebSocketAction],
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        for action in actions {
            if action == .unsubscribe {
                endSubscriptions(session, on: id)
            } else {
                perform(action, on: id)
            }
        }
    }

    // MARK: Time

    /// The turn's time in the unit of the machines of the wire modules.
    package var milliseconds: Int64 { now.milliseconds }

    /// A random number in 0…1, to spread simultaneous events over time.
    package func randomShare() -> Double { Double(settings.random(1)[0]) / 255 }
}
