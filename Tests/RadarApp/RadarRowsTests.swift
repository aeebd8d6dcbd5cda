import Expectations
import LoopTesting
import Radar
import Store

@testable import RadarApp

@Suite("Radar rows: to the store and back", .timeLimit(.minutes(10)))
struct RadarRowsTests {
    private let radar = RadarState(
        id: "r",
        userID: "7",
        topic: "four-day \"week\" ⏳",
        interpretation: Interpretation(
            text: "a\nb",
            category: "work",
            subCategory: "hours",
            tags: ["a", "b"],
            sentiment: .mixed,
            source: "one"
        ),
        position: .against,
        lastPolledAt: RadarHub.start,
        refreshCount: 3,
        createdAt: RadarHub.start - .seconds(60),
        updatedAt: RadarHub.start + .seconds(60),
        isPublic: true,
        segment: 2,
        standing: RadarRowsTests.standing
    )

    private static let standing: PositionStanding = {
        var standing = PositionStanding()
        let opinion = Opinion(
            id: "o",
            radarID: "r",
            author: "a",
            model: "m",
            content: "c",
            stance: .against,
            confidence: 0.9,
            createdAt: RadarHub.start,
            provider: "p"
        )
        let result = derivePosition([opinion], previous: nil, now: RadarHub.start)
        standing.take(result, from: .neutral, now: RadarHub.start)
        return standing
    }()

    @Test func radarComesBackAsItWas() throws {
        var segments = SegmentTable()
        _ = segments.segment(of: "one", model: "m", promptVersion: "p", current: 0)
        segments.countNoOpinion(of: "two", reason: "refusal")
        for radar in [
            radar,
            RadarState(
                id: "r",
                userID: "7",
                topic: "t",
                interpretation: lexicalInterpretation(of: "t"),
                createdAt: RadarHub.start,
                updatedAt: RadarHub.start
            ),
        ] {
            let row = RadarRow(radar, segments: segments, nextPollAt: RadarHub.start + .seconds(9))
            try expectEqual(row.radar(), radar)
            try expectEqual(row.segments(), segments)
            expectEqual(row.nextPollAt, RadarHub.start + .seconds(9))
        }
    }

    @Test func rowThatNoHubHasWrittenIsAnError() {
        let row = RadarRow(radar, segments: SegmentTable(), nextPollAt: RadarHub.start)
        for change in [
            { $0.position = "maybe" }, { $0.interpretation = [] }, { $0.interpretation = [0x7B] },
            { $0.standing = [] }, { $0.standing = Array("{}".utf8) },
        ] as [(inout RadarRow) -> Void] {
            var broken = row
            change(&broken)
            #expect(throws: RadarRowError.self) { try broken.radar() }
        }
        var broken = row
        broken.sources = Array("[]".utf8)
        #expect(throws: RadarRowError.self) { try broken.segments() }
        expect("\(RadarRowError(radarID: "r"))".contains("radar r"))
    }

    /// The position holds, except where nothing was ever derived.
    @Test(
        arguments: [("neutral", 0, nil), ("neutral", 1, .neutral), ("for", 0, .for)]
            as [(String, Int, Stance?)]
    )
    func rowOfAVersionWithoutStandingsStartsFromItsPosition(
        position: String,
        refreshCount: Int,
        previous: Stance?
    ) throws {
        var row = RadarRow(radar, segments: SegmentTable(), nextPollAt: RadarHub.start)
        row.standing = nil
        row.position = position
        row.refreshCount = refreshCount
        let read = try row.radar()
        expectEqual(read.previousPosition(now: RadarHub.start), previous)
        expectNil(read.standing.change)
    }

    @Test(arguments: Stance.allCases)
    func opinionComesBackAsItWas(stance: Stance) {
        let whole = Opinion(
            id: "o",
            radarID: "r",
            author: "a",
            model: "m",
            content: "c",
            stance: stance,
            confidence: 0.3,
            reasoning: "why",
            createdAt: RadarHub.start,
            source: "one",
            provider: "p",
            promptVersion: "v",
            segment: 4
        )
        var bare = whole
        bare.reasoning = nil
        bare.source = nil
        bare.pusher = 7
        bare.provider = "key:7"
        bare.promptVersion = nil
        for opinion in [whole, bare] { expectEqual(OpinionRow(opinion).opinion, opinion) }
    }

    // MARK: Answers that are kept

    private let samples = [
        StanceSample(
            externalID: "7",
            author: "a",
            model: "m",
            content: "\"c\"\n⏳",
            stance: .against,
            confidence: 0.1,
            reasoning: "why"
        ),
        StanceSample(author: "b", model: "m", content: "c", stance: .neutral, confidence: 1),
    ]

    @Test func cachedAnswerComesBackAsItWas() throws {
        for samples in [samples, []] {
            let answer = CachedAnswer(samples)
            let back = try require(CachedAnswer(answer.bytes))
            expectEqual(back, answer)
            expectEqual(back.values, samples)
        }
    }

    @Test(arguments: ["", "[]", "{}", #"{"samples":[{}]}"#, #"{"samples":"#])
    func bytesThatNoHubHasWrittenAreNoAnswer(text: String) {
        expectNil(CachedAnswer(Array(text.utf8)))
    }
}
