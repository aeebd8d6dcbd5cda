import Expectations

@testable import Radar

@Suite("Ballot: opinions as answers of voices and days", .timeLimit(.minutes(10)))
struct BallotTests {
    private func ballot(
        _ opinions: [Opinion],
        trust: [String: Double] = [:],
        series: [String: Int] = [:]
    ) -> Ballot {
        Ballot(opinions, trust: trust, series: series)
    }

    @Test func noOpinionsAreAnEmptyBallot() {
        let empty = ballot([])
        expect(empty.voices.isEmpty)
        expect(empty.days.isEmpty)
        expectEqual(empty.counts.total, 0)
    }

    @Test func voicesAreSortedByProviderAndName() {
        let opinions = [
            plainOpinion(.for, provider: "b", source: "x"), plainOpinion(.for, provider: "b"),
            plainOpinion(.for, provider: "a", source: "z"), plainOpinion(.for, provider: "b"),
        ]
        let sorted = ballot(opinions)
        expectEqual(sorted.voices.map(\.provider), ["a", "b", "b"])
        expectEqual(sorted.voices.map(\.name), ["z", "b", "x"])
        expectEqual(sorted.voices.map(\.isSource), [true, false, true])
        expectEqual(sorted.voices.map(\.opinions), [1, 2, 1])
        expectEqual(sorted.voices.map(\.providerIndex), [0, 1, 1])
        expectEqual(sorted.voicesByProvider, [0..<1, 1..<3])
    }

    @Test func authorWithTheNameOfASourceIsAnotherVoice() {
        let opinions = [
            plainOpinion(.for, provider: "p"), plainOpinion(.for, provider: "p", source: "p"),
        ]
        expectEqual(ballot(opinions).voices.map(\.isSource), [true, false])
    }

    @Test func opinionsOfADayAreOneAnswer() throws {
        let same = (0..<3).map { _ in plainOpinion(.for, provider: "a", day: 5) }
        let days = ballot(same + daily(.against, 7..<8)).days
        expectEqual(days.map(\.number), [5, 7])
        let answer = try require(days.first?.answers.first)
        // Three with a correlation of one half.
        expect(abs(answer.tally.for - 1.5) < 1e-12)
        expectEqual(answer.tally.sum, answer.tally.for)
        expectEqual(answer.opinions, OpinionCounts(for: 3))
        expectEqual(days[1].answers.map(\.tally), [StanceTally(against: 1)])
    }

    @Test func confidenceCountsRelativeToTheMeanOfItsVoice() {
        let opinions = [
            plainOpinion(.for, 0.2, provider: "a", day: 1),
            plainOpinion(.against, 0.6, provider: "a", day: 2),
            plainOpinion(.for, 0.9, provider: "b", day: 1),
            plainOpinion(.for, 0.9, provider: "b", day: 2),
        ]
        let made = ballot(opinions)
        expect(abs(made.voices[0].reportedConfidence - 0.4) < 1e-12)
        func weights(_ voice: Int) -> [Double] {
            made.days.flatMap { $0.answers.filter { $0.voice == voice }.map(\.tally.sum) }
        }
        expect(abs(weights(0)[0] - 0.75) < 1e-12)
        expect(abs(weights(0)[1] - 1.25) < 1e-12)
        expectEqual(weights(1), [1, 1], "a source that is always sure is no better than another")
    }

    @Test func earlierSegmentsOfASourceHaveLeft() {
        let opinions =
            daily(.for, 0..<10, source: "s")
            + daily(.against, 10..<12, source: "s", segment: 3)
            + daily(.for, 0..<12, provider: "b", source: "t")
        let made = ballot(opinions, series: ["s": 3])
        expectEqual(made.voices.map(\.opinions), [2, 12])
        expectEqual(made.voices.map(\.replacedOpinions), [10, 0])
        expectEqual(made.counts, OpinionCounts(for: 12, against: 2))
    }

    @Test func voiceWithoutOpinionsThatCountIsNone() {
        let opinions = daily(.for, 0..<3, source: "s") + [plainOpinion(.for, 0, provider: "b")]
        expect(ballot(opinions, series: ["s": 1]).voices.isEmpty)
    }

    @Test func trustIsThatOfConfiguredSources() {
        let opinions = [
            plainOpinion(.for, provider: "a", source: "s"), plainOpinion(.for, provider: "s"),
        ]
        expectEqual(ballot(opinions, trust: ["s": 0.5]).voices.map(\.trust), [0.5, 1])
    }

    @Test func lastDayIsThatOfTheNewestOpinion() {
        expectEqual(ballot(daily(.for, 3..<9).reversed()).voices.map(\.lastDay), [8])
    }

    /// The last millisecond of a day and the first one of the next are two days, before 1970 as well.
    @Test(arguments: [(0, 0), (86_399_999, 0), (86_400_000, 1), (-1, -1), (-86_400_000, -1)])
    func daysAreThoseOfUTC(milliseconds: Int64, day: Int) {
        var opinion = plainOpinion(.for, provider: "a")
        opinion.createdAt = Timestamp(milliseconds: milliseconds)
        expectEqual(ballot([opinion]).days.map(\.number), [day])
    }
}
