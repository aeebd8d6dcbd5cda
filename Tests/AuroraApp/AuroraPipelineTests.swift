import Aurora
import HubTesting
import LoopTesting
import SeededRandom
import Store
import Testing

@testable import AuroraApp

@Suite("Aurora pipeline: inputs and rows", .timeLimit(.minutes(10)))
struct AuroraPipelineTests {
    private let now = Timestamp(iso8601: "2024-12-09T17:10:00Z")!

    private func minutes(_ count: Int) -> Timestamp { now + .seconds(60 * count) }

    /// The same sky over both places but for the cloud.
    private func ovation(_ value: UInt8, at time: Timestamp) throws -> AuroraPayload {
        let values = [UInt8](repeating: value, count: Ovation.valueCount)
        return .ovation(
            try #require(Ovation(observation: time, forecast: time, values: values))
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
        #expect(run.take(nil, at: now).isEmpty)
        #expect(run.pipeline.state.parts == [])
    }

    @Test func weatherAloneIsKeptAndNotTold() {
        var run = PipelineRun()
        let output = run.take(weather(cloud: 0), at: now)
        #expect(output.state.map(\.key) == ["weather:tromso"])
        #expect(output.events == [])
        #expect(output.alerts == [])
    }

    @Test func firstActivityIsKeptAndTold() throws {
        var run = PipelineRun()
        let output = run.take(try ovation(5, at: now), at: now)
        #expect(output.state.map(\.key) == ["ovation", "published:tromso", "published_oval"])
        #expect(output.events.map(\.topic) == [auroraTopic(.tromso), auroraOvalTopic])
        #expect(
            output.events.map(\.event.type) == [
                "aurora.conditions.updated", "aurora.oval.updated",
            ]
        )
        #expect(output.alerts == [])
        #expect(output.state.allSatisfy { $0.domain == "aurora" && $0.value?.isEmpty == false })
    }

    @Test func whatIsKeptBeforeAllHaveAnsweredIsToldAfterwards() throws {
        var pipeline = AuroraPipeline(places: [.tromso], rules: [], isSettled: false)
        let first = pipeline.take(try ovation(5, at: now), now: now) { "id" }
        #expect(first.state.map(\.key) == ["ovation"])
        #expect(first.events == [])
        #expect(!pipeline.isKnown("tromso"))
        pipeline.isSettled = true
        let second = pipeline.take(nil, now: now) { "id" }
        #expect(second.events.map(\.topic) == [auroraTopic(.tromso), auroraOvalTopic])
        #expect(pipeline.isKnown("tromso"))
    }

    /// The hub was away for longer than its inputs count.
    @Test func alertThatStandsOutlivesAnOutageAndIsNotRaisedTwice() throws {
        var run = PipelineRun(rules: [try rule(when: "level == \"excellent\"")])
        run.take(weather(cloud: 0), at: now)
        let raised = run.take(try ovation(40, at: now), at: now)
        #expect(raised.events.map(\.event.type).contains("aurora.alert.raised"))
        var pipeline = AuroraPipeline(
            places: [.tromso],
            rules: [try rule(when: "level == \"excellent\"")],
            isSettled: false
        )
        let rows = Array(run.stateRows.values)
        #expect(pipeline.restore(state: rows, alerts: Array(run.alertRows.values)) == [])
        #expect(pipeline.isKnown("tromso"))
        let back = minutes(240)
        #expect(pipeline.take(nil, now: back, newID: { "id" }).isEmpty)
        let fresh = pipeline.take(try ovation(38, at: back), now: back) { "id" }
        #expect(fresh.alerts.isEmpty)
        pipeline.isSettled = true
        let settled = pipeline.take(nil, now: back) { "id" }
        #expect(settled.alerts.isEmpty)
        #expect(!settled.events.contains { $0.topic == auroraAlertsTopic(.tromso) })
        let dimmed = pipeline.take(try ovation(5, at: minutes(241)), now: minutes(241)) { "id" }
        #expect(dimmed.events.map(\.event.type).contains("aurora.alert.cleared"))
    }

