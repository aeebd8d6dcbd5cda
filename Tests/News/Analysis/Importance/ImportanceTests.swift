import Expectations
import SeededRandom

@testable import News

@Suite("Importance", .timeLimit(.minutes(10)))
struct ImportanceTests {
    private let start = Timestamp(milliseconds: 1_767_348_000_000)

    private func evidence(
        owners: [String],
        minutesApart: Double = 1,
        weight: Double = 1,
        novelty: Double = 0.5
    ) throws -> StoryEvidence {
        let reports = owners.enumerated().map { index, owner in
            StoryReport(
                owner: owner,
                weight: weight,
                publishedAt: start + .seconds(Double(index) * minutesApart * 60)
            )
        }
        return try require(StoryEvidence(reports: reports, novelty: novelty))
    }

    @Test func storyWithoutReportsHasNoEvidence() {
        expectNil(StoryEvidence(reports: [], novelty: 1))
    }

    @Test func articlesOfOneOwnerCountOnce() throws {
        let many = try evidence(owners: Array(repeating: "wire", count: 20))
        let two = try evidence(owners: ["wire", "other"])
        expectEqual(many.ownerCount, 1)
        expect(Importance(many).bits < Importance(two).bits)
    }

    @Test func eachPartRaisesTheImportance() throws {
        let base = Importance(try evidence(owners: ["a", "b"], minutesApart: 90)).bits
        expect(Importance(try evidence(owners: ["a", "b", "c"], minutesApart: 90)).bits > base)
        expect(Importance(try evidence(owners: ["a", "b"], minutesApart: 1)).bits > base)
        expect(
            Importance(try evidence(owners: ["a", "b"], minutesApart: 90, weight: 2)).bits > base
        )
        expect(
            Importance(try evidence(owners: ["a", "b"], minutesApart: 90, novelty: 1)).bits > base
        )
    }

    @Test func peakIsThatOfTheBusiestHour() throws {
        try expectEqual(evidence(owners: ["a", "b", "c"], minutesApart: 30).peakOwnerCount, 3)
        try expectEqual(evidence(owners: ["a", "b", "c"], minutesApart: 31).peakOwnerCount, 2)
        try expectEqual(evidence(owners: ["a", "b", "a"], minutesApart: 30).peakOwnerCount, 2)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 0, 1e300])
    func oddWeightsAndNoveltiesGiveFiniteImportance(value: Double) throws {
        let evidence = try evidence(owners: ["a", "b"], weight: value, novelty: value)
        expect(Importance(evidence).bits.isFinite)
        expect((0...1).contains(evidence.novelty))
    }

    @Test func orderOfReportsDoesNotMatter() throws {
        let reports = (0..<20).map {
            StoryReport(
                owner: "owner \($0 % 7)",
                weight: 0.1 * Double($0),
                publishedAt: start + .seconds($0 * 977)
            )
        }
        let one = try require(StoryEvidence(reports: reports, novelty: 0.3))
        let other = try require(StoryEvidence(reports: reports.reversed(), novelty: 0.3))
        expectEqual(Importance(one), Importance(other))
    }

    /// What is left of the importance orders the stories as their keys do, whenever one looks.
    @Test(arguments: 1...20)
    func orderByKeyIsTheOrderOfWhatIsLeftAtAnyTime(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let halfLife = RankHalfLife.mixed
        var stories: [(key: Double, bits: Double, start: Timestamp)] = []
        for _ in 0..<30 {
            let owners = (0...Int.random(in: 0...12, using: &random)).map { "owner \($0)" }
            let importance = Importance(try evidence(owners: owners))
            let begin = start + .seconds(Int.random(in: 0...500_000, using: &random))
            stories.append(
                (importance.rankKey(startedAt: begin, halfLife: halfLife), importance.bits, begin)
            )
        }
        stories.sort { $0.key > $1.key }
        for hours in [0, 1, 36, 1000] {
            let now = start + .seconds(500_000 + hours * 3600)
            let left = stories.map { $0.bits - (now - $0.start).inSeconds / halfLife.inSeconds }
            for (one, next) in zip(left, left.dropFirst()) {
                expect(one >= next - 1e-9, "seed \(seed), after \(hours) hours")
            }
        }
    }

    @Test func everyCategoryHasAHalfLife() {
        for category in NewsCategory.allCases {
            expect(RankHalfLife.of(category) >= .seconds(3600))
        }
    }
}

@Suite("Impact level", .timeLimit(.minutes(10)))
struct ImpactLevelTests {
    @Test(
        arguments: [
            (0, ImpactLevel.veryLow), (24, .veryLow), (25, .low), (49, .low), (50, .moderate),
            (74, .moderate), (75, .high), (100, .high), (-1, .veryLow),
        ]
    )
    func scoreHasItsLevel(score: Int, level: ImpactLevel) {
        expectEqual(ImpactLevel(score: score), level)
    }

    @Test(
        arguments: [
            (ImpactLevel.high, 70, ImpactLevel.high), (.high, 69, .moderate),
            (.high, 45, .moderate),
            (.high, 44, .low), (.high, 0, .veryLow), (.moderate, 45, .moderate),
            (.moderate, 44, .low),
            (.moderate, 75, .high), (.low, 20, .low), (.low, 19, .veryLow),
            (.veryLow, 24, .veryLow),
            (.veryLow, 25, .low), (.veryLow, 80, .high),
        ]
    )
    func levelIsLeftOnlyFivePointsBelowIt(level: ImpactLevel, score: Int, next: ImpactLevel) {
        expectEqual(level.next(score: score), next)
    }

    @Test func scoreThatSwaysByFourPointsDoesNotFlap() {
        var level = ImpactLevel(score: 76)
        var changes = 0
        for step in 0..<100 {
            let next = level.next(score: step.isMultiple(of: 2) ? 72 : 76)
            if next != level { changes += 1 }
            level = next
        }
        expectEqual(changes, 0)
    }
}
