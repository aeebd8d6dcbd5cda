import Expectations

@testable import Aurora

@Suite("Skill of forecasts, and the journal", .timeLimit(.minutes(10)))
struct ForecastSkillTests {
    @Test func scoreAndSkillAreThoseOfTheDefinitions() throws {
        var skill = ForecastSkill()
        expectNil(skill.brier)
        expectNil(skill.skillAgainstClimatology)
        skill.add(chance: 0.9, persistence: true, event: true)
        skill.add(chance: 0.2, persistence: true, event: false)
        skill.add(chance: 0.4, persistence: false, event: true)
        skill.add(chance: 0, persistence: false, event: false)
        // (0.01 + 0.04 + 0.36 + 0) / 4
        try expect(abs(require(skill.brier) - 0.1025) < 1e-12)
        expectEqual(skill.climatologyBrier, 0.25)
        expectEqual(skill.persistenceBrier, 0.5)
        try expect(abs(require(skill.skillAgainstClimatology) - 0.59) < 1e-12)
        try expect(abs(require(skill.skillAgainstPersistence) - 0.795) < 1e-12)
    }

    @Test func skillAgainstAReferenceWithoutErrorIsUnknown() {
        var skill = ForecastSkill()
        skill.add(chance: 0.1, persistence: false, event: false)
        expectNil(skill.skillAgainstClimatology)
        expectNil(skill.skillAgainstPersistence)
    }

    @Test(arguments: [(0, 0), (0.19, 0), (0.2, 1), (0.99, 4), (1, 4)] as [(Double, Int)])
    func chanceHasItsBin(chance: Double, index: Int) {
        expectEqual(ReliabilityBin.index(of: chance), index)
        expectEqual(ReliabilityBin.names, ["0-20", "20-40", "40-60", "60-80", "80-100"])
    }

    // MARK: Journal

    private func derivation(at time: Timestamp, ovation: UInt8? = 40) -> Derivation {
        Sky(now: time, cloud: 0, ovation: ovation).derivation
    }

    @Test func outcomeIsTheMeanOfTheMinutesOfTheHour() throws {
        var journal = ForecastJournal()
        let start = at("2025-12-21T20:00:00Z")
        let first = journal.take(derivation(at: start))
        expectEqual(first, ForecastJournal.Entry(outcome: nil, isBeginning: true))
        var scores = [derivation(at: start).explanation.score.value]
        for minute in 1..<60 {
            let derivation = derivation(at: start.minutes(minute))
            scores.append(derivation.explanation.score.value)
            // A minute counts once.
            let entries = [journal.take(derivation), journal.take(derivation)]
            expectEqual(entries, [nil, nil])
        }
        let entry = journal.take(derivation(at: start.minutes(60)))
        let outcome = try require(entry?.outcome)
        expectEqual(outcome.place, "tromso")
        expectEqual(outcome.target, start)
        expect(abs(outcome.score - scores.reduce(0, +) / 60) < 1e-9)
    }

    @Test func hourThatWasHardlyMeasuredHasNoOutcome() throws {
        for (count, isThere) in [(19, false), (20, true)] {
            var journal = ForecastJournal()
            let start = at("2025-12-21T20:00:00Z")
            for minute in 0..<count { _ = journal.take(derivation(at: start.minutes(minute))) }
            let entry = journal.take(derivation(at: start.minutes(60)))
            expectEqual((entry?.outcome != nil), isThere, "\(count) minutes")
        }
    }

    @Test func hourBeginsInItsFirstTenMinutes() throws {
        for (minute, isBeginning) in [(0, true), (9, true), (10, false), (59, false)] {
            var journal = ForecastJournal()
            let time = at("2025-12-21T20:00:00Z").minutes(minute)
            let entry = journal.take(derivation(at: time))
            expectEqual(entry?.isBeginning, isBeginning, "minute \(minute)")
        }
    }

    // MARK: What is kept

    @Test func forecastsAreKeptOfDarkHoursAtTheirLeads() {
        // 18:00 and five leads: 21:00, 06:00, 18:00, 18:00 and 18:00.
        let night = Sky(now: at("2025-12-21T18:00:00Z"), cloud: 0, ovation: 40).outlook
        expectEqual(night.keptForecasts.map(\.lead), StoredForecast.leads)
        // From 10:00: 13:00 is dusk, 22:00 is dark, and all others are 10:00.
        let noon = Sky(now: at("2025-12-21T10:00:00Z"), cloud: 0, ovation: 40).outlook
        expectEqual(noon.keptForecasts.map(\.lead), [3, 12])
        for forecast in night.keptForecasts {
            expect((0...100).contains(forecast.score))
            expect(forecast.good <= forecast.moderate)
            expect((0...1).contains(forecast.moderate))
        }
        let activity = night.hours[0].factors.activity ?? 0
        expect(abs(night.keptForecasts[0].persistence - 100 * activity) < 1e-9)
    }

    @Test func nothingIsKeptWithoutAMeasurement() {
        let outlook = Outlook(
            deriveConditions(
                place: .tromso,
                state: AuroraState(),
                now: at("2025-12-21T18:00:00Z"),
                previousLevel: nil
            ),
            state: AuroraState()
        )
        expect(outlook.keptForecasts.isEmpty)
    }
}
