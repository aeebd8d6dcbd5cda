import Expectations
import Foundation
import HubTesting
import StoreTesting

@testable import Hub

@Suite("Alerts by the API", .timeLimit(.minutes(10)))
struct AlertRoutesTests {
    /// The routes alone, over a store of their own.
    private struct Hub {
        let store: HubStore
        let silences = AlertSilences()
        private let responder: RouteResponder

        init(_ store: HubStore) {
            self.store = store
            var table = Routes()
            AlertRoutes(
                store: store,
                silences: silences,
                clock: HubClock(.wall),
                vocabulary: AlertVocabulary(["aurora": ["score"]]),
                logger: silentLogger
            ).add(to: &table)
            table.errors(AlertRuleRoutes.prefixes)
            let grants = [
                "ops": APIKeyGrant(name: "ops", methods: ["alerts"]),
                "reader": APIKeyGrant(name: "reader", isReadOnly: true),
                "other": APIKeyGrant(name: "other", methods: ["webhooks"]),
                "chat": APIKeyGrant(name: "chat", namespaces: ["chat"]),
            ]
            responder = RouteResponder(routes: table, logger: silentLogger) { grants[$0] }
        }

        func send(
            _ method: String,
            _ path: String,
            _ body: String = "",
            key: String? = "ops"
        ) async -> ServerResponse {
            let headers = key.map { ["X-API-Key": $0] as HTTPHeaders } ?? [:]
            let head = HTTPRequestHead(
                method: method,
                target: "/api/alerts" + path,
                headers: headers
            )
            let request = ServerRequest(head: head, body: Array(body.utf8), peer: nil)
            return await responder.respond(to: request)
        }

        func object(
            _ method: String,
            _ path: String,
            _ body: String = "",
            status: Int = 200
        ) async throws -> [String: Any] {
            let response = await send(method, path, body)
            expectEqual(response.head.status, status)
            let object = try JSONSerialization.jsonObject(with: Data(response.body))
            return try require(object as? [String: Any])
        }

        func refusal(_ method: String, _ path: String, _ body: String = "") async throws -> String {
            let response = await send(method, path, body)
            let object = try JSONSerialization.jsonObject(with: Data(response.body))
            let fields = try require(object as? [String: Any])
            return "\(response.head.status) \(fields["code"] ?? ""): \(fields["message"] ?? "")"
        }
    }

