import ClientWire
import Reactor
import Service
import Wire

/// HTTP requests: read, refused by their head, or passed to the resource that answers them.
extension Loop {
    /// Reads input up to the end of a request. Returns the number of bytes that were read; the machine
    /// has to keep the rest.
    package func receiveHTTP(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: HTTPSession,
        on id: ConnectionID
    ) -> Int {
        let isOverLimit = connections.isOverLimit(id)
        if !isOverLimit,
            let deadline = session.machine.requestDeadline(now: now, settings.httpPolicy)
        {
            connections.setDeadline(deadline, on: id)
        }
        var consumed = 0
        while let action = session.machine.receive(
            UnsafeBufferPointer(bytes),
            consumed: &consumed
        ) {
            switch action {
            case .head(let head):
                if isOverLimit {
                    refuse(session.machine.refusal(.tooManyConnections), on: id)
                    return bytes.count
                }
                if let resource = LoopResource(
                    of: head,
                    admission.sockets,
                    offersEcho: settings.offersEcho
                ), !resource.methods.contains(head.method) {
                    let response = ServerResponse.methodNotAllowed(allowed: resource.methods)
                    refuse(session.machine.refusal(response), on: id)
                    return bytes.count
                }
                // RFC 9110 §10.1.1: a server "MAY omit sending a 100 (Continue) response if it has
                // already received some or all of the content".
                if head.expectsContinue, consumed == bytes.count { sendContinue(on: id) }
            case .request(let head, let body):
                let rest = UnsafeMutableBufferPointer(rebasing: bytes[consumed...])
                let isRead = dispatch(head, body: body, rest: rest, session, on: id)
                return isRead ? bytes.count : consumed
            case .refuse(let refusal):
                refuse(refusal, on: id)
                return bytes.count
            case .count, .wait, .waitForTurn, .send, .answerSent, .readOn, .close, .abort:
                perform([action], session, on: id)
            }
        }
        return consumed
    }

    private func sendContinue(on id: ConnectionID) {
        connections.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), on: id)
    }

    /// Passes a whole request to its resource. Later bytes wait, or go to the upgraded connection.
    ///
    /// - Returns: whether they went there, or are not needed; false if they wait.
    private func dispatch(
        _ head: HTTPRequestHead,
        body: [UInt8],
        rest: UnsafeMutableBufferPointer<UInt8>,
        _ session: HTTPSession,
        on id: ConnectionID
    ) -> Bool {
        guard attribute(head, on: id) else {
            refuse(ServerResponse.tooMany, answering: head, on: id)
            return true
        }
        let resource = LoopResource(of: head, admission.sockets, offersEcho: settings.offersEcho)
        if let resource, head.method != "OPTIONS" {
            switch resource {
            case .clientSocket: upgradeClient(head, rest: rest, on: id)
            case .clientStream(let framing): openClientStream(framing, head, body: body, on: id)
            case .emulation:
                waitForAnswer(on: id)
                passOn(body, of: head, on: id)
                return false
            case .echo: upgradeEcho(head, rest: rest, on: id)
            case .eventStream: openEventStream(head, on: id)
            case .cloudEvents: openCloudEvents(head, rest: rest, on: id)
            case .topicSocket(let socket, let name):
                openTopicSocket(socket, name, head, rest: rest, on: id)
            }
            // A request that had begun before the shutdown: its client learns to come back.
            if isDraining { drain(id) }
            return true
        }
        waitForAnswer(on: id)
        if let resource {
            // Not answered at once: a thousand of them in one input would nest as deep.
            post(.options(allowed: resource.methods), on: id)
        } else if let refusal = admission.refusalOfBlindChange(head, from: peer(of: id)) {
            post(refusal, on: id)
        } else {
            let request = ServerRequest(
                head: head,
                body: body,
                peer: connections.peer(id),
                isForAdmins: session.listener == .admin
            )
            answer(request, on: id)
        }
        return false
    }

    /// Stops reading until the request is answered, in a later turn.
    private func waitForAnswer(on id: ConnectionID) {
        connections.setReading(false, on: id)
        connections.setDeadline(nil, on: id)
    }

    /// Takes the address of the client from a request of a trusted proxy.
    ///
    /// - Returns: false if the client has the maximum number of connections of its address.
    private func attribute(_ head: HTTPRequestHead, on id: ConnectionID) -> Bool {
        guard connections.isForwarding(id) else { return true }
        let trust = settings.connections.trust.forward
        let client = ForwardedFor.client(head.headers.all("X-Forwarded-For")) {
            trust.contains($0)
        }
        return connections.attribute(id, to: client.map { SocketAddress($0, port: 0) })
    }

    private func answer(_ request: ServerRequest, on id: ConnectionID) {
        // The loop has ended, and its connections end with it.
        guard let respond = services.respond else { return connections.close(id) }
        Task { [self] in
            let response = await respond(request)
            post(response, on: id)
        }
    }

    package nonisolated func post(_ response: ServerResponse, on id: ConnectionID) {
        guard !mailbox.post(.response(id, response)) else { return }
        // The loop hangs: there are fewer connections than places in its mailbox.
        logger.error("response lost: the mailbox of its loop is full", source: LogSource.peer)
    }
}
