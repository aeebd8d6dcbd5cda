import Expectations

@testable import Radar

@Suite("Evidence: repeated answers and voices of one provider", .timeLimit(.minutes(10)))
struct EvidencePoolTests {
    private func pool(
        _ opinions: [Opinion],
        trust: [String: Double] = [:],
        factors: [Double]? = nil,
        today: Int = PlainDays.last
    ) throws -> EvidencePool {
        let ballot = Ballot(opinions, trust: trust, series: [:])
        let regime = try require(RegimeFilter(ballot).regimes.first)
        return EvidencePool(
            regime.tallies,
            of: ballot,
            voiceFactors: factors ?? ballot.voices.map { _ in 1 },
            today: today
        )
    }

    /// n / (1 + (n − 1) · 0.7), which never comes to 1 / 0.7.
    @Test(arguments: [(1, 1.0), (2, 2 / 1.7), (3, 3 / 2.4), (60, 60 / 42.3)])
    func answersOfOneVoiceCountLessAndLess(days: Int, evidence: Double) throws {
        let made = try pool(daily(.for, (60 - days)..<60))
        expect(abs(made.providers[0].evidence - evidence) < 1e-12)
        expect(abs(made.effectiveSampleSize - evidence) < 1e-12)
        expect(made.effectiveSampleSize < 1 / EvidenceRule.answerCorrelation)
    }

    @Test func voicesOfOneProviderCountLessThanVoicesOfTwo() throws {
        let same = ["s", "t"].flatMap { daily(.for, 50..<60, provider: "a", source: $0) }
        let two = ["a", "b"].flatMap { daily(.for, 50..<60, provider: $0) }
        let one = try pool(daily(.for, 50..<60)).effectiveSampleSize
        expect(abs(try pool(same).effectiveSampleSize - one * 2 / 1.7) < 1e-12)
        expect(abs(try pool(two).effectiveSampleSize - one * 2) < 1e-12)
    }

    @Test func sharesAddUpToOne() throws {
        let made = try pool(
            daily(.for, 50..<60) + daily(.against, 40..<60, provider: "b", source: "s")
                + daily(.neutral, 59..<60, provider: "b", source: "t")
        )
        expect(abs(made.shares.sum - 1) < 1e-12)
        expect(abs(made.voiceShares.reduce(0, +) - 1) < 1e-12)
        expectEqual(made.providers.map(\.name), ["a", "b"])
    }

    /// A day without an answer may be the interval of the polls; then a week halves.
    @Test(arguments: [(0, 1.0), (1, 1), (8, 0.5), (15, 0.25)])
    func answersThatAreOldCountLess(age: Int, freshness: Double) throws {
        let made = try pool(daily(.for, 0..<10), today: 9 + age)
        expect(abs(made.providers[0].freshness - freshness) < 1e-12)
        let fresh = try pool(daily(.for, 0..<10), today: 9)
        expect(abs(made.weightSum - fresh.weightSum * freshness) < 1e-12)
        expectEqual(made.shares, fresh.shares)
    }

    /// The clock of a source may be ahead of that of the hub.
    @Test func answersOfTomorrowAreFresh() throws {
        try expectEqual(pool(daily(.for, 0..<10), today: 8).providers[0].freshness, 1)
    }

    @Test func oneProviderIsOneWhateverItsVoices() throws {
        let voices = (0..<9).flatMap { daily(.for, 50..<60, provider: "a", source: "s\($0)") }
        expect(abs(try pool(voices).effectiveProviders - 1) < 1e-12)
    }

    @Test func voiceWithoutTrustHasNoWeight() throws {
        let opinions =
            daily(.for, 50..<60, provider: "a", source: "s")
            + daily(.against, 50..<60, provider: "b", source: "t")
        let made = try pool(opinions, trust: ["s": 0])
        expectEqual(made.providers.map(\.name), ["b"])
        expectEqual(made.voiceShares, [0, 1])
        try expectEqual(pool(opinions, trust: ["s": 0, "t": 0]).weightSum, 0)
    }

    @Test func factorOfAVoiceScalesItsWeight() throws {
        let opinions = ["a", "b", "c"].flatMap { daily(.for, 50..<60, provider: $0) }
        let made = try pool(opinions, factors: [0.5, 1, 1])
        expect(abs(made.voiceShares[0] - 0.2) < 1e-12)
        expect(made.providers.map(\.evidence).allSatisfy { $0 == made.providers[0].evidence })
    }
}

@Suite("Evidence: the greatest share of a provider", .timeLimit(.minutes(10)))
struct ProviderCapTests {
    private func factors(_ totals: [String: Double]) -> [String: Double] {
        let cap = ProviderCap(totals: totals)
        return totals.keys.reduce(into: [:]) { $0[$1] = (cap.factor($1) * 1e6).rounded() / 1e6 }
    }

    @Test func providersUnderTheCapAreNotScaled() {
        expectEqual(factors([:]), [:])
        expectEqual(factors(["a": 3]), ["a": 1])
        expectEqual(factors(["a": 3, "b": 3, "c": 3]), ["a": 1, "b": 1, "c": 1])
    }

    @Test func twoProvidersHaveEqualShares() {
        expectEqual(factors(["a": 3.6, "b": 0.5]), ["a": 0.138889, "b": 1])
    }

    @Test func providerThatTalksMostHasTwoFifths() {
        expectEqual(factors(["a": 6, "b": 0.8, "c": 0.6]), ["a": 0.155556, "b": 1, "c": 1])
    }

    @Test func twoOfFourMayBeOverTheCap() {
        let found = factors(["a": 4.5, "b": 3.6, "c": 0.5, "d": 0.5])
        expectEqual(found, ["a": 0.444444, "b": 0.555556, "c": 1, "d": 1])
    }

    @Test func providerThatIsScaledMayBringTheNextOneOverTheCap() {
        let found = factors(["a": 9, "b": 5, "c": 1, "d": 1])
        expectEqual(found, ["a": 0.444444, "b": 0.8, "c": 1, "d": 1])
    }

    @Test func providerWithoutWeightIsNone() {
        expectEqual(ProviderCap(totals: ["a": 1, "b": 0]).shareMax, 1)
        expectEqual(factors(["a": 3.6, "b": 0.5, "c": 0]), ["a": 0.138889, "b": 1, "c": 1])
    }
}
