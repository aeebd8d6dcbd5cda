/// The conditions at a place and where they come from.
package struct Derivation: Hashable, Sendable {
    package let conditions: Conditions
    package let explanation: Explanation
}

/// Returns the conditions for an observer at `place`.
///
/// An input that is too old is shown in the explanation and left out of the conditions, and of the
/// score unless it lowers it.
///
/// - Parameters:
///   - now: the domain clock.
///   - previous: the derivation before this one, which has inputs that the state has lost.
///   - previousLevel: the level of the derivation before this one, which is left only by a margin;
///     nil at the first.
///   - bounds: the lower bounds of the levels.
/// - Complexity: some 10,000 floating-point operations; cheap enough for each payload and place.
package func deriveConditions(
    place: Place,
    state: AuroraState,
    now: Timestamp,
    previous: Explanation? = nil,
    previousLevel: Level?,
    bounds: LevelBounds = .standard
) -> Derivation {
    let observation = Observation(place: place, state: state, now: now, previous: previous)
    let score = Score(observation.scoreInputs)
    let confidence = observation.confidence(of: score)
    let level = bounds.level(of: score.value, previous: previousLevel)
    let explanation = Explanation(
        place: place,
        time: now,
        inputs: observation.inputs,
        score: score,
        level: level,
        previousLevel: previousLevel,
        bounds: bounds,
        confidence: confidence,
        advisory: Advisory(state, now: now)
    )
    let conditions = Conditions(
        place: place,
        score: bounds.shownScore(score.value, previous: previousLevel),
        level: level,
        confidence: Confidence(value: confidence.value),
        limitingFactor: score.limitingFactor,
        visibility: Visibility(score),
        speed: observation.speed.usable.map { Int($0.rounded()) },
        density: observation.density.usable.map(roundedToTenths),
        bz: observation.bz.usable.map(roundedToTenths),
        kp: observation.kp.usable.map(roundedToTenths),
        cloud: observation.cloud.usable.map { Int($0.rounded()) },
        updated: now,
        held: observation.held
    )
    return Derivation(conditions: conditions, explanation: explanation)
}

func roundedToTenths(_ value: Double) -> Double {
    // Adding 0 turns -0 into 0.
    (value * 10).rounded() / 10 + 0
}

/// The inputs of one derivation, each with its source and age.
private struct Observation {
    typealias Input = Explanation.Input

    let ovation: Input
    let coupling: Input
    let kp: Input
    let cloud: Input
    let sun: Input
    let speed: Input
    let density: Input
    let bz: Input
    let bt: Input
    let kpEstimate: Input

    /// See `OvalSight`.
    let sight: Double?

    var inputs: [Input] {
        [ovation, coupling, kp, cloud, sun, speed, density, bz, bt, kpEstimate]
    }

    init(place: Place, state: AuroraState, now: Timestamp, previous: Explanation?) {
        ovation = Self.ovation(state.ovation, place: place, now: now)
            .remembered(from: previous, now: now)
        kp = Self.kp(KReading(state, now: now), now: now).remembered(from: previous, now: now)
        cloud = Self.cloud(state.weather[place.id], now: now).remembered(from: previous, now: now)
        sun = Input(
            name: "sun_elevation",
            value: solarElevation(
                latitude: place.latitude,
                longitude: place.longitude,
                at: now
            ),
            unit: "degrees",
            source: "computed",
            time: now,
            age: .zero
        )
        let wind = SolarWindReading(state.solarWind, now: now)
        let measured = Self.coupling(wind.coupling, now: now)
        coupling = measured.remembered(from: previous, now: now)
        sight = OvalSight.value(
            place: place,
            at: now,
            ovation: ovation.value,
            kp: kp.usable,
            coupling: coupling.usable
        )
        func sample(
            _ name: String,
            _ unit: String,
            _ held: SolarWindReading.Sample?,
            _ part: KeyPath<SolarWindMinute, Double?>
        ) -> Input {
            let value = held ?? SolarWindReading.last(state.solarWind, part, now: now)
            return Input(
                name: name,
                value: value?.value,
                unit: unit,
                source: solarWindSource,
                time: value?.time,
                age: value.map { now - $0.time },
                isStale: wind.isStale(now) || (held == nil && value != nil),
                isHeld: value.map { $0.time != wind.head } ?? false
            ).remembered(from: previous, now: now)
        }
        speed = sample("solar_wind.speed", "km/s", wind.speed, \.speed)
        density = sample("solar_wind.density", "cm-3", wind.density, \.density)
        bz = sample("solar_wind.bz", "nT", wind.bz, \.bz)
        bt = sample("solar_wind.bt", "nT", wind.bt, \.bt)
        kpEstimate = Input(
            name: "kp_from_solar_wind",
            value: wind.kpEstimate,
            unit: "Kp",
            source: solarWindSource,
            time: wind.coupling?.time,
            age: measured.age,
            isStale: measured.isStale,
            isHeld: measured.isHeld
        )
    }

