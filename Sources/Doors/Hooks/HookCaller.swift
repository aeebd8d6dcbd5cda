import Foundation
import Upstream

/// Asks one application: `HookCalls` decides when, and this makes the calls.
final class HookCaller: Sendable {
    /// The receiver of an answer.
    private struct Asker: Sendable {
        let answer: @Sendable (HookOutcome) -> Void
    }

    private struct State {
        var calls: HookCalls<Asker>
        var counts: [HookState.CountKey: Int] = [:]
        var times: [HookEvent: Histogram] = [:]
    }

    let hook: HooksSection.Hook
    private let userAgent: String
    private let logger: Logger
    private let answersLevel: Logger.Level
    private let secret: WebhookSecret?
    private let reach: AddressGuard
    private let client: UpstreamClient
    private let locked: Locked<State>

    var name: String { hook.name }

    /// The longest time from a question to its answer, also for one that waits.
    var limit: Duration {
        let rounds = 1 + (hook.queue + hook.concurrency - 1) / hook.concurrency
        return hook.timeout * rounds
    }

    /// - Parameters:
    ///   - isSampled: the flag of the traces that questions begin.
    ///   - answersLevel: that of the log entry for each answer.
    init(
        _ hook: HooksSection.Hook,
        userAgent: String,
        isSampled: Bool,
        logger: Logger,
        answersLevel: Logger.Level = .debug
    ) {
        self.hook = hook
        self.userAgent = userAgent
        self.logger = logger
        self.answersLevel = answersLevel
        // The configuration was checked.
        secret = hook.secret.flatMap { try? WebhookSecret($0.revealed) }
        reach = HookCaller.reach(of: hook)
        var settings = UpstreamClient.Settings()
        settings.connectionsPerHostMax = hook.concurrency
        // Shorter than servers keep theirs, so that a question rarely meets a connection that ends.
        settings.idleTimeout = .seconds(4)
        settings.traces = .init(isSampled: isSampled)
        client = UpstreamClient(settings)
        var calls = HookCalls<Asker>.Settings()
        calls.concurrency = hook.concurrency
        calls.queue = hook.queue
        calls.cache = hook.cache
        locked = Locked(State(calls: HookCalls(calls)))
    }

    func shutDown() { client.shutDown() }

    // MARK: Asking

    func ask(
        _ question: HookQuestion,
        completion: @escaping @Sendable (HookOutcome) -> Void
    ) {
        let event = question.event
        let asker = Asker(answer: completion)
        let decision = locked.withLock { state in
            let decision = state.calls.ask(question, asker, now: HookCaller.now)
            switch decision {
            case .answer: state.counts[.init(event: event, result: "kept"), default: 0] += 1
            case .refuse(let fault):
                state.counts[.init(event: event, result: fault.word), default: 0] += 1
            case .call, .wait: break
            }
            return decision
        }
        switch decision {
        case .call(let call): begin(call)
        case .wait: break
        case .answer(let answer): completion(.success(answer))
        case .refuse(let fault):
            log(fault, event)
            completion(.failure(fault))
        }
    }

    private func begin(_ call: HookCalls<Asker>.Call) {
        // A trace of its own, also for the next call.
        Task.detached { [self] in
            await client.traced {
                let start = ContinuousClock.now
                let outcome = await answer(to: call.question)
                end(call, outcome, after: .now - start)
            }
        }
    }

    private func end(
        _ call: HookCalls<Asker>.Call,
        _ outcome: HookOutcome,
        after duration: Duration
    ) {
        let question = call.question
        let event = question.event
        let (end, wasOpen, isOpen) = locked.withLock { state in
            let wasOpen = state.calls.isBreakerOpen
            let end = state.calls.finish(
                call,
                outcome,
                now: HookCaller.now,
                wall: HubClock.wall,
                random: Double.random(in: 0...1)
            )
            state.times[event, default: Histogram(.times)].add(duration)
            state.counts[.init(event: event, result: outcome.word), default: 0] += end.askers.count
            if !end.refused.isEmpty {
                let refused = HookFault.breakerOpen.word
                state.counts[.init(event: event, result: refused), default: 0] += end.refused.count
            }
            return (end, wasOpen, state.calls.isBreakerOpen)
        }
        switch outcome {
        case .success(let answer): log(answer, question, after: duration)
        case .failure(let fault): log(fault, event)
        }
        if wasOpen != isOpen { logBreaker(isOpen: isOpen) }
        if let next = end.next { begin(next) }
        for asker in end.askers { asker.answer(outcome) }
        for asker in end.refused { asker.answer(.failure(.breakerOpen)) }
    }

