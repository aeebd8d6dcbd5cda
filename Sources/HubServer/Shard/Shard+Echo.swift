import HTTPWire
import Reactor
import WebSocketWire

/// A WebSocket that sends back every message, for conformance suites and load tests.
extension Shard {
    func upgradeEcho(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard accept(head, subprotocols: [], on: id) else { return }
        let session = EchoSession(
            webSocket: WebSocketConnection(role: .server, limits: settings.webSocket)
        )
        setSession(.echo(session), of: id)
        connections.setDeadline(nil, on: id)
        receiveEcho(rest, session, on: id)
    }

    func receiveEcho(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: EchoSession,
        on id: ConnectionID
    ) {
        output.removeAll(keepingCapacity: true)
        var consumed = 0
        var input = bytes.mutableSpan
        while let event = session.webSocket.receive(&input, consumed: &consumed, output: &output) {
            switch event {
            case .message(let kind, let payload):
                let opcode: Opcode = kind == .text ? .text : .binary
                switch payload {
                case .input(let range): appendFrame(opcode, UnsafeBufferPointer(bytes)[range])
                case .assembled(let range): appendFrame(opcode, session.webSocket.assembled[range])
                }
            case .ping, .pong: break
            case .closed, .failed:
                connections.send(output, on: id)
                return connections.close(id)
            }
        }
        connections.send(output, on: id)
    }

    private func appendFrame(_ opcode: Opcode, _ payload: some Collection<UInt8>) {
        FrameHeader.appendUnmasked(opcode: opcode, payloadLength: payload.count, to: &output)
        output.append(contentsOf: payload)
    }
}
