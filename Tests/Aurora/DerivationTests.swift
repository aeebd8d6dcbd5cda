import Expectations
import Foundation

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
    return try require(value as? [String: Any])
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
        expectEqual(json, start + end)
        expectEqual(conditions.score, 80)
    }

    @Test func inputsThatNeverCameHaveTypicalNumbersAndLeaveNoKeyOut() throws {
        let json = try object(derive(AuroraState()).conditions.json())
        let keys = [
            "score", "level", "confidence", "headline", "location", "solar_wind", "kp_index",
            "cloud_coverage", "visibility", "recommendation", "updated",
        ]
        expectEqual(Set(json.keys), Set(keys))
        expectEqual(json["kp_index"] as? Double, 1.9)
        expectEqual(json["cloud_coverage"] as? Int, 67)
        expectEqual(json["solar_wind"] as? [String: Int], ["speed": 400, "density": 5, "bz": 0])
        expectEqual(json["score"] as? Int, 0)
        expectEqual(json["level"] as? String, "none")
        expectEqual(json["confidence"] as? String, "low")
        expectEqual(json["headline"] as? String, "Mangler ferske nordlysdata")
    }

    @Test func englishIsSpokenOnRequest() throws {
        let json = try object(derive(fullState()).conditions.json(language: .english))
        expectEqual(json["headline"] as? String, "Very good chance of aurora now")
        expectEqual(json["recommendation"] as? String, "Go out now and look up!")
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
        expect((72..<75).contains(score), "\(score)")
        expectEqual(derive(state).conditions.level, .good)
        expectEqual(derive(state, previousLevel: .good).conditions.level, .good)
        expectEqual(derive(state, previousLevel: .excellent).conditions.level, .excellent)
    }

    @Test func overcastIsNothingWithHighConfidence() {
        let conditions = derive(fullState(cloud: 100)).conditions
        expectEqual(conditions.score, 0)
        expectEqual(conditions.level, .none)
        expectEqual(conditions.limitingFactor, .cloud)
        expectEqual(conditions.confidence, .high)
        expectEqual(conditions.headline(.english), "Clouds hide the sky now")
    }

    @Test func missingCloudIsSaidInTheRecommendation() {
        var state = AuroraState()
        state.apply(.ovation(evenOvation(40, observation: now)), now: now)
        let conditions = derive(state).conditions
        expectEqual(conditions.visibility, .unknown)
        expectNil(conditions.cloud)
        expect(conditions.recommendation(.english).hasSuffix("Cloud cover is unknown."))
        expect(conditions.recommendation(.norwegian).hasSuffix("Skydekket er ukjent."))
    }

    @Test func staleInputsAreLeftOutOfTheFormAndOfTheScoreWhereTheyWouldRaiseIt() throws {
        let later = now.minutes(120)
        let derivation = derive(fullState(), at: later)
        let conditions = derivation.conditions
        expectNil(conditions.speed)
        expectNil(conditions.density)
        expectNil(conditions.bz)
        expectNil(conditions.kp)
        expect(derivation.explanation.score.ovation != nil, "forecast for 80 minutes ago")
        expectNil(derivation.explanation.score.coupling)
        expect(derivation.explanation.score.kp != nil, "less than the grid: it lowers")
        let stale = derivation.explanation.stale
        expect(stale.contains("coupling"))
        expect(stale.contains("solar_wind.speed"))
        expect(stale.contains("kp"))
        expect(!stale.contains("ovation"))
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
        expectEqual(before.explanation.score.coupling, 0)
        let after = derive(state, at: now.minutes(30))
        expect(after.explanation.stale.contains("coupling"))
        expect(after.conditions.score <= before.conditions.score)
        expectNil(after.conditions.speed)
        expect(after.explanation.confidence.value < before.explanation.confidence.value)
    }

    @Test func inputThatLeavesTheStateIsRememberedAsTooOld() throws {
        var state = fullState(cloud: 100)
        let before = derive(state)
        expectEqual(before.conditions.score, 0)
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
        expectEqual(after.conditions.score, 0)
        expectNil(after.conditions.cloud)
        expectEqual(after.conditions.visibility, .unknown)
        expectEqual(after.conditions.headline(.english), "Cloud cover is unknown now")
        let cloud = try require(after.explanation.input("cloud_coverage"))
        expect(cloud.isStale && cloud.value == 100)
        let anew = deriveConditions(
            place: .tromso,
            state: state,
            now: now.minutes(2),
            previous: after.explanation,
            previousLevel: nil
        )
        expectEqual(anew.conditions.score, 0, "for as long as nobody says otherwise")
    }

    @Test(arguments: [(20, true), (21, false)])
    func solarWindCountsForTwentyMinutes(age: Int, counts: Bool) {
        let derivation = derive(fullState(), at: now.minutes(age - 5))
        expectEqual((derivation.explanation.score.coupling != nil), counts)
        expectEqual((derivation.conditions.bz != nil), counts)
    }

    @Test(arguments: [(90, true), (91, false)])
    func gridCountsForNinetyMinutesAfterItsTime(age: Int, counts: Bool) {
        let derivation = derive(fullState(), at: now.minutes(40 + age))
        expectEqual((derivation.explanation.score.ovation != nil), counts)
    }

    @Test func nothingFreshUnderAClearDarkSkyIsMissingData() {
        var state = AuroraState()
        state.apply(
            .weather(place: "tromso", evenWeather(cloud: 0, start: now.minutes(-60))),
            now: now
        )
        let conditions = derive(state).conditions
        expectEqual(conditions.limitingFactor, .data)
        expectEqual(conditions.level, .none)
        expectEqual(conditions.confidence, .low)
    }

    @Test func weatherOfAnotherPlaceIsNotUsed() {
        var state = AuroraState()
        state.apply(.weather(place: "alta", evenWeather(cloud: 0, start: now)), now: now)
        expectNil(derive(state).conditions.cloud)
    }

    @Test func storedConditionsReadBackTheSame() throws {
        for state in [fullState(), AuroraState()] {
            let conditions = derive(state).conditions
            let stored = try JSONEncoder().encode(conditions)
            try expectEqual(JSONDecoder().decode(Conditions.self, from: stored), conditions)
        }
    }

    @Test func numbersAreRoundedAsShown() {
        expectEqual(roundedToTenths(-5.35).description, "-5.4")
        expectEqual(roundedToTenths(-0.04).sign, .plus)
        expectEqual(roundedToTenths(8.25), 8.3)
    }
}

