import Aurora
import Expectations
import HubTesting
import LoopTesting
import SeededRandom
import Store

@testable import AuroraApp

@Suite("Aurora pipeline: inputs and rows", .timeLimit(.minutes(10)))
struct AuroraPipelineTests {
    private let now = Timestamp(iso8601: "2024-12-09T17:10:00Z")!

    private func minutes(_ count: Int) -> Timestamp { now + .seconds(60 * count) }

    /// The same sky over both places but for the cloud.
    private func ovation(_ value: UInt8, at time: Timestamp) throws -> AuroraPayload {
        let values = [UInt8](repeating: value, count: Ovation.valueCount)
        return .ovation(
            try require(Ovation(observation: time, forecast: time, values: values))
        )
    }

    private func weather(_ place: Place = .tromso, cloud: Double) -> AuroraPayload {
        let steps = (0..<12).map { WeatherStep(time: minutes(60 * ($0 - 1)), cloud: cloud) }
        return .weather(place: place.id, Locationforecast(updatedAt: now, steps: steps))
    }

    private func rule(
        _ name: String = "clear-sky",
        topics: String = "aurora:*",
        when: String = "score >= 50",
        hold: Duration = .zero,
        keep: Duration = .zero
    ) throws -> AlertRule {
        try AlertRule(
            name: name,
            topics: topics,
            when: AlertExpression(when),
            hold: hold,
            keep: keep,
            severity: .info
        )
    }

    private func place(_ id: String) throws -> Place {
        try Place(id: id, name: id, latitude: 69.5, longitude: 18.5)
    }

    // MARK: Inputs

    @Test func withoutAnyUpstreamNothingIsTold() {
        var run = PipelineRun()
        expect(run.take(nil, at: now).isEmpty)
        expectEqual(run.pipeline.state.parts, [])
    }

    @Test func weatherAloneIsKeptAndNotTold() {
        var run = PipelineRun()
        let output = run.take(weather(cloud: 0), at: now)
        expectEqual(output.state.map(\.key), ["weather:tromso"])
        expectEqual(output.events, [])
        expectEqual(output.alerts, [])
    }

    @Test func firstActivityIsKeptAndTold() throws {
        var run = PipelineRun()
        let output = run.take(try ovation(5, at: now), at: now)
        expectEqual(output.state.map(\.key), ["ovation", "published:tromso", "published_oval"])
        expectEqual(output.events.map(\.topic), [auroraTopic(.tromso), auroraOvalTopic])
        expectEqual(
            output.events.map(\.event.type),
            [
                "aurora.conditions.updated", "aurora.oval.updated",
            ]
        )
        expectEqual(output.alerts, [])
        expect(output.state.allSatisfy { $0.domain == "aurora" && $0.value?.isEmpty == false })
    }

    @Test func whatIsKeptBeforeAllHaveAnsweredIsToldAfterwards() throws {
        var pipeline = AuroraPipeline(places: [.tromso], rules: [], isSettled: false)
        let first = pipeline.take(try ovation(5, at: now), now: now) { "id" }
        expectEqual(first.state.map(\.key), ["ovation"])
        expectEqual(first.events, [])
        expect(!pipeline.isKnown("tromso"))
        pipeline.isSettled = true
        let second = pipeline.take(nil, now: now) { "id" }
        expectEqual(second.events.map(\.topic), [auroraTopic(.tromso), auroraOvalTopic])
        expect(pipeline.isKnown("tromso"))
    }

