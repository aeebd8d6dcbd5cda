import Expectations
import LoopTesting
import Radar
import Store

@testable import RadarApp

@Suite("First messages of a radar's socket", .timeLimit(.minutes(10)))
struct RadarOpeningTests {
    /// What a reader with this position gets first.
    private func opening(
        _ service: RadarService,
        _ id: String,
        since: String? = nil
    ) async throws -> [String] {
        let delivered = Locked<[[String]]>([])
        try await service.open(id, since: since) { messages in
            delivered.withLock { $0.append(messages.map { String(decoding: $0, as: UTF8.self) }) }
        }
        let all = delivered.withLock { $0 }
        try require(all.count == 1)
        return all[0]
    }

    private func cursor(_ message: String?) -> String? {
        message.flatMap { text("cursor", in: $0) }
    }

    private func types(_ messages: [String]) -> [String?] { messages.map { text("type", in: $0) } }

    @Test func readerGetsTheWholeRadar() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            let empty = try await opening(service, id)
            expectEqual(types(empty), ["refresh"])
            expect(empty[0].hasSuffix(#""cursor":null,"recovered":null}"#))
            let opinion = try await service.push("for", to: id)
            let (radar, opinions) = try await service.shown(id)
            let message = RadarUpdate.refresh(radar, opinions)
                .message(radarID: id, cursor: opinion.id)
            try await expectEqual(opening(service, id), [String(decoding: message, as: UTF8.self)])
        }
    }

    @Test func readerWhoComesBackGetsWhatItHasMissedInOrder() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            let other = try await service.createRadar(by: "2").id
            let first = try await service.push("for", author: "a0", to: id)
            var missed: [String] = []
            for number in 1...RadarLimits.missedMax {
                missed.append(try await service.push("for", author: "a\(number)", to: id).id)
                if number == 7 { _ = try await service.push("against", to: other) }
            }
            let messages = try await opening(service, id, since: first.id)
            expectEqual(messages.dropLast().map(cursor), missed)
            expect(types(messages).dropLast().allSatisfy { $0 == "newOpinion" })
            expectEqual(types(messages).last, "refresh")
            expectEqual(
                messages.last?.hasSuffix(#""cursor":"\#(missed.last!)","recovered":true}"#),
                true
            )
            let none = try await opening(service, id, since: missed.last)
            expectEqual(none.count, 1)
            expect(none[0].hasSuffix(#""recovered":true}"#))
        }
    }

    @Test func readerWhoHasMissedTooMuchGetsOnlyTheRadar() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            let first = try await service.push("for", author: "a", to: id)
            for number in 0...RadarLimits.missedMax {
                _ = try await service.push("for", author: "a\(number)", to: id)
            }
            let messages = try await opening(service, id, since: first.id)
            expectEqual(types(messages), ["refresh"])
            expect(messages[0].hasSuffix(#""recovered":false}"#))
        }
    }

    @Test func readerWhoHasMissedTooManyBytesGetsOnlyTheRadar() {
        let radar = RadarState(
            id: "r",
            userID: "1",
            topic: "t",
            interpretation: lexicalInterpretation(of: "t"),
            createdAt: RadarHub.start,
            updatedAt: RadarHub.start
        )
        func opinions(_ bytes: Int) -> [Opinion] {
            [
                Opinion(
                    id: "o",
                    radarID: "r",
                    author: "a",
                    model: "m",
                    content: String(repeating: "x", count: bytes),
                    stance: .for,
                    confidence: 1,
                    createdAt: RadarHub.start,
                    provider: "a"
                )
            ]
        }
        func count(_ bytes: Int) -> Int {
            RadarOpening(
                radar,
                ShownOpinions([], cursor: nil),
                since: "o",
                missed: opinions(bytes)
            ).messages.count
        }
        expectEqual(count(RadarLimits.missedBytesMax - 400), 2)
        expectEqual(count(RadarLimits.missedBytesMax), 1)
    }

    @Test func positionThatTheRadarDoesNotHaveIsNotRecovered() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            let other = try await service.createRadar(by: "2").id
            let opinion = try await service.push("for", to: other)
            for since in [opinion.id, "0"] {
                let messages = try await opening(service, id, since: since)
                expectEqual(types(messages), ["refresh"])
                expect(messages[0].hasSuffix(#""recovered":false}"#))
            }
        }
    }

    /// As a source's answer that is taken from the cache: it arrives late and has the time when it was given.
    @Test func arrivalDecidesAndNotTheTimeOfAnOpinion() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            let newest = try await service.push("for", author: "a", to: id)
            var old = OpinionRow(newest)
            old.id = "01900000-0000-7000-8000-000000000001"
            old.createdAt = newest.createdAt - .seconds(30 * 86_400)
            try await service.commit([.opinion(old)])
            let messages = try await opening(service, id, since: newest.id)
            expectEqual(messages.map(cursor), [old.id, old.id])
            try await expectEqual(opening(service, id, since: old.id).count, 1)
        }
    }

    @Test func radarThatIsGoneIsNotOpened() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            try await service.delete(id)
            await #expect(throws: RadarError.notFound) {
                try await service.open(id, since: nil) { _ in Issue.record("delivered") }
            }
        }
    }

    @Test func messagesOfEveryChangeHaveTheCursorOfTheLastOpinion() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([SampleSource()])
            let id = try await service.createRadar().id
            _ = try await service.poll(id, isScheduled: false)
            let messages = hub.messages(id)
            expectEqual(types(messages), ["newOpinion", "positionChange", "refresh"])
            let opinion = try await require(hub.opinions(id).first)
            expectEqual(messages.map(cursor), [opinion.id, opinion.id, opinion.id])
            expect(messages.allSatisfy { $0.hasSuffix(#""recovered":null}"#) })
        }
    }
}