    private func record(_ id: String, isEnded: Bool = false) -> AlertRecord {
        AlertRecord(
            id: id,
            rule: "large",
            subject: "orders:1",
            topic: "orders:1:alerts",
            severity: "warning",
            raised: startOfTests,
            ended: isEnded ? startOfTests + .seconds(90) : nil,
            reason: isEnded ? "over" : nil,
            headline: isEnded ? nil : "large: \"total\" 150",
            values: isEnded ? nil : Array(#"{"total":150}"#.utf8)
        )
    }

    private func withHub(_ body: (Hub) async throws -> Void) async throws {
        try await withTemporaryStore { try await body(Hub($0)) }
    }

    // MARK: The list

    @Test func alertsAreListedWithEveryField() async throws {
        try await withHub { hub in
            let records = [record("a"), record("b", isEnded: true)]
            _ = try await hub.store.commit(Change(alertRecords: records))
            let alerts = try await require(
                hub.object("GET", "?state=active")["alerts"] as? [[String: Any]]
            )
            let expected: NSDictionary = [
                "id": "a", "rule": "large", "subject": "orders:1", "topic": "orders:1:alerts",
                "severity": "warning", "raised": "2026-01-01T00:00:00.000Z", "ended": NSNull(),
                "reason": NSNull(), "headline": "large: \"total\" 150", "values": ["total": 150],
                "silenced": false, "acknowledged": NSNull(),
            ]
            expectEqual(alerts.map { $0 as NSDictionary }, [expected])
            let past = try await require(
                hub.object("GET", "?state=past")["alerts"] as? [[String: Any]]
            )
            expectEqual(past.map { $0["id"] as? String }, ["b"])
            expectEqual(past[0]["ended"] as? String, "2026-01-01T00:01:30.000Z")
            expectEqual(past[0]["reason"] as? String, "over")
            for query in ["", "?state=all", "?limit=1000"] {
                let all = try await hub.object("GET", query)["alerts"] as? [[String: Any]]
                expectEqual(all?.map { $0["id"] as? String }, ["b", "a"])
            }
            let one = try await hub.object("GET", "?limit=1")["alerts"] as? [Any]
            expectEqual(one?.count, 1)
        }
    }

    @Test(arguments: ["state=old", "state=", "limit=0", "limit=1001", "limit=x", "limit="])
    func otherListsAreRefused(query: String) async throws {
        try await withHub { hub in
            let refusal = try await hub.refusal("GET", "?" + query)
            expect(refusal.hasPrefix("400 INVALID_REQUEST: \(query.prefix(5))"), "\(refusal)")
        }
    }

    @Test(
        arguments: [
            (nil, 401, 401), ("unknown", 401, 401), ("ops", 200, 201), ("reader", 200, 403),
            ("other", 403, 403), ("chat", 403, 403),
        ] as [(String?, Int, Int)]
    )
    func keyNeedsTheScopeAlerts(key: String?, reading: Int, writing: Int) async throws {
        try await withHub { hub in
            for path in ["", "/silences"] {
                await expectEqual(hub.send("GET", path, key: key).head.status, reading)
            }
            let body = silenceBody(hours: 1)
            await expectEqual(hub.send("POST", "/silences", body, key: key).head.status, writing)
            let seen = await hub.send("POST", "/a/acknowledge", key: key).head.status
            expectEqual(seen, (writing == 201 ? 404 : writing))
        }
    }

    // MARK: Acknowledgements

    @Test func acknowledgedAlertHasTheNameOfTheKey() async throws {
        try await withHub { hub in
            _ = try await hub.store.commit(Change(alertRecords: [record("a")]))
            let alert = try await hub.object("POST", "/a/acknowledge", #"{"note":"on it"}"#)
            let seen = try require(alert["acknowledged"] as? [String: Any])
            expect(seen["by"] as? String == "ops" && seen["note"] as? String == "on it")
            expect((seen["time"] as? String).flatMap { Timestamp(iso8601: $0) } != nil)
            let listed = try await hub.object("GET", "")["alerts"] as? [[String: Any]]
            expectEqual((listed?[0]["acknowledged"] as? [String: Any])?["by"] as? String, "ops")
            let again = try await hub.object("POST", "/a/acknowledge")
            expect((again["acknowledged"] as? [String: Any])?["note"] is NSNull)
        }
    }

    @Test func acknowledgementOfNothingIsRefused() async throws {
        try await withHub { hub async throws in
            try await expectEqual(
                hub.refusal("POST", "/x/acknowledge"),
                "404 ALERT_NOT_FOUND: there is no such alert"
            )
            let long = #"{"note":"\#(String(repeating: "x", count: 501))"}"#
            try await expectEqual(
                hub.refusal("POST", "/x/acknowledge", long),
                "400 INVALID_REQUEST: note has 501 characters, over limit 500"
            )
        }
    }

    // MARK: Silences

    private func silenceBody(hours: Int, rule: String = "large") -> String {
        let until = HubClock.wall + .seconds(3600 * hours)
        return #"{"rule":"\#(rule)","until":"\#(until.iso8601)","note":"planned"}"#
    }

    @Test func silenceIsMadeListedAndEnded() async throws {
        try await withHub { hub in
            _ = try await hub.store.commit(Change(alertRecords: [record("a")]))
            let made = try await hub.object("POST", "/silences", silenceBody(hours: 1), status: 201)
            expect(made["rule"] as? String == "large" && made["subject"] is NSNull)
            expect(made["by"] as? String == "ops" && made["note"] as? String == "planned")
            let id = try require(made["id"] as? String)
            let listed = try await hub.object("GET", "/silences")["silences"] as? [NSDictionary]
            expectEqual(listed, [made as NSDictionary])
            let alerts = try await hub.object("GET", "")["alerts"] as? [[String: Any]]
            expectEqual(alerts?[0]["silenced"] as? Bool, true)
            let again = Hub(hub.store)
            let rows = try await hub.store.state(domain: AlertSilences.domain)
            again.silences.restore(rows, silentLogger)
            expectEqual(again.silences[id], hub.silences[id])
            await expectEqual(hub.send("DELETE", "/silences/\(id)").body, Array("{}".utf8))
            try await expectEqual(hub.store.state(domain: AlertSilences.domain), [])
            try await expectEqual(
                hub.refusal("DELETE", "/silences/\(id)"),
                "404 SILENCE_NOT_FOUND: there is no such silence"
            )
            let after = try await hub.object("GET", "")["alerts"] as? [[String: Any]]
            expectEqual(after?[0]["silenced"] as? Bool, false)
        }
    }

    @Test func moreSilencesThanTheLimitAreRefused() async throws {
        try await withHub { hub in
            for number in 1..<AlertSilences.countMax {
                hub.silences.put(silence("\(number)", seconds: 3600))
            }
            // One that has ended does not count, and is deleted.
            let ended = silence("ended", seconds: -1)
            hub.silences.put(ended)
            let row = StateRow(domain: AlertSilences.domain, key: "ended", value: Array("{}".utf8))
            _ = try await hub.store.commit(Change(state: [row]))
            _ = try await hub.object("POST", "/silences", silenceBody(hours: 1), status: 201)
            let keys = try await hub.store.state(domain: AlertSilences.domain).map(\.key)
            expect(keys.count == 1 && keys != ["ended"])
            try await expectEqual(
                hub.refusal("POST", "/silences", silenceBody(hours: 1)),
                "409 TOO_MANY_SILENCES: at most 100 silences at a time"
            )
        }
    }

    private func silence(_ id: String, seconds: Int) -> AlertSilence {
        let now = HubClock.wall
        return AlertSilence(id: id, created: now, until: now + .seconds(seconds), by: "ops")
    }

    // MARK: Rehearsal

    private func rehearsal(_ topic: String, when: String = "total >= 100") -> String {
        #"{"topic":"\#(topic)","rule":{"name":"large","topics":"orders:*","when":"\#(when)"}}"#
    }

    @Test func ruleIsRehearsedOnTheLastHours() async throws {
        try await withHub { hub in
            let now = HubClock.wall
            func event(_ total: Int, secondsAgo: Int) -> TopicEvent {
                TopicEvent(
                    topic: Topic(trusted: "orders:1"),
                    time: now - .seconds(secondsAgo),
                    payload: Array(#"{"total":\#(total)}"#.utf8)
                )
            }
            let events = [
                event(200, secondsAgo: 86_500), event(150, secondsAgo: 600),
                event(1, secondsAgo: 300),
            ]
            _ = try await hub.store.commit(Change(events: events))
            let found = try await hub.object("POST", "/rehearsal", rehearsal("orders:1"))
            expectEqual(found["publications"] as? Int, 2, "the first is older than a day")
            expectEqual(found["first"] as? String, (now - .seconds(600)).iso8601)
            let alert = try require((found["alerts"] as? [[String: Any]])?.first)
            expectEqual(alert["raised"] as? String, (now - .seconds(600)).iso8601)
            expectEqual(alert["ended"] as? String, (now - .seconds(300)).iso8601)
            expectEqual(alert["values"] as? [String: Int], ["total": 150])
            let none = try await hub.object("POST", "/rehearsal", rehearsal("orders:2"))
            expect(none["publications"] as? Int == 0 && none["first"] is NSNull)
            expectEqual(none["missing"] as? [String], ["total"])
        }
    }

    /// Publishes each total a minute ago, with a text of that length.
    private func publish(_ totals: [Int], length: Int = 0, to store: HubStore) async throws {
        let filler = String(repeating: "x", count: length)
        let now = HubClock.wall
        for start in stride(from: 0, to: totals.count, by: 1000) {
            let events = totals[start..<min(start + 1000, totals.count)].map { total in
                TopicEvent(
                    topic: Topic(trusted: "orders:1"),
                    time: now - .seconds(60),
                    payload: Array(#"{"total":\#(total),"filler":"\#(filler)"}"#.utf8)
                )
            }
            _ = try await store.commit(Change(events: events))
        }
    }

    @Test(arguments: [(9_999, 1), (10_000, 0)])
    func rehearsalReadsTheNewestTenThousand(others: Int, alerts: Int) async throws {
        try await withHub { hub in
            let totals = [150] + [Int](repeating: 1, count: others)
            try await publish(totals, to: hub.store)
            let found = try await hub.object("POST", "/rehearsal", rehearsal("orders:1"))
            expectEqual(found["publications"] as? Int, 10_000)
            expectEqual((found["alerts"] as? [Any])?.count, alerts)
        }
    }

    /// 16 MiB, by the length of publications on the wire.
    @Test(arguments: [(15, 1), (16, 0)])
    func rehearsalReadsSixteenMebibytes(others: Int, alerts: Int) async throws {
        try await withHub { hub in
            for total in [150] + [Int](repeating: 1, count: others) {
                try await publish([total], length: (1 << 20) - 200, to: hub.store)
            }
            let found = try await hub.object("POST", "/rehearsal", rehearsal("orders:1"))
            expectEqual(found["publications"] as? Int, 16)
            expectEqual((found["alerts"] as? [Any])?.count, alerts)
        }
    }

    @Test func badRehearsalIsRefused() async throws {
        try await withHub { hub async throws in
            try await expectEqual(
                hub.refusal("POST", "/rehearsal", rehearsal("chat:1")),
                "400 INVALID_REQUEST: topic is chat:1, expected one that orders:* matches"
            )
            try await expectEqual(
                hub.refusal("POST", "/rehearsal", #"{"topic":"a b"}"#),
                "400 INVALID_REQUEST: topic is a b, expected the name of a topic"
            )
            try await expectEqual(
                hub.refusal("POST", "/rehearsal", #"{"topic":"a","rule":[]}"#),
                "400 INVALID_REQUEST: rule is [], expected a rule"
            )
            let hours = #"{"topic":"a","hours":169,"rule":{}}"#
            try await expectEqual(
                hub.refusal("POST", "/rehearsal", hours),
                "400 INVALID_REQUEST: hours is 169, expected a number from 1 to 168"
            )
            let refusal = try await hub.refusal(
                "POST",
                "/rehearsal",
                rehearsal("orders:1", when: "total >")
            )
            expect(refusal.hasPrefix("400 INVALID_RULE: rule:1:"), "\(refusal)")
        }
    }
}
