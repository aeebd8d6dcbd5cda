import HTTPWire
import Reactor
import WebSocketWire

/// A WebSocket that sends back every message, for conformance suites and load tests.
extension Shard {
    package func upgradeEcho(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard let agreement = accept(head, subprotocols: [], on: id) else { return }
        let session = EchoSession(webSocket: webSocket(agreement))
        setSession(.echo(session), of: id)
        beginWork()
        receiveEcho(rest, session, on: id)
    }

    package func receiveEcho(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: EchoSession,
        on id: ConnectionID
    ) {
        guard !isPostponed(id) else { return postpone(bytes[...], of: id) }
        output.removeAll(keepingCapacity: true)
        session.awaitsAnswer = false
        let echoed = session.webSocket.echo(
            bytes,
            bytesMax: settings.turnWorkBytesMax,
            output: &output
        )
        if echoed.consumed < bytes.count { postpone(bytes[echoed.consumed...], of: id) }
        if echoed.messageCount > 0 { noteMessage(on: id) }
        if let error = echoed.error { count(error) }
        if echoed.controlFrameCount > 0,
            !session.controlFrames.take(
                echoed.controlFrameCount,
                now: milliseconds,
                max: settings.controlFramesMax
            )
        {
            refuseControlFrames(&session.webSocket)
        }
        sendEchoOutput(session, on: id)
    }

    /// Time for a ping, or too late for what should have answered the last one.
    package func handleDeadline(_ session: EchoSession, on id: ConnectionID) {
        guard session.webSocket.isOpen, !session.awaitsAnswer else {
            counters.bounds[session.webSocket.isOpen ? .pongTimeout : .closeTimeout] += 1
            return connections.abort(id)
        }
        output.removeAll(keepingCapacity: true)
        try? session.webSocket.sendPing([UInt8]().span, output: &output)
        session.awaitsAnswer = true
        connections.send(output, on: id)
        connections.setDeadline(now + settings.pongTimeout, on: id)
    }

    package func sendEchoOutput(_ session: EchoSession, on id: ConnectionID) {
        connections.send(output, on: id)
        if session.webSocket.shouldCloseTransport {
            connections.close(id)
        } else if session.webSocket.isOpen {
            connections.setDeadline(now + settings.pingInterval, on: id)
        } else if !session.awaitsAnswer {
            session.awaitsAnswer = true
            connections.setDeadline(now + settings.closeTimeout, on: id)
        }
    }

    /// Closes a WebSocket whose peer sends more pings and pongs than it may.
    package func refuseControlFrames(_ webSocket: inout WebSocketConnection) {
        guard webSocket.isOpen else { return }
        counters.bounds[.controlFrames] += 1
        try? webSocket.sendClose(
            .policyViolation,
            reason: "more than \(settings.controlFramesMax) control frames in a second",
            output: &output
        )
    }
}

extension WebSocketConnection {
    /// Answers what came in one read, up to the message with which more than `bytesMax` are sent back. One call for
    /// all of it: each access to a session and to its shard's buffer is checked at run time, and there can be
    /// thousands of messages in a read.
    fileprivate mutating func echo(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        bytesMax: Int,
        output: inout [UInt8]
    ) -> Echoed {
        var echoed = Echoed()
        var echoedCount = 0
        var input = bytes.mutableSpan
        while let event = receive(&input, consumed: &echoed.consumed, output: &output) {
            switch event {
            case .message(let kind, let payload):
                // Refused when the closing handshake has begun.
                try? sendBack(kind, payload, in: input.span, output: &output)
                echoed.messageCount += 1
                echoedCount += payload.length
                if echoedCount > bytesMax { return echoed }
            case .ping, .pong: echoed.controlFrameCount += 1
            case .closed: break
            case .failed(let error):
                echoed.error = error
                return echoed
            }
        }
        return echoed
    }
}

/// What one call has read.
private struct Echoed {
    var consumed = 0
    var messageCount = 0
    var controlFrameCount = 0
    var error: WebSocketError?
}
