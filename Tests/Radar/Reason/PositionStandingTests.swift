import Expectations

@testable import Radar

@Suite("Standing: what a radar remembers of its position", .timeLimit(.minutes(10)))
struct PositionStandingTests {
    /// A radar that is derived again and again.
    private struct Run {
        var position = Stance.neutral
        var standing = PositionStanding()

        mutating func derive(_ opinions: [Opinion], day: Int, hour: Int = 12) {
            let now = PlainDays.midnight(day) + .seconds(hour * 3600)
            let result = derivePosition(
                opinions,
                previous: standing.previous(position, now: now),
                now: now
            )
            standing.take(result, from: position, now: now)
            position = result.position
        }
    }

    @Test func radarWithoutADerivationHasNoStoredForm() {
        let standing = PositionStanding()
        expectNil(standing.json())
        expectNil(standing.change)
        expectNil(standing.previous(.neutral, now: PlainDays.end(3)))
    }

    @Test func firstPositionIsAChange() throws {
        var run = Run()
        run.derive(daily(.for, 3..<4), day: 3)
        let change = try require(run.standing.change)
        expectEqual(change.position, .for)
        expectEqual(change.previous, .neutral)
        expectEqual(change.time, PlainDays.midnight(3) + .seconds(43_200))
        expectEqual(change.reason.newVoices, 1)
    }

    @Test func sameDayStartsFromTheSamePosition() {
        var run = Run()
        run.derive(daily(.for, 3..<4), day: 3)
        let now = PlainDays.end(3)
        expectNil(run.standing.previous(run.position, now: now), "no position before this day")
        expectEqual(run.standing.previous(run.position, now: PlainDays.midnight(4)), .for)
    }

    /// Two opinions of one day: after one of them the position is another one, after both it is not.
    @Test func changeThatTheDayTakesBackIsNone() {
        let before = ["a", "b", "c"].flatMap { daily(.for, 20..<50, provider: $0) }
        var run = Run()
        run.derive(before, day: 49)
        let first = run.standing.change
        let against = ["a", "b", "c"].map { plainOpinion(.against, provider: $0, day: 50) }
        run.derive(before + against, day: 50, hour: 9)
        expectEqual(run.position, .against)
        expectEqual(run.standing.change?.previous, .for)
        let again = (0..<9).flatMap { _ in
            ["a", "b", "c"].map { plainOpinion(.for, provider: $0, day: 50) }
        }
        run.derive(before + against + again, day: 50, hour: 10)
        expectEqual(run.position, .for)
        expectEqual(run.standing.change, first)
    }

    @Test func changeKeepsTheTimeAtWhichItWasFirstDerived() {
        let before = ["a", "b", "c"].flatMap { daily(.for, 20..<50, provider: $0) }
        let against = ["a", "b", "c"].flatMap { daily(.against, 50..<52, provider: $0) }
        var run = Run()
        run.derive(before, day: 49)
        run.derive(before + against.filter { $0.createdAt < PlainDays.midnight(51) }, day: 50)
        let time = PlainDays.midnight(50) + .seconds(43_200)
        expectEqual(run.standing.change?.time, time)
        run.derive(before + against, day: 50, hour: 20)
        expectEqual(run.standing.change?.time, time)
        run.derive(before + against, day: 51)
        expectEqual(run.standing.change?.time, time, "the next day changes nothing")
        expectEqual(run.position, .against)
    }

    @Test func opinionsThatExpireChangeNothing() {
        var run = Run()
        run.derive(daily(.for, 3..<4), day: 3)
        let change = run.standing.change
        run.derive([], day: 80)
        expectEqual(run.position, .for)
        expectEqual(run.standing.change, change)
    }

    @Test func radarOfAVersionWithoutStandingsStartsFromItsPosition() {
        let standing = PositionStanding(position: .against)
        expectEqual(standing.previous(.against, now: PlainDays.end(1)), .against)
        expectNil(standing.json())
    }

    // MARK: The stored form

    private func standing() -> PositionStanding {
        var run = Run()
        run.derive(daily(.for, 3..<4), day: 3)
        run.derive(daily(.for, 3..<5), day: 4)
        return run.standing
    }

    @Test func standingIsReadAsItWasWritten() throws {
        var first = Run()
        first.derive([], day: 3)
        for standing in [standing(), first.standing] {
            let json = try require(standing.json())
            expectEqual(PositionStanding(json: json), standing)
        }
        expectEqual(String(decoding: standing().json() ?? [], as: UTF8.self), Self.text)
    }

    private static let change =
        #"{"time":302400000,"previous":"neutral","reason":{"position":"for","for":1,"against":0,"#
        + #""neutral":0,"changedSources":0,"changedAuthors":0,"replacedSources":0,"newVoices":1}}"#
    private static let text =
        #"{"day":4,"before":"for","changeBefore":\#(change),"change":\#(change)}"#

    @Test(arguments: ["", "[]", "{}", "null", "1", #"{"day":4}"#])
    func otherTextsAreNoStanding(text: String) {
        expectNil(PositionStanding(json: Array(text.utf8)))
    }

    @Test(arguments: [
        (#""day":4"#, #""day":"4""#), (#""day":4"#, #""day":18446744073709551615"#),
        (#""before":"for""#, #""before":"maybe""#), (#""before":"for""#, #""before":1"#),
        (#""before":"for","#, ""), (#""change":{"#, #""change":{"x":1,"#),
        (#""time":302400000"#, #""time":-1"#), (#""previous":"neutral""#, #""previous":null"#),
        (#""newVoices":1"#, #""newVoices":1.5"#), (#""changeBefore":{"#, #""other":{"#),
    ])
    func standingWithABrokenFieldIsNone(field: String, broken: String) {
        expect(Self.text.contains(field))
        let changed = Self.text.replacing(field, with: broken, maxReplacements: 1)
        if broken.contains(#""x":1"#) {
            expect(PositionStanding(json: Array(changed.utf8)) != nil, "unknown keys are ignored")
        } else {
            expectNil(PositionStanding(json: Array(changed.utf8)))
        }
    }
}