    private static func ovation(_ grid: Ovation?, place: Place, now: Timestamp) -> Input {
        Input(
            name: "ovation",
            value: grid.map {
                OvalView.bestValue($0, latitude: place.latitude, longitude: place.longitude)
            },
            unit: "index 0-100",
            source: "ovation_aurora_latest",
            time: grid?.observation,
            validFor: grid?.forecast,
            age: grid.map { now - $0.observation },
            isStale: grid.map { now - $0.forecast > AuroraLimits.ovationAgeMax } ?? false
        )
    }

    private static func coupling(_ mean: SolarWindReading.Coupling?, now: Timestamp) -> Input {
        Input(
            name: "coupling",
            value: mean?.value,
            unit: "(km/s)^(4/3) nT^(2/3)",
            source: solarWindSource,
            time: mean?.time,
            age: mean.map { now - $0.time },
            isStale: mean.map { now - $0.time > AuroraLimits.solarWindAgeMax } ?? false,
            isHeld: mean?.isHeld ?? false
        )
    }

    private static func kp(_ reading: KReading?, now: Timestamp) -> Input {
        Input(
            name: "kp",
            value: reading?.kp,
            unit: "Kp",
            source: (reading?.source ?? .minuteEstimate).rawValue,
            time: reading?.time,
            age: reading.map { now - $0.time },
            isStale: reading?.isStale ?? false,
            isHeld: reading?.source == .forecast
        )
    }

    private static func cloud(_ forecast: Locationforecast?, now: Timestamp) -> Input {
        let current = forecast?.step(at: now)
        // A run that has ended, or whose step lacks the cloud, still has the earlier steps.
        let last = forecast?.steps.last { $0.time <= now && $0.cloud != nil }
        let step = current?.cloud == nil ? last ?? current : current
        return Input(
            name: "cloud_coverage",
            value: step?.cloud,
            unit: "percent",
            source: "locationforecast",
            time: forecast?.updatedAt,
            validFor: step?.time,
            age: forecast.map { now - $0.updatedAt },
            isStale: current?.cloud == nil && last != nil
        )
    }

    /// Of inputs that do not count, rounded as they are shown; nil when all do.
    var held: Conditions.Held? {
        var held = Conditions.Held()
        held.speed = speed.lost.map { Int($0.rounded()) }
        held.density = density.lost.map(roundedToTenths)
        held.bz = bz.lost.map(roundedToTenths)
        held.kp = kp.lost.map(roundedToTenths)
        held.cloud = cloud.lost.map { Int($0.rounded()) }
        return held == Conditions.Held() ? nil : held
    }

    var scoreInputs: Score.Inputs {
        var inputs = Score.Inputs(
            ovation: ovation.usable,
            coupling: coupling.usable,
            kp: kp.usable,
            cloud: cloud.usable.map { $0 / 100 },
            sunElevation: sun.value ?? 0
        )
        inputs.sight = sight
        inputs.lost.ovation = ovation.lost
        inputs.lost.coupling = coupling.lost
        inputs.lost.kp = kp.lost
        inputs.lost.cloud = cloud.lost.map { $0 / 100 }
        return inputs
    }

    func confidence(of score: Score) -> ConfidenceEstimate {
        ConfidenceEstimate(
            terms: [
                term(ovation, weight: Score.ovationWeight, timeConstant: .seconds(30 * 60)),
                term(coupling, weight: Score.couplingWeight, timeConstant: .seconds(15 * 60)),
                term(kp, weight: Score.kWeight, timeConstant: .seconds(4 * 3600)),
            ],
            score: score,
            cloud: cloud.usable.map { $0 / 100 },
            cloudAge: cloud.usable == nil ? nil : cloud.age
        )
    }

    private func term(
        _ input: Input,
        weight: Double,
        timeConstant: Duration
    ) -> ConfidenceEstimate.Term {
        ConfidenceEstimate.Term(
            name: input.name,
            weight: weight,
            quality: input.usable == nil ? 0 : input.isHeld ? 0.5 : 1,
            age: input.age,
            timeConstant: timeConstant
        )
    }
}

private let solarWindSource = "solar wind at L1"

extension Explanation.Input {
    /// The value, if it is too old.
    fileprivate var lost: Double? { isStale ? value : nil }

    /// Itself, or if it has no value, its last known value, as too old: an input can disappear from
    /// the state, as when one half of the solar wind is missing for hours, or a run of the weather
    /// model has no clouds.
    fileprivate func remembered(from previous: Explanation?, now: Timestamp) -> Self {
        guard value == nil, var input = previous?.input(name), input.value != nil,
            let time = input.time, time <= now
        else { return self }
        input.age = now - time
        input.isStale = true
        return input
    }
}