    /// The hub was away for longer than its inputs count.
    @Test func alertThatStandsOutlivesAnOutageAndIsNotRaisedTwice() throws {
        var run = PipelineRun(rules: [try rule(when: "level == \"excellent\"")])
        run.take(weather(cloud: 0), at: now)
        let raised = run.take(try ovation(40, at: now), at: now)
        expect(raised.events.map(\.event.type).contains("aurora.alert.raised"))
        var pipeline = AuroraPipeline(
            places: [.tromso],
            rules: [try rule(when: "level == \"excellent\"")],
            isSettled: false
        )
        let rows = Array(run.stateRows.values)
        expectEqual(pipeline.restore(state: rows, alerts: Array(run.alertRows.values)), [])
        expect(pipeline.isKnown("tromso"))
        let back = minutes(240)
        expect(pipeline.take(nil, now: back, newID: { "id" }).isEmpty)
        let fresh = pipeline.take(try ovation(38, at: back), now: back) { "id" }
        expect(fresh.alerts.isEmpty)
        pipeline.isSettled = true
        let settled = pipeline.take(nil, now: back) { "id" }
        expect(settled.alerts.isEmpty)
        expect(!settled.events.contains { $0.topic == auroraAlertsTopic(.tromso) })
        let dimmed = pipeline.take(try ovation(5, at: minutes(241)), now: minutes(241)) { "id" }
        expect(dimmed.events.map(\.event.type).contains("aurora.alert.cleared"))
    }

    @Test func nothingIsEmittedWhenNothingHasChanged() throws {
        var run = PipelineRun()
        let payloads = [weather(cloud: 0), try ovation(40, at: now)]
        for payload in payloads { run.take(payload, at: now) }
        for payload in payloads { expect(run.take(payload, at: now).isEmpty) }
        expect(run.take(nil, at: now).isEmpty)
    }

    @Test func timeAloneChangesConditions() throws {
        var run = PipelineRun()
        run.take(try ovation(40, at: now), at: now)
        let output = run.take(nil, at: minutes(6 * 60))
        expectEqual(output.events.count, 1, "the grid has become too old")
        expectEqual(output.state.map(\.key), ["published:tromso"])
    }

    // MARK: The map

    @Test func mapIsToldWhenItChangesAndNotAgainAfterARestart() throws {
        var run = PipelineRun(rules: [])
        run.take(try ovation(50, at: now), at: now)
        expectEqual(run.events(on: auroraOvalTopic).count, 1)
        expectEqual(run.restart(rules: []), [])
        run.take(nil, at: minutes(1))
        expectEqual(run.events(on: auroraOvalTopic).count, 1, "what readers see is the same")
        run.take(try ovation(60, at: minutes(5)), at: minutes(5))
        let maps = run.events(on: auroraOvalTopic)
        expectEqual(maps.count, 2)
        expectEqual(maps.last?.dataText("timestamp"), minutes(5).iso8601)
        expectEqual(maps.last?.data, run.pipeline.ovalMap(of: .tromso)?.json())
    }

    @Test func mapStaysWhenItIsOldAlsoAfterARestartButIsNotPublishedAgain() throws {
        var run = PipelineRun(rules: [])
        expectNil(run.pipeline.ovalMap(of: .tromso))
        run.take(try ovation(50, at: now), at: now)
        let first = try require(run.pipeline.ovalMap(of: .tromso))
        expectNil(first.staleAge)
        run.take(nil, at: minutes(6 * 60))
        expectEqual(run.restart(rules: []), [])
        run.take(nil, at: minutes(48 * 60))
        let last = try require(run.pipeline.ovalMap(of: .tromso))
        expectEqual(last.time, first.time)
        expectEqual(last.shape, first.shape)
        expectEqual(last.staleAge, minutes(48 * 60) - first.time)
        expectEqual(run.events(on: auroraOvalTopic).count, 1)
        run.take(try ovation(50, at: minutes(49 * 60)), at: minutes(49 * 60))
        expectNil(run.pipeline.ovalMap(of: .tromso)?.staleAge)
        expectEqual(run.events(on: auroraOvalTopic).count, 2)
    }

    @Test func mapOfEachHemisphereIsItsOwn() throws {
        let south = try Place(id: "south", name: "South", latitude: -65, longitude: 140)
        var run = PipelineRun(places: [.tromso, south], rules: [])
        run.take(try ovation(50, at: now), at: now)
        let latitudes = [Place.tromso, south].map { place in
            run.pipeline.ovalMap(of: place)?.shape.points.map(\.latitude) ?? []
        }
        expect(!latitudes[0].isEmpty)
        expect(latitudes[0].allSatisfy { $0 > 0 })
        expectEqual(latitudes[1], latitudes[0].map { -$0 })
    }

    // MARK: Alerts