    @Test func nothingIsEmittedWhenNothingHasChanged() throws {
        var run = PipelineRun()
        let payloads = [weather(cloud: 0), try ovation(40, at: now)]
        for payload in payloads { run.take(payload, at: now) }
        for payload in payloads { #expect(run.take(payload, at: now).isEmpty) }
        #expect(run.take(nil, at: now).isEmpty)
    }

    @Test func timeAloneChangesConditions() throws {
        var run = PipelineRun()
        run.take(try ovation(40, at: now), at: now)
        let output = run.take(nil, at: minutes(6 * 60))
        #expect(output.events.count == 1, "the grid has become too old")
        #expect(output.state.map(\.key) == ["published:tromso"])
    }

    // MARK: The map

    @Test func mapIsToldWhenItChangesAndNotAgainAfterARestart() throws {
        var run = PipelineRun(rules: [])
        run.take(try ovation(50, at: now), at: now)
        #expect(run.events(on: auroraOvalTopic).count == 1)
        #expect(run.restart(rules: []) == [])
        run.take(nil, at: minutes(1))
        #expect(run.events(on: auroraOvalTopic).count == 1, "what readers see is the same")
        run.take(try ovation(60, at: minutes(5)), at: minutes(5))
        let maps = run.events(on: auroraOvalTopic)
        #expect(maps.count == 2)
        #expect(maps.last?.dataText("timestamp") == minutes(5).iso8601)
        #expect(maps.last?.data == run.pipeline.ovalMap(of: .tromso)?.json())
    }

    @Test func mapStaysWhenItIsOldAlsoAfterARestartButIsNotPublishedAgain() throws {
        var run = PipelineRun(rules: [])
        #expect(run.pipeline.ovalMap(of: .tromso) == nil)
        run.take(try ovation(50, at: now), at: now)
        let first = try #require(run.pipeline.ovalMap(of: .tromso))
        #expect(first.staleAge == nil)
        run.take(nil, at: minutes(6 * 60))
        #expect(run.restart(rules: []) == [])
        run.take(nil, at: minutes(48 * 60))
        let last = try #require(run.pipeline.ovalMap(of: .tromso))
        #expect(last.time == first.time)
        #expect(last.shape == first.shape)
        #expect(last.staleAge == minutes(48 * 60) - first.time)
        #expect(run.events(on: auroraOvalTopic).count == 1)
        run.take(try ovation(50, at: minutes(49 * 60)), at: minutes(49 * 60))
        #expect(run.pipeline.ovalMap(of: .tromso)?.staleAge == nil)
        #expect(run.events(on: auroraOvalTopic).count == 2)
    }

    @Test func mapOfEachHemisphereIsItsOwn() throws {
        let south = try Place(id: "south", name: "South", latitude: -65, longitude: 140)
        var run = PipelineRun(places: [.tromso, south], rules: [])
        run.take(try ovation(50, at: now), at: now)
        let latitudes = [Place.tromso, south].map { place in
            run.pipeline.ovalMap(of: place)?.shape.points.map(\.latitude) ?? []
        }
        #expect(!latitudes[0].isEmpty)
        #expect(latitudes[0].allSatisfy { $0 > 0 })
        #expect(latitudes[1] == latitudes[0].map { -$0 })
    }

    // MARK: Alerts

    @Test func alertIsTheFieldsOfTheEventThatRaisedIt() throws {
        var run = PipelineRun(rules: [try rule()])
        run.take(weather(cloud: 0), at: now)
        let output = run.take(try ovation(90, at: now), at: now)
        #expect(
            output.events.map(\.topic) == [
                auroraTopic(.tromso), auroraAlertsTopic(.tromso), auroraOvalTopic,
            ]
        )
        let alert = try #require(output.events.dropLast().last?.event)
        #expect(alert.type == "aurora.alert.raised")
        #expect(alert.subject == "tromso")
        #expect(alert.source == "/aurora")
        #expect(alert.time == now)
        #expect(alert.dataText("headline") == output.events.first?.event.dataText("headline"))
        #expect(output.alerts.map(\.rule) == ["clear-sky"])
        #expect(output.alerts.map(\.subject) == ["tromso"])
    }

