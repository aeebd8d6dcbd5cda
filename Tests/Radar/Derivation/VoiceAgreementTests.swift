import Expectations

@testable import Radar

@Suite("Agreement: confidence that is measured", .timeLimit(.minutes(10)))
struct VoiceAgreementTests {
    private func agreements(_ opinions: [Opinion]) -> [VoiceAgreement] {
        VoiceAgreement.all(Ballot(opinions, trust: [:], series: [:]))
    }

    @Test func voiceWithoutOthersIsNotCompared() {
        for opinions in [daily(.for, 0..<30), daily(.for, 0..<9) + daily(.for, 0..<9, source: "s")]
        {
            for agreement in agreements(opinions) {
                expectEqual(agreement.days, 0)
                expectNil(agreement.mean)
                expectEqual(agreement.factor, 1)
            }
        }
    }

    @Test func voicesOfOneMindAgree() {
        let found = agreements(daily(.for, 0..<30) + daily(.for, 0..<30, provider: "b"))
        expectEqual(found.map(\.days), [29, 29], "nothing comes after the last day")
        expectEqual(found.map(\.mean), [1, 1])
        expect(found.allSatisfy { $0.factor > 1 && $0.factor <= AgreementRule.factorMax })
    }

    @Test func voiceThatContradictsAllOthersHasLessWeight() {
        let others = ["b", "c", "d"].flatMap { daily(.for, 0..<60, provider: $0) }
        let found = agreements(daily(.against, 0..<60) + others)
        expectEqual(found[0].mean, 0)
        expectEqual(found[0].factor, AgreementRule.factorMin)
        expect(found[1...].allSatisfy { $0.factor > 0.9 }, "the others lose less")
    }

    @Test func neutralAnswersAgreeByHalf() {
        let found = agreements(daily(.neutral, 0..<30) + daily(.for, 0..<30, provider: "b"))
        expectEqual(found[0].mean, 0.5)
    }

    /// The others of the same day may have read the same news; those after a week, other news.
    @Test(arguments: [(0, 0), (1, 1), (7, 1), (8, 0)])
    func answersAreComparedWithThoseOfTheFollowingWeek(distance: Int, days: Int) {
        let opinions = [
            plainOpinion(.for, provider: "a", day: 10),
            plainOpinion(.for, provider: "b", day: 10 + distance),
        ]
        expectEqual(agreements(opinions)[0].days, days)
    }

    @Test func providerHasOneVoteWhateverItsVoices() throws {
        let many = (0..<5).flatMap { daily(.for, 0..<10, provider: "b", source: "s\($0)") }
        let opinions = daily(.for, 0..<10) + many + daily(.against, 0..<10, provider: "c")
        let mean = try require(agreements(opinions)[0].mean)
        expect(abs(mean - 0.5) < 1e-12)
    }

    @Test func fewComparisonsMoveTheFactorLittle() {
        func factor(_ days: Int) -> Double {
            agreements(daily(.against, 0..<days) + daily(.for, 0..<days, provider: "b"))[0].factor
        }
        expect(factor(2) > 0.9)
        expect(factor(2) < 1)
        expectEqual(factor(40), AgreementRule.factorMin)
    }
}
