// Diagnostics: health, metrics of the process and of the store, log entries of the store, and the
// descriptions of the hub's routes.

import Service

/// `/api/health` for people and apps, `/livez` and `/readyz` for the systems that start and
/// stop the hub.
package struct HealthRoutes: Sendable {
    private let readiness: ReadinessBoard
    private let board: HealthBoard
    private let clock: HubClock
    private let store: HubStore
    private let version: String
    /// Whether the reasons why the hub is not ready are omitted, as on public listeners.
    private let hidesReasons: Bool

    package init(
        readiness: ReadinessBoard,
        board: HealthBoard,
        clock: HubClock,
        store: HubStore,
        version: String,
        hidesReasons: Bool = false
    ) {
        self.readiness = readiness
        self.board = board
        self.clock = clock
        self.store = store
        self.version = version
        self.hidesReasons = hidesReasons
    }

    package func add(to routes: inout Routes) {
        routes.get("/livez") { _ in
            ServerResponse.uncached(Array(#"{"status":"alive"}"#.utf8))
        }
        routes.get("/readyz") { ready(showsReason: !hidesReasons || $0.isForAdmins) }
        routes.get("/api/health") { _ in health() }
    }

    private func ready(showsReason: Bool) -> ServerResponse {
        let reason = readiness.refusal
        var json = JSONWriter()
        json.object {
            $0.field("status", reason == nil ? "ready" : "not ready")
            if showsReason, let reason { $0.field("reason", reason) }
        }
        return .uncached(json.bytes, status: reason == nil ? 200 : 503)
    }

    /// Returns 200 whatever the state of the upstreams: the hub serves its last good state, and
    /// reports its age.
    ///
    /// It uses only memory, since the page is open to all clients.
    private func health() -> ServerResponse {
        let now = clock.now
        let lines = board.all
        let problems = problems(lines, now: now)
        let counts = store.deliveryTally
        var json = JSONWriter()
        json.object {
            $0.field("status", problems.isEmpty ? "healthy" : "degraded")
            $0.array("problems") { array in
                for problem in problems {
                    array.object {
                        $0.field("part", problem.part)
                        $0.field("reason", problem.reason)
                    }
                }
            }
            $0.field("version", version)
            $0.field("time", now.iso8601)
            $0.field("replay", clock.isRecording)
            $0.object("store") { store.health.write(to: &$0) }
            $0.array("feeds") { array in
                for line in lines { array.object { line.write(to: &$0, now: now) } }
            }
            $0.object("webhooks") {
                $0.field("pending", counts.pending)
                $0.field("failed", counts.failed)
            }
        }
        return .uncached(json.bytes)
    }

    /// Returns the problems that make the hub degraded: parts of it that refuse work, what the
    /// domains report, stale feeds of inputs for which no other feed has fresh data, and inputs that
    /// have lost their first source.
    private func problems(
        _ lines: [HealthBoard.Line],
        now: Timestamp
    ) -> [(part: String, reason: String)] {
        var problems = readiness.objections
        // The readiness board receives the store's refusal a little later.
        if let refusal = store.health.refusal, !problems.contains(where: { $0.part == "store" }) {
            problems.append(("store", refusal))
        }
        problems += board.problems.map { ($0.part, $0.reason) }
        for line in lines.withoutFreshInput(now: now) {
            let reason = line.health.lastFailure?.reason ?? "its data are old"
            problems.append(("feed \(line.name)", reason))
        }
        for line in lines.replacedFirstSources(now: now) {
            let reason = line.health.lastFailure?.reason ?? "its data are old"
            problems.append(
                ("input \(line.input ?? line.name)", "its source \(line.name) is lost: \(reason)")
            )
        }
        return problems
    }
}

extension StoreHealth {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .ok: json.field("status", "ok")
        case .failing(let since, let error):
            json.field("status", "failing")
            json.field("reason", error.code.summary)
            json.field("since", since.iso8601)
        }
    }
}

extension HealthBoard.Line {
    func write(to json: inout JSONWriter, now: Timestamp) {
        json.field("name", name)
        json.field("input", input)
        json.field("status", health.status.rawValue)
        json.field("stale", isStale(now: now))
        json.field("last_success", health.lastSuccess?.iso8601)
        json.field("age_seconds", health.lastSuccess.map { (now - $0).inSeconds.rounded() })
        json.field("data_time", data?.time.iso8601)
        json.field("consecutive_failures", health.consecutiveFailures)
        json.field("last_failure", health.lastFailure?.reason)
        json.field("next_attempt", health.nextAttempt.iso8601)
    }
}
