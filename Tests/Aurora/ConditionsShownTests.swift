import Expectations
import Foundation

@testable import Aurora

@Suite("The numbers of the now form when inputs are late", .timeLimit(.minutes(10)))
struct ConditionsShownTests {
    private static let now = at("2024-12-21T20:00:00Z")

    private func fullState() -> AuroraState {
        let now = ConditionsShownTests.now
        var state = AuroraState()
        let wind = steadyWind(through: now.minutes(-5), count: 300, speed: 520.4, bz: -5.34)
        state.apply(.solarWind(SolarWind(minutes: wind)), now: now)
        let minute = KMinute(time: now.minutes(-6), kp: 4.67)
        state.apply(.kMinutes(KMinutes(minutes: [minute])), now: now)
        let weather = evenWeather(cloud: 12.5, start: now.minutes(-60))
        state.apply(.weather(place: "tromso", weather), now: now)
        return state
    }

    private func derive(_ state: AuroraState) -> Derivation {
        deriveConditions(
            place: .tromso,
            state: state,
            now: ConditionsShownTests.now,
            previousLevel: nil
        )
    }

    private func object(_ bytes: [UInt8]) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(bytes))
        return try require(value as? [String: Any])
    }

    /// A day after the last word of any upstream: the numbers are the last ones, and none of them counts.
    @Test func lateInputsHaveTheirLastNumbers() throws {
        let state = fullState()
        let fresh = try object(derive(state).conditions.json())
        let late = deriveConditions(
            place: .tromso,
            state: state,
            now: derive(state).conditions.updated + .seconds(86_400),
            previousLevel: nil
        )
        let json = try object(late.conditions.json())
        expectEqual(
            json["solar_wind"] as? [String: Double],
            fresh["solar_wind"] as? [String: Double]
        )
        expectEqual(json["kp_index"] as? Double, fresh["kp_index"] as? Double)
        expectEqual(json["cloud_coverage"] as? Int, fresh["cloud_coverage"] as? Int)
        expectEqual(json["score"] as? Int, 0)
        let names = Set(alertFields(late).map(\.name))
        expect(names.isDisjoint(with: ["kp_index", "solar_wind.speed", "solar_wind.bz"]))
        let explained = late.explanation
        expect(explained.stale.contains("solar_wind.speed"))
        expect(explained.input("solar_wind.speed")?.age ?? .zero >= .seconds(86_400))
    }

    /// Only the age of what is shown changes: there is nothing to tell.
    @Test func numberThatBecomesTooOldIsNoChangeByItself() {
        var fresh = derive(fullState()).conditions
        var late = fresh
        late.kp = nil
        late.held = Conditions.Held()
        late.held?.kp = fresh.kp
        expect(!conditionsChanged(fresh, late))
        fresh.kp = 1
        expect(conditionsChanged(fresh, late))
    }

    /// Conditions that an earlier version has stored.
    @Test func storedConditionsWithoutHeldNumbersAreRead() throws {
        let conditions = derive(fullState()).conditions
        expectNil(conditions.held)
        let encoded = try JSONEncoder().encode(conditions)
        expect(!String(decoding: encoded, as: UTF8.self).contains("held"))
        try expectEqual(JSONDecoder().decode(Conditions.self, from: encoded), conditions)
    }
}