    @Test func holdOfARuleIsTheNextDeadline() throws {
        var run = PipelineRun(rules: [try rule(hold: .seconds(300))])
        #expect(run.pipeline.nextDeadline == nil)
        run.take(weather(cloud: 0), at: now)
        run.take(try ovation(90, at: now), at: now)
        #expect(run.pipeline.nextDeadline == minutes(5))
        #expect(run.events(on: auroraAlertsTopic(.tromso)) == [])
        run.take(nil, at: minutes(5))
        #expect(run.events(on: auroraAlertsTopic(.tromso)).map(\.type) == ["aurora.alert.raised"])
        #expect(run.pipeline.nextDeadline == nil)
    }

    @Test func rulesOfOnePlaceAreEvaluatedInTheOrderOfTheirNames() throws {
        var run = PipelineRun(rules: [
            try rule("b"), try rule("a"), try rule("c", when: "score < 0"),
        ])
        run.take(weather(cloud: 0), at: now)
        let output = run.take(try ovation(90, at: now), at: now)
        #expect(output.alerts.map(\.rule) == ["a", "b"])
    }

    // MARK: Two places

    @Test func eachPlaceHasItsOwnSkyTopicsAndAlerts() throws {
        let (coast, inland) = (try place("coast"), try place("inland"))
        var run = PipelineRun(places: [coast, inland], rules: [try rule()])
        run.take(try ovation(90, at: now), at: now)
        run.take(weather(coast, cloud: 100), at: now)
        run.take(weather(inland, cloud: 0), at: now)
        #expect(run.pipeline.derivations["coast"]?.conditions.level == Level.none)
        #expect(try #require(run.pipeline.derivations["inland"]).conditions.level >= .good)
        #expect(run.events(on: auroraTopic(coast)).allSatisfy { $0.subject == "coast" })
        #expect(run.events(on: auroraTopic(inland)).last?.subject == "inland")
        #expect(
            run.events(on: auroraAlertsTopic(inland)).map(\.type) == ["aurora.alert.raised"]
        )
        let latest = run.outputs.last
        #expect(latest?.events.allSatisfy { $0.topic != auroraTopic(coast) } == true)
    }

    @Test func ruleForOneTopicLooksAtThatPlaceAlone() throws {
        let (coast, inland) = (try place("coast"), try place("inland"))
        let only = try rule(topics: "aurora:inland")
        var run = PipelineRun(places: [coast, inland], rules: [only])
        for place in [coast, inland] { run.take(weather(place, cloud: 0), at: now) }
        let output = run.take(try ovation(90, at: now), at: now)
        #expect(output.alerts.map(\.subject) == ["inland"])
    }

    // MARK: Rows

    /// A run with an alert raised.
    private func raisedRun(_ rule: AlertRule) throws -> PipelineRun {
        var run = PipelineRun(rules: [rule])
        run.take(weather(cloud: 0), at: now)
        run.take(try ovation(90, at: now), at: now)
        try #require(run.events.contains { $0.event.type == "aurora.alert.raised" })
        return run
    }

    @Test func rowsOfUnknownPlacesAndRulesAreRefusedByTheirKeys() throws {
        var run = try raisedRun(rule())
        let other = try place("other")
        #expect(
            run.restart(places: [other], rules: [try rule("other", when: "score >= 200")]) == [
                "published:tromso", "weather:tromso", "clear-sky/tromso",
            ]
        )
        #expect(run.pipeline.state.parts == [.ovation], "what is no place's is kept")
        let told = run.take(nil, at: now).events.map(\.topic)
        #expect(told == [auroraTopic(other)], "the map is the same from there")
    }

    @Test func rowsThatCannotBeReadAreRefusedByTheirKeys() {
        let keys = ["kp", "ovation", "published:tromso", "solar_wind", "tea", "weather:tromso"]
        let rows = keys.map { StateRow(domain: "aurora", key: $0, value: Array("?".utf8)) }
        let alert = AlertRow(rule: "aurora-excellent", subject: "tromso", state: Array("?".utf8))
        var pipeline = AuroraPipeline(places: [.tromso], rules: [.auroraExcellent])
        let refused = pipeline.restore(state: rows, alerts: [alert])
        #expect(refused == keys + ["aurora-excellent/tromso"])
        #expect(pipeline.state == AuroraState())
    }

    @Test func deletedRowsAreNothing() {
        var pipeline = AuroraPipeline(places: [.tromso], rules: [])
        let row = StateRow(domain: "aurora", key: "kp", value: nil)
        #expect(pipeline.restore(state: [row], alerts: []) == [])
    }

    @Test func raisedAlertStandsOverARestart() throws {
        var run = try raisedRun(rule())
        #expect(run.restart(rules: [try rule()]) == [])
        #expect(run.take(nil, at: minutes(1)).alerts == [])
        run.take(try ovation(0, at: minutes(2)), at: minutes(2))
        let alerts = run.events(on: auroraAlertsTopic(.tromso))
        #expect(alerts.map(\.type) == ["aurora.alert.raised", "aurora.alert.cleared"])
        #expect(alerts.first?.dataText("alert_id") == alerts.last?.dataText("alert_id"))
        #expect(alerts.last?.dataText("since") == now.iso8601)
    }

    @Test func ruleThatHasBecomeStricterClearsItsAlert() throws {
        var run = try raisedRun(rule())
        #expect(run.restart(rules: [try rule(when: "score >= 200")]) == [])
        let output = run.take(nil, at: minutes(1))
        #expect(output.events.map(\.event.type) == ["aurora.alert.cleared"])
        #expect(output.events.first?.event.dataText("reason") == "over")
    }

    @Test func ruleThatIsNewBeginsIdleBesideOneThatIsRestored() throws {
        var run = try raisedRun(rule())
        #expect(run.restart(rules: [try rule(), try rule("second")]) == [])
        let output = run.take(nil, at: minutes(1))
        #expect(output.events.map(\.event.type) == ["aurora.alert.raised"])
        #expect(output.alerts.map(\.rule) == ["second"])
    }

    @Test func alertOfARuleThatIsGoneIsClearedAfterARestart() throws {
        var run = try raisedRun(rule())
        #expect(run.restart(rules: []) == [])
        let output = run.take(nil, at: minutes(1))
        #expect(output.events.map(\.event.type) == ["aurora.alert.cleared"])
        #expect(output.events.map(\.topic) == [auroraAlertsTopic(.tromso)])
        #expect(output.events.first?.event.dataText("reason") == "withdrawn")
        #expect(output.events.first?.event.dataText("severity") == "info")
        #expect(output.alerts == [AlertRow(rule: "clear-sky", subject: "tromso", state: nil)])
        run.take(try ovation(0, at: minutes(2)), at: minutes(2))
        #expect(run.events(on: auroraAlertsTopic(.tromso)).count == 2)
    }

    @Test func placeThatWasMovedIsToldAnew() throws {
        var run = try raisedRun(rule())
        let moved = try Place(id: "tromso", name: "Tromsø", latitude: 69.6, longitude: 18.9)
        #expect(run.restart(places: [moved], rules: [try rule()]) == [])
        let output = run.take(nil, at: now)
        #expect(output.events.isEmpty, "the place itself is configuration, not news")
    }
}
