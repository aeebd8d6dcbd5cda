import Expectations

@testable import Radar

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

private let opinions = ExampleRadar.opinions
private let polled = ExampleRadar.polled
private let unpolled = ExampleRadar.unpolled
private let radarID = ExampleRadar.id

/// The days of the trends that the vectors show.
private enum ExampleTrend {
    static let now = ExampleRadar.instant("2026-01-02T18:00:00Z")

    static let threeDays: Trend = {
        let dayNumber = Int(now.wholeSeconds / 86_400)
        func row(_ day: Int, _ stance: Stance, _ count: Int, _ confidenceSum: Double) -> OpinionDay
        {
            OpinionDay(
                dayNumber: dayNumber + day,
                segment: 0,
                stance: stance,
                count: count,
                confidenceSum: confidenceSum
            )
        }
        let rows = [row(-2, .neutral, 1, 1), row(0, .for, 2, 1.75), row(0, .against, 1, 0.5)]
        return trend(radarID: radarID, days: 3, rows: rows, now: now)
    }()

    static let eightDays: Trend = {
        let later = now + oneDay * 6
        let dayNumber = Int(later.wholeSeconds / 86_400)
        let rows = (0..<8).map {
            OpinionDay(
                dayNumber: dayNumber - $0,
                segment: 2,
                stance: .for,
                count: 1,
                confidenceSum: 1
            )
        }
        return trend(radarID: radarID, days: 8, rows: rows, now: later)
    }()
}

@Suite("Forms: byte for byte", .timeLimit(.minutes(10)))
struct RadarFormTests {
    @Test func opinionHasTheContractsForm() throws {
        expectEqual(text(opinions[0].json()), (try RadarVectors.form("opinion")))
        let silent = try RadarVectors.form("opinion without reasoning")
        expectEqual(text(opinions[1].json()), silent)
        expectEqual(text(opinionsJSON(opinions)), (try RadarVectors.form("opinions")))
        expectEqual(text(opinionsJSON([])), (try RadarVectors.form("no opinions")))
    }

    @Test func radarHasTheContractsForm() throws {
        expectEqual(text(polled.json(opinions: opinions)), (try RadarVectors.form("radar")))
        let unpolledForm = try RadarVectors.form("radar before its first poll")
        expectEqual(text(unpolled.json(opinions: [])), unpolledForm)
        let pending = try RadarVectors.form("radar whose poll is under way")
        expectEqual(text(polled.json(opinions: opinions, isPending: true)), pending)
        let list = radarsJSON([(polled, opinions, nil), (unpolled, [], nil)])
        expectEqual(text(list), (try RadarVectors.form("radars")))
    }

