import Reactor
import Service
import Wire

/// The actions that an HTTP connection requires of its loop after an input.
package enum HTTPAction {
    /// Count that a bound was reached.
    case count(Bound)
    /// Call `deadlinePassed` at this instant; nil for never.
    case wait(until: MonotonicInstant?)
    /// Call `deadlinePassed` in the next turn.
    case waitForTurn
    /// Send these bytes.
    case send([UInt8])
    /// The head of a request has arrived: refuse the request, or continue reading.
    case head(HTTPRequestHead)
    /// Ask the responder, or give the connection to another protocol. The bytes that follow the
    /// request are not consumed: give them to `keep`, or to the other protocol.
    case request(HTTPRequestHead, body: [UInt8])
    /// Send this answer and close the connection: its further input is unreliable or not accepted.
    case refuse(HTTPRefusal)
    /// The whole answer is queued; its memory is free.
    case answerSent
    /// Read the next request: from the connection, and first from these bytes.
    case readOn(WaitingBytes)
    /// Close the connection when everything queued is sent.
    case close
    /// Close the connection at once, and drop its queue.
    case abort
}

/// An answer after which the connection is closed.
package struct HTTPRefusal: Sendable {
    package let response: ServerResponse
    /// The request; nil if its head is incomplete.
    package let head: HTTPRequestHead?
    /// Whether the request is a HEAD request, as far as its bytes show: the answer has no content
    /// then.
    package let isHEAD: Bool
    /// The bound that the request exceeds; nil for another reason.
    package var bound: Bound?
}

/// Times of HTTP connections. They are parameters of each input, because a reload may change them
/// in between.
package struct HTTPPolicy: Equatable, Sendable {
    /// The time from the first byte of a request to the end of its content.
    package var requestTimeout: Duration
    /// The time between requests of a connection that is kept alive.
    package var idleTimeout: Duration
    /// The time between two bytes of an answer that the peer accepts.
    package var stallTimeout: Duration
    /// The maximum size of a piece in which an answer is queued.
    package var pieceBytesMax: Int
}

/// The state of a connection on which an answer is sent.
package struct AnswerRoom: Equatable, Sendable {
    /// Bytes that the socket has not accepted in earlier turns.
    package var queuedBytes: Int
    /// Whether bytes wait for the flush of this turn or, behind a fan-out, of a later one.
    package var hasUnflushed: Bool
    /// Whether the hub shuts down; connections are not kept alive then.
    package var isDraining: Bool
}

