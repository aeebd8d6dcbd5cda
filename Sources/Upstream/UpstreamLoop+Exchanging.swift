import Reactor

/// The steps from a connection to the response.
extension UpstreamLoop {
    /// The time for which a server may delay the content of a request (RFC 9110 §10.1.1).
    private static let continueTimeout = Duration.seconds(1)

    func start(_ exchange: Exchange, on line: Line) {
        let request = exchange.request
        line.state = .busy(exchange)
        connections.setDeadline(nil, on: line.id)
        var wanted = ResponseReader.Wanted(method: request.method, bytesMax: 0)
        switch request.content {
        case .whole(let bytesMax): wanted.bytesMax = bytesMax
        case .dropped(let bytesMax, _, let keeping):
            wanted.bytesMax = bytesMax
            wanted.drops = true
            wanted.keepsMax = keeping
        }
        wanted.decompresses = request.decompresses
        wanted.wantsMore = request.wantsMore
        line.reader.expect(wanted)
        let proxy = request.url.isSecure ? nil : exchange.proxy
        connections.send(RequestBytes.head(of: request, through: proxy), on: line.id)
        exchange.hasSentBody = false
        exchange.hasReceived = false
        exchange.enter(.firstByte(line), until: now + request.deadlines.firstByte)
        if request.waitsForContinue {
            exchange.bodyWaitsUntil = now + UpstreamLoop.continueTimeout
        } else {
            sendBody(of: exchange)
        }
        schedule(exchange)
    }

    func sendBody(of exchange: Exchange) {
        exchange.bodyWaitsUntil = nil
        guard !exchange.hasSentBody, case .firstByte(let line) = exchange.phase else { return }
        exchange.hasSentBody = true
        connections.send(exchange.request.body, on: line.id)
    }

    // MARK: Input

    func receive(_ id: ConnectionID) {
        guard let line = lines[id.index], line.id == id else {
            // A closing connection must be read to its end.
            _ = connections.receive(id)
            return
        }
        switch connections.receive(id) {
        case .bytes(let count): take(count, from: line)
        case .endOfStream: takeEnd(of: line)
        case .nothing: break
        }
        // The end may arrive along with the last bytes.
        if connections.hasEnded(id), connections.isOpen(id) { takeEnd(of: line) }
        if case .securing(let exchange) = line.state, connections.isEstablished(id) {
            start(exchange, on: line)
        }
    }

    private func take(_ count: Int, from line: Line) {
        // Data may arrive with the last flight of the handshake.
        if case .securing(let exchange) = line.state, connections.isEstablished(line.id) {
            start(exchange, on: line)
        }
        if case .busy(let exchange) = line.state { exchange.hasReceived = true }
        let input = UnsafeMutableBufferPointer(rebasing: connections.input[..<count])
        var consumed = 0
        do throws(UpstreamError) {
            while let step = try line.reader.next(
                UnsafeBufferPointer(input).span,
                consumed: &consumed
            ) {
                guard handle(step, line, isLast: consumed == count) else { return }
            }
            tellKept(line)
        } catch {
            lose(line, error)
        }
    }

    /// Returns a response whose content is dropped as soon as the part to keep has arrived.
    private func tellKept(_ line: Line) {
        guard case .busy(let exchange) = line.state, case .dropping = exchange.phase,
            case .dropped(_, _, let keeping) = exchange.request.content,
            keeping > 0, line.reader.body.count >= keeping
        else { return }
        exchange.tell(.success(response(of: line, exchange)))
    }

    private func takeEnd(of line: Line) {
        do throws(UpstreamError) {
            if let step = try line.reader.endOfStream() {
                _ = handle(step, line, isLast: true)
            }
        } catch {
            return lose(line, error)
        }
        if connections.isOpen(line.id) { connections.close(line.id) }
    }

    /// Returns false when the rest of the input does not belong to this response.
    private func handle(_ step: ResponseReader.Step, _ line: Line, isLast: Bool) -> Bool {
        switch line.state {
        case .tunnelling(let exchange): return handleTunnel(step, line, exchange, isLast)
        case .busy(let exchange):
            switch step {
            case .goOn:
                sendBody(of: exchange)
                return true
            case .head:
                exchange.bodyWaitsUntil = nil
                handleHead(line, exchange)
                return true
            case .enough:
                succeed(exchange, line)
                close(line)
                return false
            case .end:
                finish(line, exchange, isLast)
                return false
            }
        case .connecting, .securing, .idle, .over:
            close(line)
            return false
        }
    }