    @Test func radarCarriesItsNewestOpinions() {
        let many = (0..<25).map { plainOpinion(.for, 1, provider: "p", id: $0) }
        let shown = text(polled.json(opinions: many))
        expect(shown.contains(#"{"id":"0","#))
        expect(shown.contains(#"{"id":"19","#))
        expect(!shown.contains(#"{"id":"20","#))
    }

    @Test func interpretationHasTheContractsForm() throws {
        let form = try RadarVectors.form("interpretation")
        expectEqual(text(ExampleRadar.interpretation.json()), form)
        let lexical = try RadarVectors.form("interpretation from the topic's words")
        expectEqual(text(ExampleRadar.lexical.json()), lexical)
        let pending = try RadarVectors.form("interpretation that another may follow")
        expectEqual(text(ExampleRadar.lexical.json(isPending: true)), pending)
    }

    @Test(arguments: [ExampleRadar.interpretation, ExampleRadar.lexical])
    func interpretationIsReadAsItWasWritten(interpretation: Interpretation) {
        expectEqual(Interpretation(json: interpretation.json()), interpretation)
    }

    @Test(arguments: [
        "", "[]", "{}",
        #"{"text":"a","category":"b","tags":[1],"sentiment":"mixed","source":"c"}"#,
        #"{"text":"a","category":"b","tags":[],"sentiment":"angry","source":"c"}"#,
    ])
    func otherTextsAreNoInterpretation(text: String) {
        expectNil(Interpretation(json: Array(text.utf8)))
    }

    @Test func trendHasTheContractsForm() throws {
        let threeDays = try RadarVectors.form("trend of three days")
        expectEqual(text(ExampleTrend.threeDays.json()), threeDays)
        let eightDays = try RadarVectors.form("trend with a slope")
        expectEqual(text(ExampleTrend.eightDays.json()), eightDays)
    }

    @Test(
        arguments: [
            ("update: new opinion", RadarUpdate.newOpinion(opinions[0]), opinions[0].id, nil),
            ("update: position", .positionChange(.against), nil, nil),
            ("update: refresh", .refresh(polled, opinions), opinions[0].id, nil),
            ("update: refresh of an empty radar", .refresh(unpolled, []), nil, false),
        ] as [(String, RadarUpdate, String?, Bool?)]
    )
    func updateHasTheFormThatTheAppDecodes(
        name: String,
        update: RadarUpdate,
        cursor: String?,
        isRecovered: Bool?
    ) throws {
        let message = update.message(radarID: radarID, cursor: cursor, isRecovered: isRecovered)
        expectEqual(text(message), (try RadarVectors.form(name)))
    }

    @Test func tokenOfTheSocketStandsBehindTheVisibility() {
        let shown = text(unpolled.json(opinions: [], socketToken: "rst_a"))
        expect(shown.hasSuffix(#""isPublic":false,"socketToken":"rst_a"}"#))
    }

    /// Both forms cut the fraction off, and name the same second.
    @Test(arguments: [
        ("2001-01-01T00:00:00Z", "0"), ("2001-01-01T00:00:00.999Z", "0"),
        ("2000-12-31T23:59:59.001Z", "-1"), ("2026-01-02T10:00:00.500Z", "789040800"),
        ("1969-12-31T23:59:59.500Z", "-978307201"),
    ])
    func instantsAreWholeSeconds(time: String, number: String) {
        var opinion = opinions[0]
        opinion.createdAt = ExampleRadar.instant(time)
        let seconds = time.prefix(19) + "Z"
        expect(text(opinion.json()).hasSuffix(#""createdAt":"\#(seconds)"}"#))
        let message = text(opinion.json(dates: .sinceReferenceDate))
        expect(message.hasSuffix(#""createdAt":\#(number)}"#))
    }

    @Test func noFormHasAFractionOfASecond() throws {
        let fraction = try Regex(#"\d\d:\d\d:\d\d\.\d"#)
        let dateNumber = try Regex(#""(createdAt|updatedAt|lastPolledAt|startedAt|date)":-?\d+\."#)
        let texts = [
            text(polled.json(opinions: opinions)), text(unpolled.json(opinions: [])),
            text(opinionsJSON(opinions)), text(ExampleTrend.eightDays.json()),
            text(RadarUpdate.refresh(polled, opinions).message(radarID: radarID)),
            text(RadarUpdate.newOpinion(opinions[2]).message(radarID: radarID)),
        ]
        for text in texts {
            expect(!text.contains(fraction), "\(text)")
            expect(!text.contains(dateNumber), "\(text)")
        }
    }
}

@Suite("Events: radar", .timeLimit(.minutes(10)))
struct RadarEventTests {
    private let time = ExampleRadar.instant("2026-01-02T11:00:05Z")

    private func id(_ number: Int) -> String { "019b7dd2-5e80-7000-8000-00000000020\(number)" }

    @Test func topicsAreNamedByTheRadar() {
        expectEqual(Topic.radar("r1").name, "radar:r1")
        expectEqual(Topic.radarAlerts("r1").name, "radar:r1:alerts")
        expectEqual(Topic.radarUpdates("r1").name, "radar-app:r1")
    }

    @Test(
        arguments: [
            ("radar:r1", "r1"), ("radar:r1:alerts", "r1"), ("radar-app:r1", "r1"),
            ("radar:r1:other", nil), ("radar:r1:alerts:more", nil), ("radar-app:r1:alerts", nil),
            ("radar", nil), ("aurora:r1:alerts", nil),
        ] as [(String, String?)]
    )
    func topicTellsItsRadar(topic: String, id: String?) {
        expectEqual(Topic(trusted: topic).radarID.map(String.init), id)
    }

    @Test func textsOfWhichNoTopicCanBeMadeAreNoIDs() {
        let length = Topic.nameLengthMax - "radar::alerts".utf8.count
        let longest = String(repeating: "r", count: length)
        for id in ["r1", "019b7dd2-5e80-7000-8000-000000000201", longest] {
            expect(Topic.isRadarID(id), "\(id)")
        }
        for text in ["", "r1:alerts", ":", "r 1", "r\u{e9}", longest + "r"] {
            expect(!Topic.isRadarID(text), "\(text)")
        }
    }

    @Test func opinionIsTold() throws {
        let event = opinionCreatedEvent(opinions[0], id: id(1))
        expectEqual(text(event.cloudEvent()), (try RadarVectors.event("opinion created")))
    }

    @Test func changeOfThePositionIsTold() throws {
        let derivation = derived(
            [Stance.for, .for, .for, .against].enumerated().map {
                plainOpinion($1, 0.5, provider: "\($0)")
            }
        )
        let event = positionChangedEvent(
            derivation,
            previous: .neutral,
            radarID: radarID,
            id: id(2),
            time: time
        )
        expectEqual(text(event.cloudEvent()), (try RadarVectors.event("position changed")))
    }

    @Test func changeOfTheTrendIsTold() throws {
        let event = trendChangedEvent(ExampleTrend.threeDays, id: id(3), time: time)
        expectEqual(text(event.cloudEvent()), (try RadarVectors.event("trend changed")))
        let later = trendChangedEvent(ExampleTrend.eightDays, id: id(4), time: time + oneDay * 6)
        let expected = try RadarVectors.event("trend changed, with a slope")
        expectEqual(text(later.cloudEvent()), expected)
    }

    @Test func interpretationIsTold() throws {
        let event = interpretationChangedEvent(polled, id: id(6), time: time)
        expectEqual(text(event.cloudEvent()), (try RadarVectors.event("interpretation changed")))
    }

    @Test func failedRefreshIsToldWithItsReasons() throws {
        let poll = LastPoll(
            startedAt: ExampleRadar.instant("2026-01-02T11:00:00.500Z"),
            isFailed: true,
            failures: ["gpt": .unreachable, "claude": .later]
        )
        let event = radarRefreshFailedEvent(poll, radarID: radarID, id: id(7), time: time)
        expectEqual(text(event.cloudEvent()), (try RadarVectors.event("refresh failed")))
    }

    @Test func refreshIsToldInShort() throws {
        let event = radarRefreshedEvent(polled, opinionsAdded: 2, id: id(5), time: time)
        expectEqual(text(event.cloudEvent()), (try RadarVectors.event("refreshed")))
    }
}