    @Test func alertIsTheFieldsOfTheEventThatRaisedIt() throws {
        var run = PipelineRun(rules: [try rule()])
        run.take(weather(cloud: 0), at: now)
        let output = run.take(try ovation(90, at: now), at: now)
        expectEqual(
            output.events.map(\.topic),
            [
                auroraTopic(.tromso), auroraAlertsTopic(.tromso), auroraOvalTopic,
            ]
        )
        let alert = try require(output.events.dropLast().last?.event)
        expectEqual(alert.type, "aurora.alert.raised")
        expectEqual(alert.subject, "tromso")
        expectEqual(alert.source, "/aurora")
        expectEqual(alert.time, now)
        expectEqual(alert.dataText("headline"), output.events.first?.event.dataText("headline"))
        expectEqual(output.alerts.map(\.rule), ["clear-sky"])
        expectEqual(output.alerts.map(\.subject), ["tromso"])
    }

    @Test func holdOfARuleIsTheNextDeadline() throws {
        var run = PipelineRun(rules: [try rule(hold: .seconds(300))])
        expectNil(run.pipeline.nextDeadline)
        run.take(weather(cloud: 0), at: now)
        run.take(try ovation(90, at: now), at: now)
        expectEqual(run.pipeline.nextDeadline, minutes(5))
        expectEqual(run.events(on: auroraAlertsTopic(.tromso)), [])
        run.take(nil, at: minutes(5))
        expectEqual(run.events(on: auroraAlertsTopic(.tromso)).map(\.type), ["aurora.alert.raised"])
        expectNil(run.pipeline.nextDeadline)
    }

    @Test func rulesOfOnePlaceAreEvaluatedInTheOrderOfTheirNames() throws {
        var run = PipelineRun(rules: [
            try rule("b"), try rule("a"), try rule("c", when: "score < 0"),
        ])
        run.take(weather(cloud: 0), at: now)
        let output = run.take(try ovation(90, at: now), at: now)
        expectEqual(output.alerts.map(\.rule), ["a", "b"])
    }

    // MARK: Two places

    @Test func eachPlaceHasItsOwnSkyTopicsAndAlerts() throws {
        let (coast, inland) = (try place("coast"), try place("inland"))
        var run = PipelineRun(places: [coast, inland], rules: [try rule()])
        run.take(try ovation(90, at: now), at: now)
        run.take(weather(coast, cloud: 100), at: now)
        run.take(weather(inland, cloud: 0), at: now)
        expectEqual(run.pipeline.derivations["coast"]?.conditions.level, Level.none)
        try expect(require(run.pipeline.derivations["inland"]).conditions.level >= .good)
        expect(run.events(on: auroraTopic(coast)).allSatisfy { $0.subject == "coast" })
        expectEqual(run.events(on: auroraTopic(inland)).last?.subject, "inland")
        expectEqual(run.events(on: auroraAlertsTopic(inland)).map(\.type), ["aurora.alert.raised"])
        let latest = run.outputs.last
        expectEqual(latest?.events.allSatisfy { $0.topic != auroraTopic(coast) }, true)
    }

    @Test func ruleForOneTopicLooksAtThatPlaceAlone() throws {
        let (coast, inland) = (try place("coast"), try place("inland"))
        let only = try rule(topics: "aurora:inland")
        var run = PipelineRun(places: [coast, inland], rules: [only])
        for place in [coast, inland] { run.take(weather(place, cloud: 0), at: now) }
        let output = run.take(try ovation(90, at: now), at: now)
        expectEqual(output.alerts.map(\.subject), ["inland"])
    }

    // MARK: Rows

    /// A run with an alert raised.
    private func raisedRun(_ rule: AlertRule) throws -> PipelineRun {
        var run = PipelineRun(rules: [rule])
        run.take(weather(cloud: 0), at: now)
        run.take(try ovation(90, at: now), at: now)
        try require(run.events.contains { $0.event.type == "aurora.alert.raised" })
        return run
    }

