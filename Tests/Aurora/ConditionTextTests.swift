import Expectations
import Foundation

@testable import Aurora

@Suite("Texts", .timeLimit(.minutes(10)))
struct ConditionTextTests {
    private func conditions(
        _ level: Level,
        _ limit: LimitingFactor,
        visibility: Visibility = .good
    ) -> Conditions {
        Conditions(
            place: .tromso,
            score: 0,
            level: level,
            confidence: .high,
            limitingFactor: limit,
            visibility: visibility,
            updated: at("2024-12-21T20:00:00Z")
        )
    }

    /// The contract's own sample: level good.
    @Test func sampleOfTheContractIsSpokenAsDocumented() {
        let sample = conditions(.good, .activity)
        expectEqual(sample.headline(.norwegian), "Gode sjanser for nordlys nå")
        expectEqual(sample.recommendation(.norwegian), "Gå ut og se!")
    }

    @Test(arguments: Language.all)
    func everyLevelAndFactorHasTexts(language: Language) {
        for level in Level.allCases {
            for limit in LimitingFactor.allCases {
                let conditions = conditions(level, limit)
                expect(!conditions.headline(language).isEmpty)
                let recommendation = conditions.recommendation(language)
                expect(recommendation.hasSuffix(".") || recommendation.hasSuffix("!"))
            }
        }
    }

    @Test(arguments: Language.all)
    func headlinesOfDifferentLevelsDiffer(language: Language) {
        for limit in [LimitingFactor.activity, .darkness, .cloud] {
            let headlines = Level.allCases.map { conditions($0, limit).headline(language) }
            expectEqual(Set(headlines).count, Level.allCases.count)
        }
    }

    @Test func nothingNamesItsReason() {
        let headlines = LimitingFactor.allCases.map { conditions(.none, $0).headline(.english) }
        expectEqual(
            headlines,
            [
                "Hardly any aurora now", "Too bright to see the aurora now",
                "Clouds hide the sky now", "No recent aurora data",
            ]
        )
    }

    @Test func onlyGoodAndExcellentSendPeopleOut() {
        for level in Level.allCases {
            for limit in [LimitingFactor.activity, .darkness, .cloud] {
                let isInvitation = conditions(level, limit).recommendation(.english)
                    .hasPrefix("Go out")
                expectEqual(isInvitation, (level >= .good))
            }
        }
    }

    @Test func warningOfUnknownCloudStandsWhereTheCloudMatters() {
        let good = conditions(.good, .activity, visibility: .unknown)
        expectEqual(good.recommendation(.english), "Go out and look! Cloud cover is unknown.")
        let none = conditions(.none, .activity, visibility: .unknown)
        expectEqual(none.recommendation(.english), "Wait for more activity.")
    }
}
