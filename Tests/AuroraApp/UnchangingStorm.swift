import Configuration
import SeededRandom

@testable import Aurora
@testable import AuroraApp

/// A storm that does not change, at a place where it is dark all day, as the hub learns of it: each
/// product is polled by its own machine, on a scripted clock, and its data come late.
struct UnchangingStorm {
    /// What is wrong with one feed.
    enum Fault: CaseIterable, Sendable {
        /// 404 from the start on.
        case missing
        /// 404 from the tenth hour on.
        case lost
        /// Answers of the tenth hour from then on.
        case frozen
    }

    static let start = Timestamp(iso8601: "2025-12-20T00:00:00Z")!
    /// The noon sun stays below -12°.
    static let place = try! Place(
        id: "ny-alesund",
        name: "Ny-Ålesund",
        latitude: 78.92,
        longitude: 11.93
    )
    private static let onset = start + .seconds(10 * 3600)
    /// A hub derives every minute, also without data. The products of every minute do the same here.
    private static let tick = Duration.seconds(300)
    /// By which the data are late.
    private static let delay = Duration.seconds(8 * 60)

    static let upstreams = AuroraUpstreams(settings: AuroraSection(), places: [place]).all

    private(set) var run: PipelineRun
    private var machines: [FeedMachine]
    private var random: SeededGenerator
    private let fault: (feed: String, kind: Fault)?
    /// The polls of each feed.
    private(set) var polls: [String: Int] = [:]

    init(fault: (feed: String, kind: Fault)?, rules: [AlertRule], seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.fault = fault
        run = PipelineRun(places: [UnchangingStorm.place], rules: rules)
        machines = UnchangingStorm.upstreams.map {
            FeedMachine(
                name: $0.name,
                policy: $0.policy,
                validators: FeedValidators(),
                now: UnchangingStorm.start,
                random: Double.random(in: 0..<1, using: &random)
            )
        }
        self.random = random
    }

    /// Lets time pass from the start on.
    mutating func pass(_ length: Duration) {
        var now = UnchangingStorm.start
        var tick = now
        while now < UnchangingStorm.start + length {
            var next = tick + UnchangingStorm.tick
            for index in machines.indices {
                let neededFrom = run.pipeline.neededFrom(UnchangingStorm.upstreams[index].product)
                let wait = machines[index].wait(
                    neededFrom: neededFrom,
                    now: now,
                    random: nextRandom()
                )
                next = min(next, now + max(wait, .milliseconds(1)))
                if machines[index].start(now: now) != nil { poll(index, now: now) }
            }
            if now >= tick + UnchangingStorm.tick {
                tick = now
                run.take(nil, at: now)
            }
            now = next
        }
    }

    private mutating func nextRandom() -> Double { Double.random(in: 0..<1, using: &random) }

    private mutating func poll(_ index: Int, now: Timestamp) {
        let upstream = UnchangingStorm.upstreams[index]
        polls[upstream.name, default: 0] += 1
        var time = now
        if let fault, fault.feed == upstream.name {
            switch fault.kind {
            case .missing: return fail(index, now: now)
            case .lost: if now >= UnchangingStorm.onset { return fail(index, now: now) }
            case .frozen: time = min(now, UnchangingStorm.onset)
            }
        }
        let response = FeedResponse(status: 200)
        _ = machines[index].finish(response, now: now, random: nextRandom())
        if let payload = UnchangingStorm.payload(upstream.product, at: time) {
            run.take(payload, at: now)
        }
        machines[index].accepted(now: now, random: nextRandom())
    }

    private mutating func fail(_ index: Int, now: Timestamp) {
        _ = machines[index].finish(FeedResponse(status: 404), now: now, random: nextRandom())
    }

    // MARK: The products

    private static let kp = 7.0
    /// Bright over the place, so that few of its cells need trigonometry.
    private static let grid: [UInt8] = {
        var values = [UInt8](repeating: 0, count: Ovation.valueCount)
        for longitude in 0..<30 {
            for latitude in 76...81 {
                values[longitude * Ovation.latitudeCount + latitude + 90] = 80
            }
        }
        return values
    }()

    /// What a product has at `time`; nil for one that enters no score.
    static func payload(_ product: AuroraProduct, at time: Timestamp) -> AuroraPayload? {
        let newest = (time - delay).roundedDown(to: .seconds(60))
        switch product {
        case .propagatedSolarWind:
            return .solarWind(wind(through: newest, minutes: 60, hasPlasma: true, hasField: true))
        case .rtswField:
            return .solarWind(wind(through: newest, minutes: 360, hasPlasma: false, hasField: true))
        case .rtswPlasma:
            return .solarWind(wind(through: newest, minutes: 360, hasPlasma: true, hasField: false))
        case .kMinutes:
            let minutes = (0..<180).reversed().map {
                KMinute(time: newest - .seconds(60 * Int64($0)), kp: kp)
            }
            return .kMinutes(KMinutes(minutes: minutes))
        case .planetaryK:
            let end = newest.roundedDown(to: KInterval.length)
            let intervals = (1...8).reversed().map {
                KInterval(start: end - KInterval.length * $0, kp: kp)
            }
            return .planetaryK(PlanetaryK(intervals: intervals))
        case .kForecast:
            let start = newest.roundedDown(to: KInterval.length)
            let intervals = (-8..<24).map {
                KForecastInterval(start: start + KInterval.length * $0, kp: kp, status: .predicted)
            }
            return .kForecast(KForecast(intervals: intervals))
        case .ovation:
            let time = newest.roundedDown(to: .seconds(300))
            return Ovation(observation: time, forecast: time + .seconds(3600), values: grid)
                .map { .ovation($0) }
        case .weather:
            let run = newest.roundedDown(to: .seconds(3600))
            let steps = (0..<48).map {
                WeatherStep(time: run + .seconds(3600 * Int64($0)), cloud: 0)
            }
            let forecast = Locationforecast(updatedAt: run, steps: steps)
            return .weather(place: place.id, forecast)
        case .kOutlook, .scales, .bulletins, .legacyField, .legacyPlasma: return nil
        }
    }

    private static func wind(
        through end: Timestamp,
        minutes: Int,
        hasPlasma: Bool,
        hasField: Bool
    ) -> SolarWind {
        SolarWind(
            minutes: (0..<minutes).reversed().map {
                SolarWindMinute(
                    time: end - .seconds(60 * Int64($0)),
                    speed: hasPlasma ? 700 : nil,
                    density: hasPlasma ? 10 : nil,
                    by: hasField ? 1 : nil,
                    bz: hasField ? -20 : nil,
                    bt: hasField ? 21 : nil
                )
            }
        )
    }
}
