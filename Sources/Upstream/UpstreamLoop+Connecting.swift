import Glibc
import Reactor

/// The steps from a request to its connection.
extension UpstreamLoop {
    /// Assigns a persistent connection to a request, or opens one, or lets it wait.
    func assign(_ exchange: Exchange) {
        while let line = pools[exchange.key, default: ConnectionPool()].idle.popLast() {
            guard connections.isOpen(line.id), !connections.hasEnded(line.id) else { continue }
            exchange.isOnKeptLine = true
            return start(exchange, on: line)
        }
        // A place that was freed in this turn is for requests that already wait.
        guard hasPlace(for: exchange), !pools[exchange.key]!.hasWaiting else {
            exchange.enter(.waiting, until: exchange.end)
            pools[exchange.key]!.addWaiting(exchange)
            return
        }
        dial(exchange)
    }

    private func hasPlace(for exchange: Exchange) -> Bool {
        pools[exchange.key, default: ConnectionPool()].openCount
            < exchange.profile.settings.connectionsPerHostMax
    }

    /// Opens a connection for a request.
    private func dial(_ exchange: Exchange) {
        pools[exchange.key]!.openCount += 1
        exchange.isOnKeptLine = false
        findAddresses(for: exchange)
    }

    func findAddresses(for exchange: Exchange) {
        let host = exchange.proxy?.host ?? exchange.request.url.host
        let port = exchange.proxy?.port ?? exchange.request.url.port
        if let address = exchange.request.address {
            return dial([address], for: exchange)
        }
        if let address = SocketAddress(numericHost: host, port: port) {
            return dial([address], for: exchange)
        }
        exchange.enter(.resolving, until: now + exchange.request.deadlines.resolving)
        schedule(exchange)
        resolver.resolve(host) { [weak self] result in self?.post(.resolved(exchange, result)) }
    }

    /// Handles the resolver's result.
    func connect(
        _ exchange: Exchange,
        to result: Result<[SocketAddress], NameResolutionError>
    ) {
        // The request may have ended meanwhile.
        guard case .resolving = exchange.phase else { return }
        switch result {
        case .failure(let error): fail(exchange, .notResolved(error.description))
        case .success(let addresses):
            guard !addresses.isEmpty else {
                return fail(exchange, .notResolved("the name has none"))
            }
            let port = exchange.proxy?.port ?? exchange.request.url.port
            dial(addresses.map { $0.withPort(port) }, for: exchange)
        }
    }

    private func dial(_ addresses: [SocketAddress], for exchange: Exchange) {
        let dial = Dial(addresses)
        exchange.enter(.connecting(dial), until: now + exchange.request.deadlines.connecting)
        if let refusal = exchange.refusal(of: addresses) {
            return fail(exchange, .notAllowed(refusal))
        }
        advance(exchange, dial)
        if !exchange.isDone { schedule(exchange) }
    }

    /// Tries the next addresses that are due.
    func advance(_ exchange: Exchange, _ dial: Dial) {
        while true {
            switch dial.race.next(now: now) {
            case .connect(let index): attempt(dial.addresses[index], dial, exchange)
            case .wait(let until):
                dial.nextAttempt = until
                return
            case .failed: return fail(exchange, .connectFailed(dial.error))
            }
        }
    }

    private func attempt(_ address: SocketAddress, _ dial: Dial, _ exchange: Exchange) {
        makeRoom()
        do {
            let id = try connections.connect(to: address, tls: nil, hostName: "")
            let line = Line(id: id, to: address, for: exchange)
            lines[id.index] = line
            dial.attempts.append(line)
        } catch {
            let code = (error as? SystemError)?.code
            // The address is not at fault: all places are in use.
            if code == ENOBUFS { return fail(exchange, .overloaded) }
            let text = code.map { String(cString: strerror($0)).lowercased() } ?? "\(error)"
            dial.error = UpstreamLoop.describe(text, address, exchange)
            dial.race.attemptFailed()
        }
    }

    /// When all places are in use, ends a connection that only waits for its peer to close it, or
    /// else the one that has been idle longest.
    private func makeRoom() {
        guard connections.count >= connectionsMax else { return }
        if let closing = lines.values.first(where: { connections.isClosing($0.id) }) {
            connections.abort(closing.id)
        } else {
            let idle = pools.values.lazy.compactMap(\.idle.first)
            guard let oldest = idle.min(by: { $0.idleNumber < $1.idleNumber }) else { return }
            pools[oldest.key]?.idle.removeAll { $0 === oldest }
            retire(oldest)
            connections.abort(oldest.id)
        }
        // Its place is free once its closure was taken.
        _ = takeClosures()
    }

