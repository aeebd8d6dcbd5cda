import HTTPWire
import Reactor
import Timekeeping
import WebSocketWire

extension Shard {
    func receiveHTTP(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: HTTPSession,
        on id: ConnectionID
    ) {
        guard !session.isAnswering else {
            session.unparsed.append(contentsOf: bytes)
            return
        }
        // The time for a request begins with its first byte.
        if session.head == nil, session.parser.isIdle {
            connections.setDeadline(now + settings.requestTimeout, on: id)
        }
        var consumed = 0
        do throws(HTTPRequestError) {
            while let event = try session.parser.next(
                UnsafeBufferPointer(bytes).span,
                consumed: &consumed
            ) {
                switch event {
                case .head(let head): begin(head, session, on: id)
                case .body(let range): session.body.append(contentsOf: bytes[range])
                case .end:
                    let rest = UnsafeMutableBufferPointer(rebasing: bytes[consumed...])
                    return dispatch(session, rest: rest, on: id)
                }
            }
        } catch {
            count(error)
            refuse(ServerResponse(status: error.status, text: "\(error)"), on: id)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ session: HTTPSession, on id: ConnectionID) {
        session.head = head
        if head.expectsContinue {
            connections.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), on: id)
        }
    }

    /// Sends a whole request where it belongs. Bytes behind it wait, or go to the upgraded connection.
    private func dispatch(
        _ session: HTTPSession,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard let head = session.head else { preconditionFailure("a request ended without a head") }
        switch head.path {
        case "/connection/websocket": upgradeClient(head, rest: rest, on: id)
        case "/echo" where settings.offersEcho: upgradeEcho(head, rest: rest, on: id)
        case "/events" where head.method == "GET": openEventStream(head, on: id)
        default:
            session.isAnswering = true
            session.unparsed.append(contentsOf: rest)
            connections.setReading(false, on: id)
            connections.setDeadline(nil, on: id)
            answer(head, session, on: id)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ session: HTTPSession, on id: ConnectionID) {
        let request = ServerRequest(head: head, body: session.body, peer: connections.peer(id))
        session.body = []
        Task { [respond, mailbox, logger] in
            let response = await respond(request)
            guard !mailbox.post(.response(id, response)) else { return }
            // The loop hangs: there are fewer connections than places in its mailbox.
            logger.error("response lost: the mailbox of its loop is full")
        }
    }

    func send(_ response: ServerResponse, on id: ConnectionID) {
        guard connections.isOpen(id), case .http(let session) = session(of: id),
            let head = session.head
        else { return }
        let keepsAlive = head.keepsAlive && !session.hasPeerEnded && !isDraining
        let bytes = response.bytes(
            answering: head,
            keepsAlive: keepsAlive,
            date: HubClock.wall.httpDate
        )
        connections.send(bytes, on: id)
        session.head = nil
        guard keepsAlive else { return connections.close(id) }
        session.isAnswering = false
        session.isKeptAlive = true
        connections.setReading(true, on: id)
        connections.setDeadline(now + settings.idleTimeout, on: id)
        parseNext(session, on: id)
    }

    /// Reads the request that came while the last one was being answered.
    private func parseNext(_ session: HTTPSession, on id: ConnectionID) {
        guard !session.unparsed.isEmpty else { return }
        var waiting = session.unparsed
        session.unparsed = []
        waiting.withUnsafeMutableBufferPointer { receiveHTTP($0, session, on: id) }
    }

    /// Answers and closes: what follows on the connection cannot be trusted, or is not wanted.
    func refuse(
        _ response: ServerResponse,
        answering head: HTTPRequestHead? = nil,
        on id: ConnectionID
    ) {
        let bytes = response.bytes(
            answering: head,
            keepsAlive: false,
            date: HubClock.wall.httpDate
        )
        connections.send(bytes, on: id)
        connections.close(id)
    }

    func handleDeadline(_ session: HTTPSession, on id: ConnectionID) {
        if session.head == nil && session.parser.isIdle {
            counters.bounds[session.isKeptAlive ? .idleTimeout : .handshakeTimeout] += 1
            connections.close(id)
        } else {
            counters.bounds[.handshakeTimeout] += 1
            refuse(ServerResponse(status: 408, text: "the request took too long"), on: id)
        }
    }
}

extension ServerResponse {
    /// The response on the wire. An answer to HEAD carries the length that GET's would have, and no body
    /// (RFC 9110 §9.3.2).
    func bytes(
        answering request: HTTPRequestHead?,
        keepsAlive: Bool,
        date: String
    ) -> [UInt8] {
        var head = head
        let isHead = request?.method == "HEAD"
        let mayHaveBody = head.status >= 200 && head.status != 204 && head.status != 304
        if mayHaveBody, !isHead || !head.headers.contains("Content-Length") {
            head.headers.replace("Content-Length", with: String(body.count))
        }
        // RFC 9110 §6.6.1: an origin server with a clock sends it.
        if !head.headers.contains("Date") { head.headers.append("Date", date) }
        if !keepsAlive {
            head.headers.replace("Connection", with: "close")
        } else if request?.version == .http10 {
            head.headers.replace("Connection", with: "keep-alive")
        }
        var bytes: [UInt8] = []
        head.append(to: &bytes)
        if mayHaveBody && !isHead { bytes.append(contentsOf: body) }
        return bytes
    }
}