@Suite("Explanation", .timeLimit(.minutes(10)))
struct ExplanationTests {
    @Test func everyInputHasSourceTimeAndAge() throws {
        let explanation = derive(fullState()).explanation
        expectEqual(
            explanation.inputs.map(\.name),
            [
                "ovation", "coupling", "kp", "cloud_coverage", "sun_elevation",
                "solar_wind.speed", "solar_wind.density", "solar_wind.bz", "solar_wind.bt",
                "kp_from_solar_wind",
            ]
        )
        expectEqual(explanation.missing, ["solar_wind.bt"])
        expect(explanation.stale.isEmpty)
        let ovation = try require(explanation.input("ovation"))
        expectEqual(ovation.value, 40)
        expectEqual(ovation.age, .seconds(20 * 60))
        expectEqual(ovation.validFor, now.minutes(40))
        let kp = try require(explanation.input("kp"))
        expectEqual(kp.source, "planetary_k_index_1m")
        expectEqual(kp.time, now.minutes(-6))
    }

    @Test func jsonShowsFactorsSharesAndTerms() throws {
        let derivation = derive(fullState())
        let json = try object(derivation.explanation.json())
        expectEqual(json["place"] as? String, "tromso")
        expectEqual(json["score"] as? Double, derivation.explanation.score.value)
        expectEqual(json["limiting_factor"] as? String, "activity")
        let level = try require(json["level"] as? [String: Any])
        expectEqual(level["value"] as? String, "excellent")
        expect(level["previous"] is NSNull)
        let factors = try require(json["factors"] as? [String: [String: Any]])
        let activity = try require(factors["activity"])
        let parts = try require(activity["parts"] as? [[String: Any]])
        expectEqual(parts.compactMap { $0["input"] as? String }, ["ovation", "coupling", "kp"])
        expectEqual(parts.compactMap { $0["share"] as? Double }, [0.5, 0.35, 0.15])
        let product = factors.values.compactMap { $0["value"] as? Double }.reduce(100, *)
        expect(abs(product - derivation.explanation.score.value) < 1e-9)
        let confidence = try require(json["confidence"] as? [String: Any])
        expectEqual((confidence["terms"] as? [Any])?.count, 3)
        expectEqual(json["missing"] as? [String], ["solar_wind.bt"])
        let inputs = try require(json["inputs"] as? [[String: Any]])
        expectEqual(inputs[0]["age_seconds"] as? Int, 1200)
        expectEqual(inputs[0]["valid_for"] as? String, "2024-12-21T20:40:00.000Z")
        expectEqual(inputs[0]["is_stale"] as? Bool, false)
    }

