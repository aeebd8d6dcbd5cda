import HTTPService
import HTTPWire
import Reactor
import Tasks
import Timekeeping

/// Responses: sent whole to whoever reads, in pieces to whoever reads slowly.
///
/// A response may be longer than what may wait for a connection (`queueBytesMax`). So its next piece
/// is queued when the last one is gone, and the next request is read when the last piece is queued.
/// Whoever reads, however slowly, gets all of it; whoever takes nothing for `stallTimeout` is given up.
extension Shard {
    /// Enough to fill a socket's buffer, little enough for a thousand slow readers.
    private static let pieceBytesMax = 256 << 10

    package func send(_ response: ServerResponse, on id: ConnectionID) {
        guard connections.isOpen(id), case .http(let session) = session(of: id),
            let head = session.head
        else { return }
        let keepsAlive = head.keepsAlive && !session.hasPeerEnded && !isDraining
        session.answer = OutgoingAnswer(
            bytes(of: response, answering: head, keepsAlive: keepsAlive),
            keepsAlive: keepsAlive
        )
        continueAnswer(session, on: id)
        accountForAnswer(session, of: id)
    }

    /// Goes on with the answer of a connection that took some bytes.
    package func continueAnswer(on id: ConnectionID) {
        guard case .http(let session) = session(of: id) else { return }
        continueAnswer(session, on: id)
    }

    private func continueAnswer(_ session: HTTPSession, on id: ConnectionID) {
        guard session.answer != nil else { return }
        guard connections.queuedBytes(id) == 0 else {
            session.answer!.isWaiting = true
            return connections.setDeadline(now + settings.connections.stallTimeout, on: id)
        }
        guard !connections.hasUnflushed(id) else {
            // A fan-out goes on over several turns, and the last piece waits behind it.
            return connections.setDeadline(now + .nanoseconds(1), on: id)
        }
        // Half of the queue: TLS makes a piece longer.
        let bytesMax = max(1, min(settings.connections.queueBytesMax / 2, Shard.pieceBytesMax))
        connections.send(session.answer!.nextPiece(bytesMax: bytesMax), on: id)
        if session.answer!.isSent {
            finishAnswer(session, on: id)
        } else {
            // In the next turn: only after this one's flush is it known what the socket has taken. If
            // it was everything, nobody tells us that there is room.
            connections.setDeadline(now + .nanoseconds(1), on: id)
        }
    }

    private func finishAnswer(_ session: HTTPSession, on id: ConnectionID) {
        let keepsAlive = session.answer?.keepsAlive == true && !session.hasPeerEnded && !isDraining
        session.answer = nil
        forgetAnswer(of: id)
        session.head = nil
        guard keepsAlive else { return connections.close(id) }
        session.isAnswering = false
        session.isKeptAlive = true
        connections.setReading(true, on: id)
        connections.setDeadline(now + settings.idleTimeout, on: id)
        parseNext(session, on: id)
    }

    /// Answers and closes: what follows on the connection cannot be trusted, or is not wanted.
    package func refuse(
        _ response: ServerResponse,
        answering head: HTTPRequestHead? = nil,
        isHEAD: Bool = false,
        on id: ConnectionID
    ) {
        let bytes = bytes(of: response, answering: head, isHEAD: isHEAD, keepsAlive: false)
        connections.send(bytes, on: id)
        connections.close(id)
    }

    /// Refuses a request of which there may be no more than its first bytes.
    package func refuse(_ response: ServerResponse, _ session: HTTPSession, on id: ConnectionID) {
        let isHEAD = session.parser.asksForHEAD
        refuse(response, answering: session.head, isHEAD: isHEAD, on: id)
    }

    package func handleDeadline(_ session: HTTPSession, on id: ConnectionID) {
        if let answer = session.answer {
            // Each byte that the peer takes puts the deadline off; this one has taken none.
            guard !answer.isWaiting else {
                counters.bounds[.stallTimeout] += 1
                return connections.abort(id)
            }
            continueAnswer(session, on: id)
        } else if session.head == nil && session.parser.isIdle {
            counters.bounds[session.isKeptAlive ? .idleTimeout : .handshakeTimeout] += 1
            connections.close(id)
        } else {
            counters.bounds[.handshakeTimeout] += 1
            let response = ServerResponse(status: 408, text: "the request took too long")
            refuse(response, session, on: id)
        }
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
