import ClientWire
import Reactor
import Service
import Wire

/// The client protocol without a WebSocket: messages of the hub in one response, commands in
/// separate requests. The `ClientMachine` behind the link is the same as for a WebSocket.
extension Loop {
    /// Opens a stream with the commands that the request carries, a connect command first.
    package func openClientStream(
        _ framing: ClientStreamFraming,
        _ head: HTTPRequestHead,
        body: [UInt8],
        on id: ConnectionID
    ) {
        if let refusal = admission.refusalOfOrigin(head, from: peer(of: id)) {
            return refuse(refusal, answering: head, on: id)
        }
        let streamHead = settings.streamHead(framing.contentType, answering: head)
        guard head.method != "HEAD" else { return sendStreamHead(streamHead, on: id) }
        var commands: [UInt8]
        do throws(StreamCommandsRefusal) {
            commands = try framing.firstCommands(head, body, bytesMax: settings.connectBytesMax)
        } catch {
            if let bound = error.bound { turn.counters.bounds[bound] += 1 }
            return refuse(error.response, answering: head, on: id)
        }
        if let refusal = admissionRefusal(on: id) {
            return refuse(refusal, answering: head, on: id)
        }
        let name = StreamedSessionName(
            loop: context.index,
            connection: id,
            random: settings.random(16)
        )
        let centrifuge = CentrifugeSession(
            limits: settings.client,
            encoding: .json,
            now: milliseconds
        )
        let session = ClientSession(
            machine: ClientMachine(stream: framing, centrifuge),
            compressedForm: .clientStream,
            streamed: StreamedClient(framing: framing, session: name.text),
            id: uuidVersion4(settings.random(16)),
            address: connections.peer(id)?.host ?? "",
            network: connections.peer(id)?.network ?? 0,
            start: now
        )
        session.hooked = admission.hooked(head)
        countHandshake(on: id)
        setSession(.client(session), of: id)
        connections.setReading(true, on: id)
        var bytes: [UInt8] = []
        streamHead.append(to: &bytes)
        connections.send(bytes, on: id)
        turn.beginWork()
        commands.withUnsafeMutableBufferPointer { receiveClient($0, session, on: id) }
        accountForInput(of: id)
    }

    // MARK: Commands

    /// Passes the commands of a request to the loop of their client, which answers the request.
    package func passOn(_ body: [UInt8], of head: HTTPRequestHead, on id: ConnectionID) {
        if let refusal = admission.refusalOfOrigin(head, from: peer(of: id)) {
            return post(refusal, on: id)
        }
        guard let request = EmulationRequest(body) else {
            return post(
                ServerResponse(status: 400, text: "expected {\"session\",\"node\",\"data\"}"),
                on: id
            )
        }
        guard request.node.isEmpty || request.node == settings.node,
            let name = StreamedSessionName(request.session), let loop = shared.loop(name.loop)
        else { return post(.noSession, on: id) }
        let work = LoopMessage.Work { [self] in post($0.receive(request, for: name), on: id) }
        if !loop.post(.work(work)) { post(.noSession, on: id) }
    }

    /// Receives the commands of a client without a WebSocket.
    private func receive(
        _ request: EmulationRequest,
        for name: StreamedSessionName
    ) -> ServerResponse {
        let id = name.connection
        guard case .client(let session) = session(of: id), let streamed = session.streamed,
            name.isName(streamed.session), session.machine.isOpen
        else { return .noSession }
        let ahead = waiting.byteCount(of: id)
        guard ahead + request.data.count < settings.client.frameLengthMax else {
            turn.counters.bounds[.messageBytes] += 1
            return ServerResponse(status: 413, text: "too many commands at once")
        }
        // The newline makes it a separate line after input that still waits.
        var bytes = request.data + [UInt8(ascii: "\n")]
        bytes.withUnsafeMutableBufferPointer { bytes in
            if session.calls.isTooMuch(now: milliseconds) {
                postpone(bytes[...], of: id)
            } else {
                turn.beginWork()
                receiveClient(bytes, session, on: id)
            }
        }
        accountForInput(of: id)
        return ServerResponse(head: HTTPResponseHead(status: 204))
    }
}

extension ServerResponse {
    fileprivate static let noSession = ServerResponse(status: 404, text: "no such session")
}