    /// Of a clock that never runs back, in milliseconds.
    private static var now: Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - origin).components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    private static let origin = ContinuousClock.now

    // MARK: Calls

    /// Calls the application, once.
    func answer(to question: HookQuestion) async -> HookOutcome {
        await call(question).outcome
    }

    /// Calls the application, once. Returns its answer, and the body as it was received; nil without one.
    func call(_ question: HookQuestion) async -> (outcome: HookOutcome, body: [UInt8]?) {
        let response: UpstreamResponse
        do throws(UpstreamError) {
            response = try await client.send(try request(question))
        } catch {
            return (.failure(HookFault(error)), nil)
        }
        guard (200...299).contains(response.status) else {
            return (.failure(.status(response.status)), response.body)
        }
        do throws(HookAnswerError) {
            return (.success(try HookAnswer(response.body, to: question.event)), response.body)
        } catch {
            return (.failure(.body("\(error)")), response.body)
        }
    }

    private func request(_ question: HookQuestion) throws(UpstreamError) -> UpstreamRequest {
        let url: UpstreamURL
        do throws(UpstreamURLError) {
            url = try UpstreamURL(hook.url(of: question.event))
        } catch {
            throw .notAllowed("\(error)")
        }
        let body = question.body
        var request = UpstreamRequest("POST", url, body: body)
        // As the client has sent them; a hook receives only those of its own list.
        let names = Set(hook.headers.map { $0.lowercased() })
        for header in question.headers where names.contains(header.name.lowercased()) {
            request.headers.append(header.name, header.value)
        }
        request.headers.append("Content-Type", "application/json")
        request.headers.append("User-Agent", userAgent)
        if let secret {
            let id = uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
            let timestamp = HubClock.wall.wholeSeconds
            let signature = secret.signature(id: id, timestamp: timestamp, body: body)
            request.headers.append("webhook-id", id)
            request.headers.append("webhook-timestamp", String(timestamp))
            request.headers.append("webhook-signature", signature)
        }
        request.content = .whole(bytesMax: HookAnswer.bytesMax)
        request.deadlines = UpstreamDeadlines(whole: hook.timeout)
        switch question.event {
        case .connect, .refresh, .subscribe, .subRefresh, .cacheEmpty: request.isRepeatable = true
        // The application may already have carried them out.
        case .publish, .rpc: break
        }
        request.reach = UpstreamReach { [reach] address in
            guard let address = address.ipAddress else { return "a local socket" }
            return reach.refusal(of: address).map { "\($0.address), which is \($0.reason)" }
        }
        return request
    }

    /// The addresses that a name may have: of the internet, and of private networks, where applications are. A
    /// name that is not `localhost` never leads to this machine or its link.
    static func reach(of hook: HooksSection.Hook) -> AddressGuard {
        var blocks = [
            "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7",
        ]
        if hook.isOnThisMachine {
            blocks += ["127.0.0.0/8", "::1/128"]
        } else if let host = ScalarType<String>.host(of: hook.url(of: .connect)) {
            // An address that the operator wrote.
            blocks += [host + "/32", host + "/128"]
        }
        return AddressGuard(allowed: blocks.compactMap { AddressBlock($0) }, ports: nil)
    }

    // MARK: State

    var state: HookState {
        let host = ScalarType<String>.host(of: hook.url(of: .connect)) ?? ""
        var found = HookState(name: name, host: host)
        locked.withLock { state in
            found.callCount = state.calls.callCount
            found.waitingCount = state.calls.waitingCount
            found.keptCount = state.calls.keptCount
            found.isBreakerOpen = state.calls.isBreakerOpen
            found.counts = state.counts
            found.times = state.times
        }
        return found
    }

    private func log(_ answer: HookAnswer, _ question: HookQuestion, after duration: Duration) {
        logger.log(
            level: answersLevel,
            "hook answered",
            metadata: [
                "hook": "\(name)", "event": "\(question.event.rawValue)",
                "user": "\(question.client?.user ?? "")", "about": "\(question.about)",
                "answer": "\(answer.summary)", "ms": .stringConvertible(duration.wholeMilliseconds),
            ],
            source: LogSource.peer
        )
    }

    private func log(_ fault: HookFault, _ event: HookEvent) {
        logger.warning(
            "hook not answered",
            metadata: [
                "hook": "\(name)", "event": "\(event.rawValue)", "reason": "\(fault.reason)",
            ],
            source: LogSource.peer
        )
    }

    private func logBreaker(isOpen: Bool) {
        logger.notice(
            isOpen ? "hook no longer asked" : "hook asked again",
            metadata: ["hook": "\(name)"]
        )
    }
}

extension HookOutcome {
    fileprivate var word: String {
        switch self {
        case .success(let answer): answer.outcome
        case .failure(let fault): fault.word
        }
    }
}

extension HookFault {
    fileprivate init(_ error: UpstreamError) {
        switch error {
        case .timedOut: self = .timeout
        default: self = .connection("\(error)")
        }
    }
}
