import Configuration
import Service

/// `/api/alerts`, `/api/alerts/silences` and `/api/alerts/rehearsal`, for holders of an API key with
/// the scope `alerts`: protocol/alerts.md.
package struct AlertRoutes: Sendable {
    private static let limitDefault = 100
    private static let bodyBytesMax = 8 << 10

    private let store: HubStore
    private let silences: AlertSilences
    private let clock: HubClock
    private let vocabulary: AlertVocabulary
    private let logger: Logger
    /// Silences are made one after another: their number is bounded.
    private let execution = SerialExecution()
    /// One at a time has its publications in memory.
    private let rehearsals = SerialExecution()

    package init(
        store: HubStore,
        silences: AlertSilences,
        clock: HubClock,
        vocabulary: AlertVocabulary,
        logger: Logger
    ) {
        self.store = store
        self.silences = silences
        self.clock = clock
        self.vocabulary = vocabulary
        self.logger = logger
    }

    package func add(to routes: inout Routes) {
        routes.get("/api/alerts", scope: "alerts") { request in
            await answer { try await list(request) }
        }
        routes.post("/api/alerts/:id/acknowledge", scope: "alerts") { request in
            await answer { try await acknowledge(request) }
        }
        routes.get("/api/alerts/silences", scope: "alerts") { _ in
            await answer { listSilences() }
        }
        routes.post("/api/alerts/silences", scope: "alerts") { request in
            await answer { try await silence(request) }
        }
        routes.delete("/api/alerts/silences/:id", scope: "alerts") { request in
            await answer { try await endSilence(request) }
        }
        routes.post("/api/alerts/rehearsal", scope: "alerts") { request in
            await answer { try await rehearse(request) }
        }
    }

    // MARK: Alerts

    private func list(_ request: RouteRequest) async throws -> ServerResponse {
        let word = request.query("state") ?? AlertRange.all.rawValue
        guard let range = AlertRange(rawValue: word) else {
            let words = quotedList(AlertRange.allCases.map(\.rawValue))
            throw refusal("state is \"\(word.prefix(32))\", expected one of \(words)")
        }
        let max = StoredAlert.keptMax
        let text = request.query("limit") ?? String(Self.limitDefault)
        guard let limit = Int(text), (1...max).contains(limit) else {
            throw refusal("limit is \"\(text.prefix(32))\", expected a number from 1 to \(max)")
        }
        let alerts = try await store.alerts(range, limit: limit)
        var json = JSONWriter()
        json.object {
            $0.array("alerts") { array in
                for alert in alerts { write(alert, to: &array) }
            }
        }
        return .uncached(json.bytes)
    }

    private func acknowledge(_ request: RouteRequest) async throws -> ServerResponse {
        guard let grant = request.grant else { throw RouteRefusal.keyNeeded }
        let body = try request.content(upTo: Self.bodyBytesMax)
        let note = body.isEmpty ? nil : try RequestFields(body).text("note", .alertNote)
        let id = request.parameters["id"]
        let seen = AlertAcknowledgement(time: HubClock.wall, by: grant.name, note: note)
        guard let alert = try await store.acknowledgeAlert(id, seen) else {
            throw RouteRefusal(404, "ALERT_NOT_FOUND", "there is no such alert")
        }
        logger.notice(
            "alert acknowledged",
            metadata: ["alert": "\(id)", "rule": "\(alert.record.rule)", "key": "\(grant.name)"]
        )
        var json = JSONWriter()
        write(alert, to: &json)
        return .uncached(json.bytes)
    }

    private func write(_ alert: StoredAlert, to json: inout JSONWriter) {
        let isCovered =
            alert.record.ended == nil
            && silences.cover(alert.record, now: HubClock.wall)
        json.object {
            alert.record.write(to: &$0, isSilenced: alert.record.isSilenced || isCovered)
            guard let seen = alert.acknowledgement else { return $0.null("acknowledged") }
            $0.object("acknowledged") {
                $0.field("time", seen.time.iso8601)
                $0.field("by", seen.by)
                $0.field("note", seen.note)
            }
        }
    }

    // MARK: Silences

    private func listSilences() -> ServerResponse {
        var json = JSONWriter()
        json.object {
            $0.array("silences") { array in
                for silence in silences.holding(now: HubClock.wall) { silence.write(to: &array) }
            }
        }
        return .uncached(json.bytes)
    }

    private func silence(_ request: RouteRequest) async throws -> ServerResponse {
        guard let grant = request.grant else { throw RouteRefusal.keyNeeded }
        let now = HubClock.wall
        let new = try NewAlertSilence(
            json: try request.content(upTo: Self.bodyBytesMax),
            now: now
        )
        let silence = AlertSilence(
            id: TopicAlertsFollower.newID(),
            rule: new.rule,
            subject: new.subject,
            created: now,
            until: new.until,
            by: grant.name,
            note: new.note
        )
        try await execution.run { [store, silences] in
            let ended = silences.ended(now: now)
            guard silences.holding(now: now).count < AlertSilences.countMax else {
                let message = "at most \(AlertSilences.countMax) silences at a time"
                throw RouteRefusal(409, "TOO_MANY_SILENCES", message)
            }
            let rows = ended.map { StateRow(domain: AlertSilences.domain, key: $0, value: nil) }
            _ = try await store.commit(Change(state: rows + [silence.row]))
            silences.remove(ended)
            silences.put(silence)
        }
        logger.notice(
            "alerts silenced",
            metadata: [
                "rule": "\(silence.rule ?? "*")", "subject": "\(silence.subject ?? "*")",
                "until": "\(silence.until.iso8601Seconds)", "key": "\(grant.name)",
            ]
        )
        var json = JSONWriter()
        silence.write(to: &json)
        return .uncached(json.bytes, status: 201)
    }

    private func endSilence(_ request: RouteRequest) async throws -> ServerResponse {
        guard let grant = request.grant else { throw RouteRefusal.keyNeeded }
        let id = request.parameters["id"]
        guard let silence = silences[id], HubClock.wall < silence.until else {
            throw RouteRefusal(404, "SILENCE_NOT_FOUND", "there is no such silence")
        }
        let row = StateRow(domain: AlertSilences.domain, key: id, value: nil)
        _ = try await store.commit(Change(state: [row]))
        silences.remove([id])
        logger.notice(
            "silence ended",
            metadata: [
                "rule": "\(silence.rule ?? "*")", "subject": "\(silence.subject ?? "*")",
                "key": "\(grant.name)",
            ]
        )
        return .uncached(Array("{}".utf8))
    }

    // MARK: Rehearsal

    private func rehearse(_ request: RouteRequest) async throws -> ServerResponse {
        let body = try request.content(upTo: AlertRuleReader.bytesMax + Self.bodyBytesMax)
        let asked = try RehearsalRequest(json: body, vocabulary: vocabulary)
        let now = clock.now
        let begin = now - asked.length
        let (found, first) = try await rehearsals.run { [store] in
            let stored = try await store.history(
                of: asked.topic,
                count: RehearsalRequest.countMax,
                bytes: RehearsalRequest.historyBytesMax
            )
            let publications = (stored?.publications ?? []).filter { $0.time >= begin }
            let found = AlertHistoryRehearsal(asked.rule, of: asked.topic, publications, until: now)
            return (found, publications.first?.time)
        }
        var json = JSONWriter()
        json.object {
            $0.field("from", begin.iso8601)
            $0.field("to", now.iso8601)
            $0.field("first", first?.iso8601)
            $0.field("publications", found.count)
            $0.field("unreadable", found.unreadable)
            $0.array("missing") { array in
                for name in found.missing { array.value(name) }
            }
            $0.array("alerts") { array in
                for alert in found.alerts { array.object { alert.writeRehearsed(to: &$0) } }
            }
        }
        return .uncached(json.bytes)
    }

    // MARK: Refusals

    private func refusal(_ message: String) -> RouteRefusal {
        RouteRefusal(400, "INVALID_REQUEST", message)
    }

    private func answer(_ body: () async throws -> ServerResponse) async -> ServerResponse {
        await .answer(part: "alerts", logger) { error in
            switch error {
            case let error as RequestError: refusal("\(error)").response
            case let error as ConfigurationError: .alertProblems(error)
            default: nil
            }
        } _: {
            try await body()
        }
    }
}

extension AlertRecord {
    fileprivate func write(to json: inout JSONWriter, isSilenced: Bool) {
        json.field("id", id)
        json.field("rule", rule)
        json.field("subject", subject)
        json.field("topic", topic)
        writeCourse(to: &json)
        json.field("silenced", isSilenced)
    }

    fileprivate func writeRehearsed(to json: inout JSONWriter) { writeCourse(to: &json) }

    private func writeCourse(to json: inout JSONWriter) {
        json.field("severity", severity)
        json.field("raised", raised.iso8601)
        json.field("ended", ended?.iso8601)
        json.field("reason", reason)
        json.field("headline", headline)
        guard let values else { return json.null("values") }
        json.raw("values", values)
    }
}
