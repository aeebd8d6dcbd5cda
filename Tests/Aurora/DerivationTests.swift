import Foundation
import Testing

@testable import Aurora

/// A dark hour at Tromsø.
private let now = at("2024-12-21T20:00:00Z")

/// Everything fresh: a strong wind, Kp 5, an even grid of 40 and an eighth of the sky covered.
private func fullState(cloud: Double = 12.5) -> AuroraState {
    var state = AuroraState()
    let wind = steadyWind(
        through: now.minutes(-5),
        count: 300,
        speed: 520.4,
        density: 8.24,
        by: 1,
        bz: -5.34
    )
    state.apply(.solarWind(SolarWind(minutes: wind)), now: now)
    state.apply(
        .kMinutes(KMinutes(minutes: [KMinute(time: now.minutes(-6), kp: 4.67)])),
        now: now
    )
    state.apply(.ovation(evenOvation(40, observation: now.minutes(-20))), now: now)
    state.apply(
        .weather(place: "tromso", evenWeather(cloud: cloud, start: now.minutes(-60))),
        now: now
    )
    return state
}

private func derive(
    _ state: AuroraState,
    at time: Timestamp = now,
    previousLevel: Level? = nil
) -> Derivation {
    deriveConditions(place: .tromso, state: state, now: time, previousLevel: previousLevel)
}

private func object(_ bytes: [UInt8]) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(bytes))
    return try #require(value as? [String: Any])
}

@Suite("Conditions", .timeLimit(.minutes(10)))
struct ConditionsTests {
    @Test func freshInputsMakeTheNowForm() throws {
        let conditions = derive(fullState()).conditions
        let json = text(conditions.json())
        let start =
            #"{"score":\#(conditions.score),"level":"excellent","confidence":"medium","#
            + #""headline":"Svært gode sjanser for nordlys nå","#
        let end =
            #""location":{"name":"Tromsø","lat":69.6492,"lon":18.9553},"#
            + #""solar_wind":{"speed":520,"density":8.2,"bz":-5.3},"kp_index":4.7,"#
            + #""cloud_coverage":13,"visibility":"excellent","#
            + #""recommendation":"Gå ut nå og se opp!","updated":"2024-12-21T20:00:00.000Z"}"#
        #expect(json == start + end)
        #expect(conditions.score == 80)
    }

    @Test func inputsThatNeverCameHaveTypicalNumbersAndLeaveNoKeyOut() throws {
        let json = try object(derive(AuroraState()).conditions.json())
        let keys = [
            "score", "level", "confidence", "headline", "location", "solar_wind", "kp_index",
            "cloud_coverage", "visibility", "recommendation", "updated",
        ]
        #expect(Set(json.keys) == Set(keys))
        #expect(json["kp_index"] as? Double == 1.9)
        #expect(json["cloud_coverage"] as? Int == 67)
        #expect(json["solar_wind"] as? [String: Int] == ["speed": 400, "density": 5, "bz": 0])
        #expect(json["score"] as? Int == 0)
        #expect(json["level"] as? String == "none")
        #expect(json["confidence"] as? String == "low")
        #expect(json["headline"] as? String == "Mangler ferske nordlysdata")
    }

    @Test func englishIsSpokenOnRequest() throws {
        let json = try object(derive(fullState()).conditions.json(language: .english))
        #expect(json["headline"] as? String == "Very good chance of aurora now")
        #expect(json["recommendation"] as? String == "Go out now and look up!")
    }

    @Test func previousLevelHoldsThroughItsMargin() {
        var state = fullState()
        state.apply(
            .weather(
                place: "tromso",
                evenWeather(cloud: 24, start: now.minutes(-60), updated: now.minutes(-50))
            ),
            now: now
        )
        let score = derive(state).explanation.score.value
        #expect((72..<75).contains(score), "\(score)")
        #expect(derive(state).conditions.level == .good)
        #expect(derive(state, previousLevel: .good).conditions.level == .good)
        #expect(derive(state, previousLevel: .excellent).conditions.level == .excellent)
    }

    @Test func overcastIsNothingWithHighConfidence() {
        let conditions = derive(fullState(cloud: 100)).conditions
        #expect(conditions.score == 0)
        #expect(conditions.level == .none)
        #expect(conditions.limitingFactor == .cloud)
        #expect(conditions.confidence == .high)
        #expect(conditions.headline(.english) == "Clouds hide the sky now")
    }

