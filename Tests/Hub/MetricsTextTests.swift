import Activity
import Expectations
import Foundation
import HubTesting
import Repository

@testable import API
@testable import ActivityApp
@testable import ClientWire
@testable import Core
@testable import Hub
@testable import RadarApp
@testable import Reactor
@testable import Store

@Suite("Metrics", .timeLimit(.minutes(10)))
struct MetricsTextTests {
    @Test func metricHasItsHelpItsTypeAndASampleForEachLabel() {
        var text = MetricsText()
        text.metric("a_total", .counter, "What it is.", [([("b", "x"), ("c", "y")], 1), ([], 2)])
        expectEqual(
            text.text,
            """
            # HELP a_total What it is.
            # TYPE a_total counter
            a_total{b="x",c="y"} 1
            a_total 2

            """
        )
    }

    @Test func histogramHasEachBoundInfinitySumAndCount() {
        var histogram = Histogram(.counts)
        for count in [1, 2, 2, 20_000] { histogram.add(count) }
        var text = MetricsText()
        text.histogram("a", "A.", histogram)
        let lines = text.text.split(separator: "\n")
        expectEqual(lines[1], "# TYPE a histogram")
        expectEqual(lines[2], #"a_bucket{le="1.0"} 1"#)
        expectEqual(lines[3], #"a_bucket{le="2.0"} 3"#)
        expectEqual(lines[16], #"a_bucket{le="16384.0"} 3"#)
        expectEqual(lines[17...], [#"a_bucket{le="+Inf"} 4"#, "a_sum 20005.0", "a_count 4"])
    }

    @Test func histogramsWithLabelsStandUnderOneName() throws {
        var text = MetricsText()
        var (one, other) = (Histogram(.counts), Histogram(.counts))
        one.add(1)
        other.add(3)
        other.add(4)
        text.histogram("a", "A.", [([("b", "x")], one), ([("b", "y")], other)])
        let metrics = try Exposition(text.text)
        expectEqual(metrics.value("a_count", ["b": "x"]), 1)
        expectEqual(metrics.value("a_bucket", ["b": "y", "le": "2.0"]), 0)
        expectEqual(metrics.value("a_bucket", ["b": "y", "le": "4.0"]), 2)
        expectEqual(metrics.value("a_sum", ["b": "y"]), 7)
    }

    /// CR LF is one character of Swift; left as it is, it would end the line.
    @Test(arguments: ["\"", "\\", "\n", "\r\n", "\\n", "ø", "\"\\\n", ""])
    func labelIsReadBackAsItWas(value: String) throws {
        var text = MetricsText()
        text.metric("a", .gauge, "A.", [([("b", value), ("c", "d")], 1)])
        try expectEqual(Exposition(text.text).value("a", ["b": value, "c": "d"]), 1)
    }

    @Test func loopsAreAddedUp() throws {
        var one = LoopCounters()
        one.open.json = 2
        one.bounds[.queueBytes] = 1
        one.connections.bytesSent = 10
        one.turn.add(.seconds(1))
        one.topics = 3
        one.published["news"] = 7
        var other = LoopCounters()
        other.open.json = 3
        other.open.http = 1
        other.bounds[.queueBytes] = 4
        other.connections.bytesSent = 5
        other.turn.add(.seconds(2))
        other.topics = 4
        other.published["news"] = 7
        var memory = HeldMemory()
        memory.limit = 1 << 28
        memory.held = [.messages: 5, .queues: -1]
        var text = MetricsText()
        text.writeProcess(version: "1", logLinesDropped: 9)
        text.write(loops: [one, other], bounds: BoundCounts(), memory)
        let metrics = try Exposition(text.text)
        let json = ["transport": "websocket", "protocol": "json"]
        expectEqual(metrics.value("hub_connections", json), 5)
        expectEqual(metrics.value("hub_connections", ["transport": "http", "protocol": "http"]), 1)
        expectEqual(metrics.value("hub_limits_reached_total", ["limit": "limits.queue_bytes"]), 5)
        expectEqual(metrics.value("hub_bytes_sent_total"), 15)
        expectEqual(metrics.value("hub_build_info", ["version": "1"]), 1)
        expectEqual(metrics.value("hub_log_lines_dropped_total"), 9)
        expectEqual(metrics.value("hub_loop_lag_seconds_count"), 2)
        expectEqual(metrics.value("hub_loop_lag_seconds_sum"), 3)
        expectEqual(metrics.value("hub_memory_limit_bytes"), Double(1 << 28))
        expectEqual(metrics.value("hub_memory_bytes", ["purpose": "messages"]), 5)
        expectEqual(metrics.value("hub_memory_bytes", ["purpose": "queues"]), 0)
        // What every loop has stands once.
        expectEqual(metrics.value("hub_topics"), 4)
        expectEqual(metrics.value("hub_messages_published_total", ["namespace": "news"]), 7)
    }

    @Test func everythingThatIsCountedIsTold() throws {
        let metrics = try Exposition(full.text)
        func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
            metrics.value("hub_" + name, labels)
        }
        expectEqual(value("disconnects_total", ["code": "3008", "reason": "slow"]), 1)
        expectEqual(value("disconnects_total", ["code": "0", "reason": "connection lost"]), 2)
        expectEqual(value("reply_errors_total", ["method": "publish", "code": "111"]), 3)
        expectEqual(value("token_refused_total", ["code": "expired"]), 4)
        expectEqual(value("messages_dropped_total", ["reason": "expired"]), 5)
        expectEqual(value("recover_total", ["result": "gap"]), 1)
        expectEqual(value("recover_total", ["result": "unknown"]), 0)
        expectEqual(value("recover_waits_total"), 16)
        expectEqual(value("connections_rejected_total", ["reason": "origin"]), 6)
        expectEqual(value("drain_remaining"), 7)
        expectEqual(value("store_oldest_seconds"), 1.5)
        expectEqual(value("store_wal_bytes"), 20)
        expectEqual(value("store_losses_total", ["kind": "commits"]), 15)
        expectEqual(value("store_losses_total", ["kind": "mark"]), 0)
        expectEqual(value("store_commit_seconds_count"), 1)
        expectEqual(value("source_staleness_seconds", ["source": "a"]), 60)
        expectEqual(value("poll_runs_total", ["source": "a", "result": "unchanged"]), 1)
        expectEqual(value("webhook_attempts_total", ["result": "gone"]), 8)
        expectEqual(value("webhook_endpoints_disabled"), 1)
        expectEqual(value("webhook_queue"), 9)
        expectEqual(value("webhook_oldest_seconds"), 30)
        expectEqual(value("erasures_total"), 10)
        expectEqual(value("topics_forgotten_total"), 12)
        expectEqual(value("messages_erased_total"), 11)
        expectEqual(value("inbox_publications_total", ["result": "taken"]), 13)
        expectEqual(value("inbox_publications_total", ["result": "refused"]), 14)
        expectEqual(value("inbox_waiting"), 15)
        expectEqual(value("cluster_surveys_incomplete_total"), 17)
        expectEqual(value("derive_seconds_sum", ["domain": "radar"]), 2)
        expectEqual(value("derive_seconds_count", ["domain": "aurora"]), 0)
        expectEqual(value("alert_transitions_total", ["domain": "radar", "kind": "cleared"]), 1)
        expectEqual(value("alert_transitions_total", ["domain": "radar", "kind": "raised"]), 0)
        expectEqual(value("alerts_active", ["domain": "radar", "severity": "critical"]), 0)
        for (owner, count) in [("user", 12.0), ("operator", 0)] {
            let labels = ["reason": "topics", "owner": owner]
            expectEqual(value("alert_passed_over_total", labels), count)
        }
        let names = ["names": "a.example b.example"]
        expectEqual(value("certificate_expiry_timestamp_seconds", names), 2)
    }

    @Test func certificateOfTheSameNamesThatExpiresFirstCounts() throws {
        var text = MetricsText()
        text.write([certificate(["a"], until: 3), certificate(["a"], until: 2)])
        let metrics = try Exposition(text.text)
        expectEqual(metrics.families.first?.samples.count, 1)
        expectEqual(metrics.value("hub_certificate_expiry_timestamp_seconds", ["names": "a"]), 2)
    }

    // MARK: Documentation

    /// What a scraper of a hub with every domain gets.
    private func families() async throws -> [Exposition.Family] {
        let ofHub = try Exposition(full.text).families
        let names = Set(ofHub.map(\.name))
        let whole = try await EveryDomain.run { hub, _ in await hub.metrics.registry.text() }
        return ofHub + (try Exposition(whole).families.filter { !names.contains($0.name) })
    }

    /// With `WRITE_REFERENCE` in the environment, the page is written before it is compared.
    @Test func referenceIsTheOneGeneratedFromTheMetrics() async throws {
        let page = MetricsReference.page(try await families())
        if ProcessInfo.processInfo.environment["WRITE_REFERENCE"] != nil {
            try page.write(toFile: MetricsReference.path, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOfFile: MetricsReference.path, encoding: .utf8)
        let isCurrent = committed == page
        expect(isCurrent, "\(MetricsReference.path) is out of date: run `make reference`")
    }

    /// The pages of docs, in their sections "Metrics", explain every metric and no other.
    @Test func documentedAreTheMetricsThatThereAre() async throws {
        let folder = URL(filePath: repositoryRoot + "/docs")
        var names: Set<String> = []
        for page in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where page.hasSuffix(".md") {
            let text = try String(contentsOf: folder.appending(path: page), encoding: .utf8)
            let section = text.components(separatedBy: "\n## Metrics\n").dropFirst().first?
                .components(separatedBy: "\n## ").first
            let found = section?.matches(of: /`((hub|process)_[a-z_]+)/).map { String($0.1) }
            names.formUnion(found ?? [])
        }
        expectEqual(Set(try await families().map(\.name)), names)
    }

    /// Of every part, with something counted. The reference has the metrics in this order.
    private var full: MetricsText {
        var text = MetricsText()
        let now = Timestamp(milliseconds: 100_000)
        writeLoopsAndStore(to: &text)
        writeSources(to: &text, now: now)
        writeWebhooks(to: &text)
        writeDomains(to: &text)
        text.writeSurveys(incomplete: 17)
        text.write([certificate(["a.example", "b.example"], until: 2), certificate([], until: 3)])
        return text
    }

    private func certificate(_ names: [String], until seconds: Int64) -> TLSCertificate {
        TLSCertificate(
            file: "a.pem",
            names: names,
            validFrom: Timestamp(milliseconds: 0),
            validUntil: Timestamp(milliseconds: seconds * 1000)
        )
    }

    private func writeLoopsAndStore(to text: inout MetricsText) {
        var counters = LoopCounters()
        counters.disconnects[DisconnectCause(.slow, .closed)] = 1
        counters.disconnects[DisconnectCause(nil, .broken(code: 104))] = 2
        counters.count(.tooManyRequests, "publish", times: 3)
        counters.tokensRefused["expired"] = 4
        counters.expired = 5
        counters.count(.gap(available: [], missing: 1...2))
        counters.positionWaits = 16
        counters.pagesRefused = 6
        counters.draining = 7
        counters.published["news"] = 1
        text.writeProcess(version: "1", logLinesDropped: 0)
        text.write(loops: [counters], bounds: BoundCounts(), HeldMemory())
        var store = StoreSnapshot()
        store.statistics.oldestWaiting = .milliseconds(1500)
        store.fileLengths = (10, 20)
        store.losses.commits = 15
        store.transactions.add(.milliseconds(2))
        store.statistics.erasures = 10
        store.statistics.publicationsErased = 11
        store.statistics.topicsForgotten = 12
        store.inbox = StoreSnapshot.Inbox(
            counts: InboxCounts(taken: 13, refused: 14),
            waiting: 15
        )
        store.node = NodeStatus(applied: 17, silence: .seconds(18), term: 19)
        text.write(store)
    }

    private func writeSources(to text: inout MetricsText, now: Timestamp) {
        text.write(
            [
                HealthBoard.Line(
                    name: "a",
                    health: FeedHealth(
                        status: .healthy,
                        consecutiveFailures: 0,
                        lastSuccess: Timestamp(milliseconds: 40_000),
                        nextAttempt: now
                    ),
                    staleAfter: .seconds(1)
                )
            ],
            now: now
        )
        var polls = PollCounts()
        polls.runs["a"] = [.unchanged: 1]
        text.write(polls)
    }

    private func writeWebhooks(to text: inout MetricsText) {
        var webhooks = WebhookCounts()
        webhooks.attempts[.gone] = 8
        text.write(webhooks, disabled: 1)
        let deliveries = DeliveryCounts(
            pending: 9,
            oldestPending: Timestamp(milliseconds: 20_000)
        )
        text.write(deliveries, wall: Timestamp(milliseconds: 50_000))
    }

    private func writeDomains(to text: inout MetricsText) {
        let derivations = DerivationTimes()
        derivations.add("aurora")
        derivations.note("radar", .seconds(2))
        derivations.write(to: &text)
        let start = Timestamp(milliseconds: 0)
        let alert = RaisedAlert(id: "a", since: start, severity: .critical)
        var alerts = AlertCounts()
        alerts.transitions.add([.cleared(alert, after: .zero, because: .over)], of: "radar")
        alerts.passedOver[.topics] = [.user: 12]
        text.write(alerts)
    }

    // MARK: Labels

    @Test func reasonThatAnOperatorMadeUpIsNoLabel() {
        let cause = DisconnectCause(.forceReconnect, .closed)
        expectEqual(cause.code, 3011)
        expectEqual(cause.reason, "force reconnect")
        let own = DisconnectCode(4000, "go away", webSocketCode: 1008)
        expectEqual(DisconnectCause(own, .closed).code, 4000)
        expectEqual(DisconnectCause(own, .closed).reason, "custom")
        expectEqual(DisconnectCause(nil, .tlsFailed("some text")).reason, "tls")
    }
}
