/// SWPC's statements about the whole Earth at one moment, as background of the conditions: NOAA's
/// scales, and the bulletins in effect.
package struct Advisory: Hashable, Sendable {
    package let scales: StormScales?
    /// Too old for the present.
    package let isStale: Bool
    /// The strongest first, of equal ones the newest.
    package let bulletins: [Bulletin]

    init(_ state: AuroraState, now: Timestamp) {
        scales = state.scales
        isStale = state.scales?.time.map { now - $0 > AuroraLimits.scalesAgeMax } ?? false
        bulletins = state.bulletins
            .filter { $0.issued <= now + AuroraLimits.clockSkewMax && $0.until > now }
            .sorted { $0.rank == $1.rank ? $0.issued > $1.issued : $0.rank > $1.rank }
    }

    /// Writes the members `scales` and `bulletins`.
    func write(to json: inout JSONWriter) {
        if let scales {
            json.object("scales") { write(scales, to: &$0) }
        } else {
            json.null("scales")
        }
        json.array("bulletins") { json in
            for bulletin in bulletins { json.object { bulletin.write(to: &$0) } }
        }
    }

    private func write(_ scales: StormScales, to json: inout JSONWriter) {
        json.field("time", scales.time?.iso8601)
        json.field("is_stale", isStale)
        json.array("periods") { json in
            for line in scales.lines { json.object { line.write(to: &$0) } }
        }
    }
}

extension StormScales.Line {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("period", period.name)
        json.field("time", time.iso8601)
        json.optional("geomagnetic_storm", geomagneticStorm)
        json.optional("radiation_storm", radiationStorm)
        json.optional("radio_blackout", radioBlackout)
    }
}

extension StormScales.Period {
    fileprivate var name: String {
        switch self {
        case .pastDay: "past_day"
        case .now: "now"
        case .today: "today"
        case .tomorrow: "tomorrow"
        case .dayAfter: "day_after"
        }
    }
}

extension Bulletin {
    /// Measured storms come before expected ones, and those before possible ones.
    fileprivate var rank: Int {
        let certainty =
            switch kind {
            case .watch: 0
            case .warning: 1
            case .alert: 2
            }
        return (stormScale ?? 0) * Kind.allCases.count + certainty
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.field("code", code)
        json.field("serial", serial)
        json.field("kind", kind.rawValue)
        json.optional("kp", kp)
        json.optional("geomagnetic_storm", stormScale)
        json.field("issued", issued.iso8601)
        json.field("until", until.iso8601)
        json.field("headline", headline)
    }
}

extension JSONWriter {
    fileprivate mutating func optional(_ key: String, _ number: Int?) {
        if let number { field(key, number) } else { null(key) }
    }
}