    private func handleTunnel(
        _ step: ResponseReader.Step,
        _ line: Line,
        _ exchange: Exchange,
        _ isLast: Bool
    ) -> Bool {
        switch step {
        case .goOn: return true
        case .head:
            let status = line.reader.head?.status ?? 0
            if (200...299).contains(status) { return true }
            let reason = HTTPResponseHead(status: status).reason
            fail(exchange, .proxyFailed("answered \(status) \(reason)"))
            return false
        case .end:
            // The server behind the proxy waits for our first flight.
            guard isLast else {
                fail(exchange, .proxyFailed("sent something of its own"))
                return false
            }
            guard isSent(on: line) else {
                fail(exchange, .proxyFailed("answered before it was asked"))
                return false
            }
            line.reader = ResponseReader()
            secure(line, for: exchange)
            return false
        case .enough: return false
        }
    }

    private func handleHead(_ line: Line, _ exchange: Exchange) {
        switch exchange.request.content {
        case .whole: exchange.enter(.reading(line), until: exchange.end)
        case .dropped(_, let time, let keeping):
            if keeping == 0 { exchange.tell(.success(response(of: line, exchange))) }
            // May exceed the deadline of the whole request, which the response has met.
            exchange.phase = .dropping(line)
            exchange.phaseEnd = now + time
            schedule(exchange)
        }
    }

    func response(of line: Line, _ exchange: Exchange) -> UpstreamResponse {
        let head = line.reader.head ?? HTTPResponseHead(status: 500)
        return UpstreamResponse(
            status: head.status,
            headers: head.headers,
            body: line.reader.takeBody(),
            url: exchange.request.url
        )
    }

    private func succeed(_ exchange: Exchange, _ line: Line) {
        finish(exchange, .success(response(of: line, exchange)))
    }

    /// Ends a complete response: the connection serves the next request, or ends.
    private func finish(_ line: Line, _ exchange: Exchange, _ isLast: Bool) {
        succeed(exchange, line)
        if exchange.key.isSecure, !line.isKept, let ticket = connections.tlsTicket(of: line.id),
            // A server that resumes a session need not send another ticket.
            line.usedTicket.map(ticket.isSame(as:)) != true
        {
            exchange.profile.keep(ticket, for: exchange.key.server)
        }
        line.usedTicket = nil
        line.isKept = true
        // A response before the request was sent completely leaves the rest of the request queued,
        // which the server does not read.
        guard isSent(on: line) else {
            retire(line)
            return connections.abort(line.id)
        }
        let hasSentAll = exchange.hasSentBody || exchange.request.body.isEmpty
        guard line.reader.isReusable, isLast, hasSentAll, connections.isOpen(line.id),
            !connections.hasEnded(line.id)
        else { return close(line) }
        if let next = pools[line.key]?.firstWaiting() {
            pools[line.key]!.removeFirstWaiting()
            next.isOnKeptLine = true
            return start(next, on: line)
        }
        idleNumber += 1
        line.state = .idle
        line.idleNumber = idleNumber
        pools[line.key]?.idle.append(line)
        connections.setDeadline(now + exchange.profile.settings.idleTimeout, on: line.id)
    }

    /// Whether the kernel has accepted all queued bytes.
    private func isSent(on line: Line) -> Bool {
        connections.queuedBytes(line.id) == 0 && !connections.hasUnflushed(line.id)
    }

    /// Closes a connection that is of no further use, without an error.
    func close(_ line: Line) {
        if case .idle = line.state { pools[line.key]?.idle.removeAll { $0 === line } }
        if case .over = line.state {} else { retire(line) }
        connections.close(line.id)
    }

    // MARK: Failures

    /// Handles a violation of the protocol by the peer, or an unexpected end.
    private func lose(_ line: Line, _ error: UpstreamError) {
        switch line.state {
        case .tunnelling(let exchange): fail(exchange, .proxyFailed(error.description))
        case .busy(let exchange):
            if case .connectionEnded = error { return repeatOrFail(exchange, line, error) }
            fail(exchange, error)
        case .connecting, .securing, .idle, .over: close(line)
        }
    }

    func handleLoss(of line: Line, _ exchange: Exchange, _ end: ConnectionEnd) {
        repeatOrFail(exchange, line, .connectionEnded(UpstreamLoop.text(of: end)))
    }

    /// Repeats a request once, if allowed. A persistent connection can end just when a request is
    /// sent on it, which the server has then not received.
    private func repeatOrFail(_ exchange: Exchange, _ line: Line, _ error: UpstreamError) {
        guard exchange.isOnKeptLine, exchange.request.isRepeatable, !exchange.hasReceived,
            case .firstByte = exchange.phase
        else { return fail(exchange, error) }
        exchange.bodyWaitsUntil = nil
        line.state = .over
        connections.abort(line.id)
        // On a new connection, in the place of this one: other persistent ones may also have ended.
        // So there is no second repetition.
        exchange.isOnKeptLine = false
        findAddresses(for: exchange)
    }
}