    @Test func sharesOfWhatIsThereAddUpToOne() throws {
        var state = AuroraState()
        state.apply(.ovation(evenOvation(40, observation: now)), now: now)
        state.apply(.kMinutes(KMinutes(minutes: [KMinute(time: now, kp: 3)])), now: now)
        let explanation = derive(state).explanation
        let json = try object(explanation.json())
        let factors = try require(json["factors"] as? [String: [String: Any]])
        let parts = try require(factors["activity"]?["parts"] as? [[String: Any]])
        let shares = parts.compactMap { $0["share"] as? Double }
        expect(abs(shares.reduce(0, +) - 1) < 1e-12)
        expectEqual(shares[1], 0)
        expect(parts[1]["value"] is NSNull)
        expect(explanation.missing.contains("coupling"))
        expect(explanation.missing.contains("cloud_coverage"))
    }

    @Test func nothingKnownIsStillAnObject() throws {
        let json = try object(derive(AuroraState()).explanation.json())
        expectEqual((json["missing"] as? [String])?.count, 9)
        expectEqual(json["limiting_factor"] as? String, "data")
    }
}

@Suite("Aurora events", .timeLimit(.minutes(10)))
struct AuroraEventTests {
    private let conditions = derive(fullState()).conditions

    @Test func firstConditionsAreNews() {
        expect(conditionsChanged(nil, conditions))
        expect(!conditionsChanged(conditions, conditions))
    }

    @Test func solarWindAndTimeAloneAreNoNews() {
        var new = conditions
        new.speed = 999
        new.density = nil
        new.bz = -50
        new.updated = now.minutes(1)
        expect(!conditionsChanged(conditions, new))
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
        expect(conditionsChanged(conditions, new))
    }

    @Test func limitingFactorThatChangesNoTextIsNoNews() {
        var new = conditions
        new.limitingFactor = .cloud
        expectEqual(new.headline(.norwegian), conditions.headline(.norwegian))
        expect(!conditionsChanged(conditions, new))
    }

    @Test func eventCarriesTheNowForm() {
        let event = conditionsEvent(conditions, id: "some-id")
        expectEqual(event.id, "some-id")
        expectEqual(event.type, "aurora.conditions.updated")
        expectEqual(event.source, "/aurora")
        expectEqual(event.subject, "tromso")
        expectEqual(event.time, now)
        let form = conditions.json(language: .norwegian)
        expectEqual(event.data.prefix(form.count - 1), form.dropLast())
        expectEqual(
            String(decoding: event.data.dropFirst(form.count - 1), as: UTF8.self),
            #","headlines":{"nb":"\#(conditions.headline(.norwegian))","#
                + #""en":"\#(conditions.headline(.english))"},"#
                + #""recommendations":{"nb":"\#(conditions.recommendation(.norwegian))","#
                + #""en":"\#(conditions.recommendation(.english))"}}"#
        )
    }

    @Test func alertFieldsAreTheShownNumbersAndMore() {
        let derivation = derive(fullState())
        let fields = alertFields(derivation)
        let byName = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
        expectEqual(byName.count, fields.count, "a name comes once")
        expectEqual(byName["score"], .number(80))
        expectEqual(byName["level"], .text("excellent"))
        expectEqual(byName["kp_index"], .number(4.7))
        expectEqual(byName["solar_wind.speed"], .number(520))
        expectEqual(byName["solar_wind.density"], .number(8.2))
        expectEqual(byName["solar_wind.bz"], .number(-5.3))
        expectEqual(byName["cloud_coverage"], .number(13))
        expectEqual(byName["limiting_factor"], .text("activity"))
        expectEqual(byName["darkness"], .number(1))
        expectEqual(byName["ovation"], .number(40))
        expectNil(byName["solar_wind.bt"], "a missing number has no entry")
    }

    @Test func missingNumbersHaveNoAlertField() {
        let names = Set(alertFields(derive(AuroraState())).map(\.name))
        expect(names.isSuperset(of: ["score", "level", "confidence", "sun_elevation"]))
        expect(names.isDisjoint(with: ["kp_index", "solar_wind.speed", "cloud_coverage"]))
    }
}