    @Test func missingCloudIsSaidInTheRecommendation() {
        var state = AuroraState()
        state.apply(.ovation(evenOvation(40, observation: now)), now: now)
        let conditions = derive(state).conditions
        #expect(conditions.visibility == .unknown)
        #expect(conditions.cloud == nil)
        #expect(conditions.recommendation(.english).hasSuffix("Cloud cover is unknown."))
        #expect(conditions.recommendation(.norwegian).hasSuffix("Skydekket er ukjent."))
    }

    @Test func staleInputsAreLeftOutOfTheFormAndOfTheScoreWhereTheyWouldRaiseIt() throws {
        let later = now.minutes(120)
        let derivation = derive(fullState(), at: later)
        let conditions = derivation.conditions
        #expect(conditions.speed == nil)
        #expect(conditions.density == nil)
        #expect(conditions.bz == nil)
        #expect(conditions.kp == nil)
        #expect(derivation.explanation.score.ovation != nil, "forecast for 80 minutes ago")
        #expect(derivation.explanation.score.coupling == nil)
        #expect(derivation.explanation.score.kp != nil, "less than the grid: it lowers")
        let stale = derivation.explanation.stale
        #expect(stale.contains("coupling"))
        #expect(stale.contains("solar_wind.speed"))
        #expect(stale.contains("kp"))
        #expect(!stale.contains("ovation"))
    }

    @Test func quietWindThatIsLostDoesNotRaiseTheScore() throws {
        var state = AuroraState()
        let quiet = steadyWind(
            through: now.minutes(-5),
            count: 300,
            speed: 320,
            density: 5,
            by: 0,
            bz: 4
        )
        state.apply(.solarWind(SolarWind(minutes: quiet)), now: now)
        state.apply(.ovation(evenOvation(40, observation: now)), now: now)
        let before = derive(state)
        #expect(before.explanation.score.coupling == 0)
        let after = derive(state, at: now.minutes(30))
        #expect(after.explanation.stale.contains("coupling"))
        #expect(after.conditions.score <= before.conditions.score)
        #expect(after.conditions.speed == nil)
        #expect(after.explanation.confidence.value < before.explanation.confidence.value)
    }

    @Test func inputThatLeavesTheStateIsRememberedAsTooOld() throws {
        var state = fullState(cloud: 100)
        let before = derive(state)
        #expect(before.conditions.score == 0)
        // The next run says nothing of the clouds.
        let steps = [WeatherStep(time: now.minutes(-60)), WeatherStep(time: now.minutes(600))]
        let bare = Locationforecast(updatedAt: now.minutes(1), steps: steps)
        state.apply(.weather(place: "tromso", bare), now: now.minutes(1))
        let after = deriveConditions(
            place: .tromso,
            state: state,
            now: now.minutes(1),
            previous: before.explanation,
            previousLevel: nil
        )
        #expect(after.conditions.score == 0)
        #expect(after.conditions.cloud == nil)
        #expect(after.conditions.visibility == .unknown)
        #expect(after.conditions.headline(.english) == "Cloud cover is unknown now")
        let cloud = try #require(after.explanation.input("cloud_coverage"))
        #expect(cloud.isStale && cloud.value == 100)
        let anew = deriveConditions(
            place: .tromso,
            state: state,
            now: now.minutes(2),
            previous: after.explanation,
            previousLevel: nil
        )
        #expect(anew.conditions.score == 0, "for as long as nobody says otherwise")
    }

    @Test(arguments: [(20, true), (21, false)])
    func solarWindCountsForTwentyMinutes(age: Int, counts: Bool) {
        let derivation = derive(fullState(), at: now.minutes(age - 5))
        #expect((derivation.explanation.score.coupling != nil) == counts)
        #expect((derivation.conditions.bz != nil) == counts)
    }

    @Test(arguments: [(90, true), (91, false)])
    func gridCountsForNinetyMinutesAfterItsTime(age: Int, counts: Bool) {
        let derivation = derive(fullState(), at: now.minutes(40 + age))
        #expect((derivation.explanation.score.ovation != nil) == counts)
    }