    @Test func rowsOfUnknownPlacesAndRulesAreRefusedByTheirKeys() throws {
        var run = try raisedRun(rule())
        let other = try place("other")
        expectEqual(
            run.restart(places: [other], rules: [try rule("other", when: "score >= 200")]),
            [
                "published:tromso", "weather:tromso", "clear-sky/tromso",
            ]
        )
        expectEqual(run.pipeline.state.parts, [.ovation], "what is no place's is kept")
        let told = run.take(nil, at: now).events.map(\.topic)
        expectEqual(told, [auroraTopic(other)], "the map is the same from there")
    }

    @Test func rowsThatCannotBeReadAreRefusedByTheirKeys() {
        let keys = ["kp", "ovation", "published:tromso", "solar_wind", "tea", "weather:tromso"]
        let rows = keys.map { StateRow(domain: "aurora", key: $0, value: Array("?".utf8)) }
        let alert = AlertRow(rule: "aurora-excellent", subject: "tromso", state: Array("?".utf8))
        var pipeline = AuroraPipeline(places: [.tromso], rules: [.auroraExcellent])
        let refused = pipeline.restore(state: rows, alerts: [alert])
        expectEqual(refused, keys + ["aurora-excellent/tromso"])
        expectEqual(pipeline.state, AuroraState())
    }

    @Test func deletedRowsAreNothing() {
        var pipeline = AuroraPipeline(places: [.tromso], rules: [])
        let row = StateRow(domain: "aurora", key: "kp", value: nil)
        expectEqual(pipeline.restore(state: [row], alerts: []), [])
    }

    @Test func raisedAlertStandsOverARestart() throws {
        var run = try raisedRun(rule())
        expectEqual(run.restart(rules: [try rule()]), [])
        expectEqual(run.take(nil, at: minutes(1)).alerts, [])
        run.take(try ovation(0, at: minutes(2)), at: minutes(2))
        let alerts = run.events(on: auroraAlertsTopic(.tromso))
        expectEqual(alerts.map(\.type), ["aurora.alert.raised", "aurora.alert.cleared"])
        expectEqual(alerts.first?.dataText("alert_id"), alerts.last?.dataText("alert_id"))
        expectEqual(alerts.last?.dataText("since"), now.iso8601)
    }

    @Test func ruleThatHasBecomeStricterClearsItsAlert() throws {
        var run = try raisedRun(rule())
        expectEqual(run.restart(rules: [try rule(when: "score >= 200")]), [])
        let output = run.take(nil, at: minutes(1))
        expectEqual(output.events.map(\.event.type), ["aurora.alert.cleared"])
        expectEqual(output.events.first?.event.dataText("reason"), "over")
    }

    @Test func ruleThatIsNewBeginsIdleBesideOneThatIsRestored() throws {
        var run = try raisedRun(rule())
        expectEqual(run.restart(rules: [try rule(), try rule("second")]), [])
        let output = run.take(nil, at: minutes(1))
        expectEqual(output.events.map(\.event.type), ["aurora.alert.raised"])
        expectEqual(output.alerts.map(\.rule), ["second"])
    }

    @Test func alertOfARuleThatIsGoneIsClearedAfterARestart() throws {
        var run = try raisedRun(rule())
        expectEqual(run.restart(rules: []), [])
        let output = run.take(nil, at: minutes(1))
        expectEqual(output.events.map(\.event.type), ["aurora.alert.cleared"])
        expectEqual(output.events.map(\.topic), [auroraAlertsTopic(.tromso)])
        expectEqual(output.events.first?.event.dataText("reason"), "withdrawn")
        expectEqual(output.events.first?.event.dataText("severity"), "info")
        expectEqual(output.alerts, [AlertRow(rule: "clear-sky", subject: "tromso", state: nil)])
        run.take(try ovation(0, at: minutes(2)), at: minutes(2))
        expectEqual(run.events(on: auroraAlertsTopic(.tromso)).count, 2)
    }

    @Test func placeThatWasMovedIsToldAnew() throws {
        var run = try raisedRun(rule())
        let moved = try Place(id: "tromso", name: "Tromsø", latitude: 69.6, longitude: 18.9)
        expectEqual(run.restart(places: [moved], rules: [try rule()]), [])
        let output = run.take(nil, at: now)
        expect(output.events.isEmpty, "the place itself is configuration, not news")
    }
}
