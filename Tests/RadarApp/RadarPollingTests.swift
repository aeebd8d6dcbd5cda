import Expectations
import HubTesting
import LoopTesting
import Radar
import Store
import StoreTesting

@testable import RadarApp

@Suite("Radar service: polls", .timeLimit(.minutes(10)))
struct RadarPollingTests {
    @Test func newRadarHasARowAReaderAndATurn() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service(asking: "one")
            let radar = try await service.createRadar(by: "7")
            expectEqual(radar.interpretation, lexicalInterpretation(of: RadarHub.topic))
            try await expectEqual(hub.row(radar.id).radar(), radar)
            try await expectEqual(hub.row(radar.id).nextPollAt, RadarHub.start)
            expectEqual(service.directory[radar.id], .init(owner: "7", isPublic: false))
            let due = try require(service.nextDue)
            expect((RadarHub.start...RadarHub.start + .seconds(2)).contains(due))
            expect(hub.providers.asked.isEmpty)
        }
    }

    /// A poll that begins before would take the radar for one that is gone, and it never had another.
    @Test func newRadarHasNoTurnBeforeItHasARow() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service(asking: "one")
            let counts = Locked<[Int]>([])
            hub.store.observe(\.transaction) { _ in
                let count = service.polls.withLock { $0.schedule.count }
                counts.withLock { $0.append(count) }
            }
            _ = try await service.createRadar()
            expectEqual(counts.withLock { $0 }, [0])
            expectEqual(service.polls.withLock { $0.schedule.count }, 1)
        }
    }

    @Test func opinionIsCommittedWithItsEventsAndItsMessage() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance("against", confidence: 0.75))
            let service = try await hub.service(asking: "one")
            let id = try await service.createRadar().id
            try await service.refresh(id)
            let opinion = try await require(hub.opinions(id).first)
            expectEqual(opinion.stance, -1)
            expectEqual(opinion.confidence, 0.75)
            expectEqual(opinion.author, "one")
            expectEqual(opinion.model, "model-2026-01-01")
            expectEqual(opinion.source, "one")
            expectEqual(opinion.reasoning, "It weighs.")
            expectEqual(opinion.createdAt, RadarHub.start)
            let types = [
                "radar.opinion.created", "radar.position.changed", "radar.trend.changed",
                "radar.refreshed",
            ]
            expectEqual(hub.events(id), types)
            let json = String(decoding: opinion.opinion.json(), as: UTF8.self)
            let created = try hub.data("radar.opinion.created", of: id)
            expectEqual(created, [#"{"radarId":"\#(id)","opinion":\#(json)}"#])
            let messages = hub.messages(id)
            let messageTypes = messages.map { text("type", in: $0) }
            expectEqual(messageTypes, ["newOpinion", "positionChange", "refresh"])
            let plain = RadarUpdate.newOpinion(opinion.opinion)
                .message(radarID: id, cursor: opinion.id)
            expectEqual(messages.first, String(decoding: plain, as: UTF8.self))
        }
    }

    @Test func endOfAPollIsCountedAndTold() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let before = try await hub.service(asking: "one")
            let id = try await before.createRadar().id
            let hour = Duration.seconds(3600)
            let service = try await hub.service(asking: "one", after: hour)
            try await service.refresh(id)
            let row = try await hub.row(id)
            expectEqual(row.refreshCount, 1)
            expectEqual(row.lastPolledAt, RadarHub.start + hour)
            expectEqual(row.updatedAt, RadarHub.start + hour)
            // A tenth of the interval at least.
            expect(row.nextPollAt >= RadarHub.start + hour + service.settings.interval / 10)
            expectEqual(service.nextDue, row.nextPollAt)
            let time = (RadarHub.start + hour).iso8601Seconds
            try expectEqual(
                hub.data("radar.refreshed", of: id),
                [
                    #"{"radarId":"\#(id)","position":"for","refreshCount":1,"#
                        + #""lastPolledAt":"\#(time)","updatedAt":"\#(time)","opinionsAdded":1}"#
                ]
            )
            let (radar, opinions) = try await service.shown(id)
            let message = RadarUpdate.refresh(radar, opinions)
                .message(radarID: id, cursor: opinions.first?.id)
            expectEqual(opinions.count, 1)
            expectEqual(hub.messages(id).last, String(decoding: message, as: UTF8.self))
        }
    }

    /// Each opinion is told before what it has changed.
    @Test func positionThatChangesIsToldBetweenItsOpinionAndTheTrend() async throws {
        try await RadarHub.run { hub in
            for source in ["one", "two"] {
                hub.providers.set(.stance(source), RadarProviders.stance("for", confidence: 1))
            }
            let service = try await hub.service(asking: "one", "two")
            let id = try await service.createRadar().id
            try await expectEqual(hub.row(id).position, "neutral")
            _ = try await service.push("for", author: "a", to: id)
            try await expectEqual(hub.row(id).position, "for")
            try await service.refresh(id)
            let opinion = ["radar.opinion.created", "radar.trend.changed"]
            var events = hub.events(id)
            let index = try require(events.firstIndex(of: "radar.position.changed"))
            expectEqual(index, 1)
            events.remove(at: index)
            expectEqual(events, opinion + opinion + opinion + ["radar.refreshed"])
            let data = try hub.data("radar.position.changed", of: id)
            expectEqual(data.count, 1)
            expect(
                data[0].hasPrefix(
                    #"{"radarId":"\#(id)","position":"for","previous":"neutral","score":1,"#
                )
            )
            let changes = hub.messages(id).filter { text("type", in: $0) == "positionChange" }
            expectEqual(changes.count, 1)
            expect(changes[0].contains(#""data":{"position":{"_0":"for"}},"cursor":"0"#))
        }
    }

    @Test func interpretationComesFromTheProviderOnce() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            hub.providers.set(.interpretation("one"), RadarProviders.interpretation("What it is."))
            let service = try await hub.service(asking: "one")
            let id = try await service.createRadar().id
            try await service.refresh(id)
            let found = try await service.load(id).radar.interpretation
            expectEqual(found.text, "What it is.")
            expectEqual(found.source, "one")
            try await service.refresh(id)
            // A radar that is made later has it from the beginning.
            try await expectEqual(service.createRadar().interpretation, found)
            let answer = await service.interpret(RadarHub.topic, for: "ann")
            expectEqual(answer, .init(interpretation: found, isPending: false))
            let types = ["radar.interpretation.changed", "radar.refreshed", "radar.refreshed"]
            expectEqual(hub.events(id).filter(types.contains), types)
            expectEqual(hub.providers.asked.filter { $0 == .interpretation("one") }.count, 1)
        }
    }

    // MARK: Answers without an opinion

    @Test func refusalIsCountedAndCachedAndIsNoOpinion() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service(asking: "one")
            let id = try await service.createRadar().id
            try await service.refresh(id)
            try await service.refresh(id)
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, 1)
            try await expect(hub.opinions(id).isEmpty)
            try await expectEqual(hub.row(id).segments().noOpinions, ["refusal": 1])
            expectEqual(hub.events(id), ["radar.refreshed", "radar.refreshed"])
            try await expectEqual(hub.row(id).refreshCount, 2)
        }
    }

    @Test func sourceThatAnswersAfterAllCountsOn() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(
                .stance("one"),
                RadarProviders.refusal,
                RadarProviders.stance("maybe"),
                RadarProviders.stance()
            )
            var id = ""
            for day in 0..<3 {
                let service = try await hub.service(asking: "one", after: .seconds(86_400 * day))
                if day == 0 { id = try await service.createRadar().id }
                try await service.refresh(id)
            }
            try await expectEqual(hub.opinions(id).count, 1)
            let counts = try await hub.row(id).segments().noOpinions
            expectEqual(counts, ["refusal": 1, "garbage": 1])
        }
    }

    // MARK: Answers that are there already

    @Test func secondRadarOfATopicHasItsOwnOpinionFromTheCache() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let service = try await hub.service(asking: "one")
            let ids = [
                try await service.createRadar(by: "1").id,
                try await service.createRadar(by: "2").id,
            ]
            for id in ids { try await service.refresh(id) }
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, 1)
            let opinions = [try await hub.opinions(ids[0]), try await hub.opinions(ids[1])]
            expectEqual(opinions.map(\.count), [1, 1])
            expect(opinions[0][0].id != opinions[1][0].id)
            expectEqual(opinions[0][0].content, opinions[1][0].content)
            // The same answer again is nothing new.
            for id in ids { try await service.refresh(id) }
            try await expectEqual(hub.opinions(ids[1]).count, 1)
            try expectEqual(
                hub.data("radar.refreshed", of: ids[1]).last?.hasSuffix("Added\":0}"),
                true
            )
            expectEqual(hub.events(ids[1]).filter { $0 == "radar.opinion.created" }.count, 1)
        }
    }

    /// The age of an answer that is used still, and of one that is not any more.
    @Test(arguments: [(5 * 3600, 1), (5 * 3600 + 1, 2)])
    func answerStandsForTheCachesAge(seconds: Int, requestCount: Int) async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let first = try await hub.service(asking: "one")
            let id = try await first.createRadar().id
            try await first.refresh(id)
            let service = try await hub.service(asking: "one", after: .seconds(seconds))
            expectEqual(service.settings.cacheAge, .seconds(5 * 3600))
            try await service.refresh(id)
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, requestCount)
            try await expectEqual(hub.opinions(id).count, requestCount)
        }
    }

    @Test func otherTopicIsAnotherQuestion() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let service = try await hub.service(asking: "one")
            for topic in ["tea", "coffee"] {
                try await service.refresh(try await service.createRadar(topic).id)
            }
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, 2)
        }
    }

    @Test func otherModelBeginsASegment() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(
                .stance("one"),
                RadarProviders.stance(model: "first"),
                RadarProviders.stance(model: "second")
            )
            let first = try await hub.service(asking: "one")
            let id = try await first.createRadar().id
            try await first.refresh(id)
            try await hub.service(asking: "one", after: .seconds(86_400)).refresh(id)
            try await expectEqual(hub.opinions(id).map(\.segment), [1, 0])
            try await expectEqual(hub.row(id).segment, 1)
        }
    }

    // MARK: Sources with many opinions

    /// What the source names itself is known whenever it comes again.
    @Test func itemsOfAJSONSourceAreOpinionsOnce() async throws {
        try await RadarHub.run { hub in
            func item(_ id: Int) -> String { #"{"id":\#(id),"stance":"for","content":"c\#(id)"}"# }
            hub.providers.set(
                .stance("panel"),
                .json("[\(item(1)),\(item(2)),\(item(2)),7]"),
                .json("[\(item(2)),\(item(3)),\(item(1))]")
            )
            let panel = JSONSource(
                name: "panel",
                url: hub.providers.url(of: "panel") + "/{topic}",
                mapping: JSONMapping(id: "id")
            )
            let first = try await hub.service([panel])
            let id = try await first.createRadar().id
            try await first.refresh(id)
            try await hub.service([panel], after: .seconds(86_400)).refresh(id)
            let created = try hub.data("radar.opinion.created", of: id)
            expectEqual(created.compactMap { text("content", in: $0) }, ["c1", "c2", "c3"])
            expectEqual(Set(try await hub.opinions(id).map(\.content)), ["c1", "c2", "c3"])
            let added = try hub.data("radar.refreshed", of: id).map {
                number("opinionsAdded", in: $0)
            }
            expectEqual(added, [2, 1])
            let trends = hub.events(id).filter { $0 == "radar.trend.changed" }
            expectEqual(trends.count, 2)
            expectEqual(hub.providers.asked, [.stance("panel"), .stance("panel")])
        }
    }

    // MARK: Sources that need no request

    @Test func sampleSourceAnswersOnceADay() async throws {
        try await RadarHub.run { hub in
            var id = ""
            for hours in [0, 1, 13, 14] {
                let service = try await hub.service([SampleSource()], after: .seconds(3600 * hours))
                if id.isEmpty { id = try await service.createRadar().id }
                try await service.refresh(id)
            }
            // It was ten o'clock; the first of each day's answers counts.
            let times = ["2026-03-03T00:00:00Z", "2026-03-02T10:00:00Z"]
            let opinions = try await hub.opinions(id)
            let hours = opinions.map { $0.createdAt.roundedDown(to: .seconds(3600)) }
            expectEqual(hours.map(\.iso8601Seconds), times)
            try await expectEqual(hub.row(id).refreshCount, 4)
        }
    }

    @Test func radarWithoutSourcesIsRefreshedAllTheSame() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            try await service.refresh(id)
            expectEqual(hub.events(id), ["radar.refreshed"])
            try await expectEqual(hub.row(id).refreshCount, 1)
        }
    }
}