    /// Ends the attempts other than the winner.
    func abandon(_ dial: Dial, but winner: Line? = nil) {
        for line in dial.attempts where line !== winner {
            line.state = .over
            connections.abort(line.id)
        }
        dial.attempts = []
    }

    // MARK: Events of connections

    func resume(_ id: ConnectionID) {
        connections.resume(id)
        guard let line = lines[id.index], line.id == id, connections.isEstablished(id),
            case .connecting(let exchange) = line.state,
            case .connecting(let dial) = exchange.phase
        else { return }
        abandon(dial, but: line)
        let deadline = exchange.phaseEnd
        exchange.enter(.preparing(line), until: deadline)
        prepare(line, for: exchange)
    }

    private func prepare(_ line: Line, for exchange: Exchange) {
        guard exchange.request.url.isSecure else { return start(exchange, on: line) }
        guard let proxy = exchange.proxy else { return secure(line, for: exchange) }
        line.state = .tunnelling(exchange)
        // The content of a refusal is not needed, and a length in another response has no meaning.
        line.reader.expect(.init(method: "CONNECT", bytesMax: 0, drops: true))
        let bytes = RequestBytes.connect(to: exchange.request.url, through: proxy)
        connections.send(bytes, on: line.id)
    }

    /// Starts TLS.
    func secure(_ line: Line, for exchange: Exchange) {
        line.state = .securing(exchange)
        var host = exchange.request.url.host
        // The root's dot is not part of the name in a certificate, nor in SNI (RFC 6066 §3).
        if host.hasSuffix("."), !exchange.request.url.isAddress { host.removeLast() }
        line.usedTicket = exchange.profile.takeTicket(for: exchange.key.server)
        do throws(TLSError) {
            try connections.startTLS(
                exchange.profile.tlsContext(),
                hostName: host,
                ticket: line.usedTicket,
                on: line.id
            )
        } catch {
            fail(exchange, .tlsFailed(error.description))
        }
    }

    /// Handles the end of a connection.
    func handleEnd(of line: Line, _ end: ConnectionEnd) {
        let text = UpstreamLoop.text(of: end)
        let state = line.state
        switch state {
        case .over: break
        case .idle:
            pools[line.key]?.idle.removeAll { $0 === line }
            retire(line)
        case .connecting(let exchange):
            line.state = .over
            guard case .connecting(let dial) = exchange.phase else { return }
            dial.attempts.removeAll { $0 === line }
            dial.error = UpstreamLoop.describe(text, line.address, exchange)
            dial.race.attemptFailed()
            advance(exchange, dial)
            if !exchange.isDone { schedule(exchange) }
        case .tunnelling(let exchange): fail(exchange, .proxyFailed(text))
        case .securing(let exchange): fail(exchange, .tlsFailed(text))
        case .busy(let exchange): handleLoss(of: line, exchange, end)
        }
    }

    static func text(of end: ConnectionEnd) -> String {
        switch end {
        case .closed: "closed"
        case .broken(let code): String(cString: strerror(code)).lowercased()
        case .queueOverflow: "the server does not read"
        case .stalled: "the server has stopped reading"
        case .tlsFailed(let text): text
        // Only accepted connections have one.
        case .proxyHeaderRefused(let error): error.description
        }
    }

    /// Adds the address to the text, unless it is the requested host.
    private static func describe(
        _ text: String,
        _ address: SocketAddress,
        _ exchange: Exchange
    ) -> String {
        let url = exchange.request.url
        return url.isAddress && exchange.proxy == nil ? text : "\(address): \(text)"
    }

    // MARK: Places in the pools

    /// Removes a connection from its host's count; another may be opened.
    func retire(_ line: Line) {
        line.state = .over
        release(line.key)
    }

    func release(_ key: PoolKey) {
        guard pools[key] != nil else { return }
        pools[key]!.openCount -= 1
        freed.append(key)
    }

    /// Opens connections for waiting requests after others have ended. Not at once when one ends:
    /// an attempt that fails at once frees its place again.
    func serveWaiting() {
        while let key = freed.popLast() {
            while let next = pools[key]?.firstWaiting(), hasPlace(for: next) {
                pools[key]!.removeFirstWaiting()
                dial(next)
            }
            if pools[key]?.isUnused == true { pools[key] = nil }
        }
    }
}
