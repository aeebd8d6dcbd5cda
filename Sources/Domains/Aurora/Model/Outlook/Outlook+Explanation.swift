extension Outlook {
    /// The hours that an explanation is requested for.
    package enum Part: Hashable, Sendable {
        case night, nextHours
        case days(Int)
    }

    /// Where the scores of coming hours come from: every hour with its factors and the inputs that they
    /// were made of. One JSON object.
    package func explanation(of part: Part) -> [UInt8] {
        let explained: [HourOutlook] =
            switch part {
            case .night: nightHours
            case .nextHours: nextHours
            case .days(let count): days(count).flatMap(\.hours)
            }
        var json = JSONWriter()
        json.object {
            $0.field("place", place.id)
            $0.field("time", time.iso8601)
            $0.field("time_zone", place.zone.name)
            $0.field("sun", phase.rawValue)
            if let night {
                $0.object("night") {
                    $0.field("start", night.start.iso8601)
                    $0.field("end", night.end.iso8601)
                }
            } else {
                $0.null("night")
            }
            $0.array("hours") { json in
                for hour in explained { json.object { explain(hour, to: &$0) } }
            }
        }
        return json.bytes
    }
}

extension Outlook {
    private func explain(_ hour: HourOutlook, to json: inout JSONWriter) {
        hour.explain(to: &json)
        json.object("chance") {
            for level in Level.allCases where level > .low && !hour.isMeasured {
                $0.field(level.rawValue, roundedToHundredths(chance(of: level, in: hour)))
            }
        }
    }
}

private func roundedToHundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }

extension HourOutlook {
    fileprivate func explain(to json: inout JSONWriter) {
        json.field("time", time.iso8601)
        json.field("basis", isMeasured ? "measured" : "forecast")
        json.field("score", factors.value)
        json.field("level", level.rawValue)
        json.field("confidence", confidence.rawValue)
        json.field("confidence_value", confidenceValue)
        json.field("limiting_factor", limitingFactor.rawValue)
        json.field("activity", factors.activity)
        json.field("darkness", factors.darkness)
        json.field("clear_sky", factors.clearSky)
        json.field("kp", kp)
        json.field("kp_source", kpSource?.rawValue ?? "measured")
        json.field("cloud_coverage", weather.cloud)
        json.field("weather_valid_for", weather.step?.time.iso8601)
        json.field("sun_elevation", sunElevation)
        json.array("missing") { json in
            if let kpSource, kpSource != .forecast { json.value("kp") }
            if !weather.isKnown { json.value("cloud_coverage") }
        }
    }
}