    @Test func nothingFreshUnderAClearDarkSkyIsMissingData() {
        var state = AuroraState()
        state.apply(
            .weather(place: "tromso", evenWeather(cloud: 0, start: now.minutes(-60))),
            now: now
        )
        let conditions = derive(state).conditions
        #expect(conditions.limitingFactor == .data)
        #expect(conditions.level == .none)
        #expect(conditions.confidence == .low)
    }

    @Test func weatherOfAnotherPlaceIsNotUsed() {
        var state = AuroraState()
        state.apply(.weather(place: "alta", evenWeather(cloud: 0, start: now)), now: now)
        #expect(derive(state).conditions.cloud == nil)
    }

    @Test func storedConditionsReadBackTheSame() throws {
        for state in [fullState(), AuroraState()] {
            let conditions = derive(state).conditions
            let stored = try JSONEncoder().encode(conditions)
            #expect(try JSONDecoder().decode(Conditions.self, from: stored) == conditions)
        }
    }

    @Test func numbersAreRoundedAsShown() {
        #expect(roundedToTenths(-5.35).description == "-5.4")
        #expect(roundedToTenths(-0.04).sign == .plus)
        #expect(roundedToTenths(8.25) == 8.3)
    }
}

@Suite("Explanation", .timeLimit(.minutes(10)))
struct ExplanationTests {
    @Test func everyInputHasSourceTimeAndAge() throws {
        let explanation = derive(fullState()).explanation
        #expect(
            explanation.inputs.map(\.name) == [
                "ovation", "coupling", "kp", "cloud_coverage", "sun_elevation",
                "solar_wind.speed", "solar_wind.density", "solar_wind.bz", "solar_wind.bt",
                "kp_from_solar_wind",
            ]
        )
        #expect(explanation.missing == ["solar_wind.bt"])
        #expect(explanation.stale.isEmpty)
        let ovation = try #require(explanation.input("ovation"))
        #expect(ovation.value == 40)
        #expect(ovation.age == .seconds(20 * 60))
        #expect(ovation.validFor == now.minutes(40))
        let kp = try #require(explanation.input("kp"))
        #expect(kp.source == "planetary_k_index_1m")
        #expect(kp.time == now.minutes(-6))
    }

    @Test func jsonShowsFactorsSharesAndTerms() throws {
        let derivation = derive(fullState())
        let json = try object(derivation.explanation.json())
        #expect(json["place"] as? String == "tromso")
        #expect(json["score"] as? Double == derivation.explanation.score.value)
        #expect(json["limiting_factor"] as? String == "activity")
        let level = try #require(json["level"] as? [String: Any])
        #expect(level["value"] as? String == "excellent")
        #expect(level["previous"] is NSNull)
        let factors = try #require(json["factors"] as? [String: [String: Any]])
        let activity = try #require(factors["activity"])
        let parts = try #require(activity["parts"] as? [[String: Any]])
        #expect(parts.compactMap { $0["input"] as? String } == ["ovation", "coupling", "kp"])
        #expect(parts.compactMap { $0["share"] as? Double } == [0.5, 0.35, 0.15])
        let product = factors.values.compactMap { $0["value"] as? Double }.reduce(100, *)
        #expect(abs(product - derivation.explanation.score.value) < 1e-9)
        let confidence = try #require(json["confidence"] as? [String: Any])
        #expect((confidence["terms"] as? [Any])?.count == 3)
        #expect(json["missing"] as? [String] == ["solar_wind.bt"])
        let inputs = try #require(json["inputs"] as? [[String: Any]])
        #expect(inputs[0]["age_seconds"] as? Int == 1200)
        #expect(inputs[0]["valid_for"] as? String == "2024-12-21T20:40:00.000Z")
        #expect(inputs[0]["is_stale"] as? Bool == false)
    }

    @Test func sharesOfWhatIsThereAddUpToOne() throws {
        var state = AuroraState()
        state.apply(.ovation(evenOvation(40, observation: now)), now: now)
        state.apply(.kMinutes(KMinutes(minutes: [KMinute(time: now, kp: 3)])), now: now)
        let explanation = derive(state).explanation
        let json = try object(explanation.json())
        let factors = try #require(json["factors"] as? [String: [String: Any]])
        let parts = try #require(factors["activity"]?["parts"] as? [[String: Any]])
        let shares = parts.compactMap { $0["share"] as? Double }
        #expect(abs(shares.reduce(0, +) - 1) < 1e-12)
        #expect(shares[1] == 0)
        #expect(parts[1]["value"] is NSNull)
        #expect(explanation.missing.contains("coupling"))
        #expect(explanation.missing.contains("cloud_coverage"))
    }

    @Test func nothingKnownIsStillAnObject() throws {
        let json = try object(derive(AuroraState()).explanation.json())
        #expect((json["missing"] as? [String])?.count == 9)
        #expect(json["limiting_factor"] as? String == "data")
    }
}