/// An HTTP/1.1 connection: one request at a time; the next is read after the last is answered.
///
/// **States:** reading a request or waiting for one, answering, sending, over. **Inputs:**
/// `receive` for bytes of the peer, `receiveEndOfStream`; `keep` for bytes behind a request;
/// `answer` with the responder's answer and `roomCame` when the socket may accept more of it;
/// `deadlinePassed`; `drain` at the shutdown; `giveUp` when memory is short.
///
/// **Duties of the caller.** With each input of the peer it asks for the `requestDeadline`, and
/// calls `receive` until it returns nil, a `.request` or a `.refuse`. It carries out the actions of
/// all other inputs in their order.
///
/// A response may be longer than the maximum queue of a connection. So each piece is queued after
/// the previous one is sent, and the next request is read after the last piece is queued. A peer
/// that reads, however slowly, receives the whole response; a peer that accepts nothing for the
/// stall timeout is disconnected.
///
/// **Not done here:** routes and their methods, answers, upgrades, the memory of all peers.
///
/// RFC 9112 §9.3 (persistence, pipelining), §9.6 (closing); RFC 9110 §9.1 (methods), §10.1.1
/// (Expect).
package struct HTTPMachine: ~Copyable {
    private enum State {
        /// Between requests, or in one whose head has arrived. To `answering` with its end, to
        /// `over` by an error, at the deadline and by the end of the peer.
        case reading(HTTPRequestHead?)
        /// The responder makes the answer, or another protocol takes the connection. To `sending`
        /// by `answer`, to `over` by `giveUp`.
        case answering(HTTPRequestHead)
        /// The answer is sent in pieces. To `reading` or `over` with the last, to `over` when the
        /// peer stalls.
        case sending(HTTPRequestHead, OutgoingAnswer)
        /// Final.
        case over
    }

    private var state = State.reading(nil)
    private var parser: HTTPRequestParser
    /// The content of the request that is being read.
    private var body: [UInt8] = []
    /// The input after a request that is being answered.
    private var unparsed = WaitingBytes()
    /// Whether the peer has closed its side. It still receives its answer.
    private var hasPeerEnded = false
    /// Whether a request was answered before.
    package private(set) var isKeptAlive = false

    package init(limits: HTTPLimits) {
        parser = HTTPRequestParser(limits: limits)
    }

    /// The request that is being read or answered; nil if there is none.
    package var head: HTTPRequestHead? {
        switch state {
        case .reading(let head): head
        case .answering(let head), .sending(let head, _): head
        case .over: nil
        }
    }

    /// The length of an answer that is not fully queued; nil if there is none.
    package var answerLength: Int? {
        guard case .sending(_, let answer) = state else { return nil }
        return answer.length
    }

    /// Whether an answer waits for its peer to read.
    package var isWaitingForPeer: Bool {
        guard case .sending(_, let answer) = state else { return false }
        return answer.isWaiting
    }

    /// The heap memory of an incomplete request, and of the input after a request.
    package var heldInputBytes: Int { parser.heldBytes + body.capacity + unparsed.heldBytes }

    // MARK: Requests

    /// RFC 9110 §9.1: "An origin server that receives a request method that is unrecognized or not
    /// implemented SHOULD respond with the 501 (Not Implemented) status code." These are
    /// recognized; a resource that does not have one of them answers 405. CONNECT is for proxies.
    private static let methodsKnown: Set = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
    ]

    /// Returns the deadline of a request that begins with the next byte; nil if one has begun.
    package func requestDeadline(
        now: MonotonicInstant,
        _ policy: HTTPPolicy
    ) -> MonotonicInstant? {
        guard case .reading(nil) = state, parser.isIdle else { return nil }
        return now + policy.requestTimeout
    }

    /// Reads `bytes` from `consumed` on up to the next action. Returns nil if all of it is
    /// consumed.
    package mutating func receive(
        _ bytes: UnsafeBufferPointer<UInt8>,
        consumed: inout Int
    ) -> HTTPAction? {
        switch state {
        case .answering, .sending:
            keep(bytes[consumed...])
            consumed = bytes.count
            return nil
        case .over:
            consumed = bytes.count
            return nil
        case .reading: break
        }
        do throws(HTTPRequestError) {
            while let event = try parser.next(bytes.span, consumed: &consumed) {
                switch event {
                case .head(let head): return receive(head)
                case .body(let range): body.append(contentsOf: bytes[range])
                case .end: return endRequest()
                }
            }
            return nil
        } catch {
            consumed = bytes.count
            let response = ServerResponse(status: error.status, text: "\(error)")
            return .refuse(refusal(response, over: Bound(error)))
        }
    }

    private mutating func receive(_ head: HTTPRequestHead) -> HTTPAction {
        state = .reading(head)
        guard HTTPMachine.methodsKnown.contains(head.method) else {
            return .refuse(refusal(ServerResponse(status: 501, text: "method not implemented")))
        }
        guard head.unknownExpectation == nil else {
            let text = "the only expectation that is met is 100-continue"
            return .refuse(refusal(ServerResponse(status: 417, text: text)))
        }
        return .head(head)
    }

    private mutating func endRequest() -> HTTPAction {
        guard case .reading(let head?) = state else {
            preconditionFailure("a request ended without a head")
        }
        state = .answering(head)
        defer { body = [] }
        return .request(head, body: body)
    }

    /// Keeps the bytes after a request until it is answered.
    package mutating func keep(_ bytes: some Sequence<UInt8>) {
        unparsed.append(bytes)
    }

    /// Keeps what is left of the bytes of `readOn`.
    package mutating func keep(_ rest: consuming WaitingBytes) { unparsed.append(rest) }

    /// Reports the end of the peer's input. After a half-close the hub still answers a request;
    /// without one the connection is closed.
    package mutating func receiveEndOfStream() -> [HTTPAction] {
        switch state {
        case .answering, .sending:
            hasPeerEnded = true
            return []
        case .reading, .over:
            state = .over
            return [.close]
        }
    }

    // MARK: Answers

    /// Whether the connection accepts another request after the answer; nil if no answer is
    /// expected.
    package func keepsAlive(isDraining: Bool) -> Bool? {
        guard case .answering(let head) = state else { return nil }
        return head.keepsAlive && continues(isDraining: isDraining)
    }

    /// Whether the connection reads on after an answer. When the hub shuts down, it reads only what
    /// has arrived: requests that have begun are answered.
    private func continues(isDraining: Bool) -> Bool {
        !hasPeerEnded && (!isDraining || !unparsed.isEmpty)
    }

    /// Begins to send an answer. Does nothing if no answer is expected.
    package mutating func answer(
        _ answer: OutgoingAnswer,
        _ room: AnswerRoom,
        now: MonotonicInstant,
        _ policy: HTTPPolicy
    ) -> [HTTPAction] {
        guard case .answering(let head) = state else { return [] }
        state = .sending(head, answer)
        return roomCame(room, now: now, policy)
    }

    /// Sends the next piece of an answer if the last one is sent. Does nothing without an answer.
    package mutating func roomCame(
        _ room: AnswerRoom,
        now: MonotonicInstant,
        _ policy: HTTPPolicy
    ) -> [HTTPAction] {
        guard case .sending(let head, var answer) = state else { return [] }
        guard room.queuedBytes == 0 else {
            answer.isWaiting = true
            state = .sending(head, answer)
            return [.wait(until: now + policy.stallTimeout)]
        }
        // A fan-out extends over several turns, and the last piece waits behind it.
        guard !room.hasUnflushed else { return [.waitForTurn] }
        let piece = answer.nextPiece(bytesMax: policy.pieceBytesMax)
        guard answer.isSent else {
            state = .sending(head, answer)
            // Only this turn's flush shows how much the socket accepts. If it accepts everything,
            // the kernel reports no room.
            return [.send(piece), .waitForTurn]
        }
        guard answer.keepsAlive, continues(isDraining: room.isDraining) else {
            state = .over
            return [.send(piece), .answerSent, .close]
        }
        state = .reading(nil)
        isKeptAlive = true
        defer { unparsed = WaitingBytes() }
        return [
            .send(piece), .answerSent, .wait(until: now + policy.idleTimeout), .readOn(unparsed),
        ]
    }

    // MARK: The end

    /// Ends a connection whose request has not arrived or not ended in time, or whose peer accepts
    /// nothing of its answer.
    package mutating func deadlinePassed(
        _ room: AnswerRoom,
        now: MonotonicInstant,
        _ policy: HTTPPolicy
    ) -> [HTTPAction] {
        switch state {
        case .over, .answering: return []
        case .sending(_, let answer):
            // Each byte that the peer accepts postpones the deadline; this one has accepted none.
            guard !answer.isWaiting else {
                state = .over
                return [.count(.stallTimeout), .abort]
            }
            return roomCame(room, now: now, policy)
        case .reading(nil) where parser.isIdle:
            state = .over
            return [.count(isKeptAlive ? .idleTimeout : .handshakeTimeout), .close]
        case .reading:
            let response = ServerResponse(status: 408, text: "the request took too long")
            return [.refuse(refusal(response, over: .handshakeTimeout))]
        }
    }

    /// Ends a connection without a request when the hub shuts down. A request of which any byte has
    /// arrived is answered first, if its rest comes in time.
    package mutating func drain() -> [HTTPAction] {
        switch state {
        case .reading(nil) where parser.isIdle:
            state = .over
            return [.close]
        case .reading, .answering, .sending, .over: return []
        }
    }

    /// Ends the connection and drops its input when memory is short.
    package mutating func giveUp() -> [HTTPAction] {
        body = []
        unparsed = WaitingBytes()
        switch state {
        case .over: return []
        case .answering, .sending:
            state = .over
            return [.abort]
        case .reading: return [.refuse(refusal(.tooMany))]
        }
    }

    /// Refuses the request, of which there may be only the first bytes.
    package mutating func refusal(
        _ response: ServerResponse,
        over bound: Bound? = nil
    ) -> HTTPRefusal {
        defer { state = .over }
        return HTTPRefusal(
            response: response,
            head: head,
            isHEAD: parser.asksForHEAD,
            bound: bound
        )
    }
}

extension Bound {
    /// The bound that a request exceeds; nil for another error.
    package init?(_ error: HTTPRequestError) {
        switch error.status {
        case 413: self = .bodyBytes
        case 414, 431: self = .headerBytes
        default: return nil
        }
    }
}