@Suite("Aurora events", .timeLimit(.minutes(10)))
struct AuroraEventTests {
    private let conditions = derive(fullState()).conditions

    @Test func firstConditionsAreNews() {
        #expect(conditionsChanged(nil, conditions))
        #expect(!conditionsChanged(conditions, conditions))
    }

    @Test func solarWindAndTimeAloneAreNoNews() {
        var new = conditions
        new.speed = 999
        new.density = nil
        new.bz = -50
        new.updated = now.minutes(1)
        #expect(!conditionsChanged(conditions, new))
    }

    @Test(
        arguments: [
            { $0.score += 1 }, { $0.level = .good }, { $0.confidence = .low }, { $0.kp = 5 },
            { $0.kp = nil }, { $0.cloud = 50 }, { $0.cloud = nil }, { $0.visibility = .poor },
            { $0.limitingFactor = .data },
        ] as [@Sendable (inout Conditions) -> Void]
    )
    func anythingElseIsNews(change: @Sendable (inout Conditions) -> Void) {
        var new = conditions
        change(&new)
        #expect(conditionsChanged(conditions, new))
    }

    @Test func limitingFactorThatChangesNoTextIsNoNews() {
        var new = conditions
        new.limitingFactor = .cloud
        #expect(new.headline(.norwegian) == conditions.headline(.norwegian))
        #expect(!conditionsChanged(conditions, new))
    }

    @Test func eventCarriesTheNowForm() {
        let event = conditionsEvent(conditions, id: "some-id")
        #expect(event.id == "some-id")
        #expect(event.type == "aurora.conditions.updated")
        #expect(event.source == "/aurora")
        #expect(event.subject == "tromso")
        #expect(event.time == now)
        let form = conditions.json(language: .norwegian)
        #expect(event.data.prefix(form.count - 1) == form.dropLast())
        #expect(
            String(decoding: event.data.dropFirst(form.count - 1), as: UTF8.self)
                == #","headlines":{"nb":"\#(conditions.headline(.norwegian))","#
                + #""en":"\#(conditions.headline(.english))"},"#
                + #""recommendations":{"nb":"\#(conditions.recommendation(.norwegian))","#
                + #""en":"\#(conditions.recommendation(.english))"}}"#
        )
    }

    @Test func alertFieldsAreTheShownNumbersAndMore() {
        let derivation = derive(fullState())
        let fields = alertFields(derivation)
        let byName = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
        #expect(byName.count == fields.count, "a name comes once")
        #expect(byName["score"] == .number(80))
        #expect(byName["level"] == .text("excellent"))
        #expect(byName["kp_index"] == .number(4.7))
        #expect(byName["solar_wind.speed"] == .number(520))
        #expect(byName["solar_wind.density"] == .number(8.2))
        #expect(byName["solar_wind.bz"] == .number(-5.3))
        #expect(byName["cloud_coverage"] == .number(13))
        #expect(byName["limiting_factor"] == .text("activity"))
        #expect(byName["darkness"] == .number(1))
        #expect(byName["ovation"] == .number(40))
        #expect(byName["solar_wind.bt"] == nil, "a missing number has no entry")
    }

    @Test func missingNumbersHaveNoAlertField() {
        let names = Set(alertFields(derive(AuroraState())).map(\.name))
        #expect(names.isSuperset(of: ["score", "level", "confidence", "sun_elevation"]))
        #expect(names.isDisjoint(with: ["kp_index", "solar_wind.speed", "cloud_coverage"]))
    }
}
