import JSONText
import Timekeeping

extension Outlook {
    /// The contract's `hourly` form.
    package func hourlyJSON() -> [UInt8] {
        let hours = nextHours
        var json = JSONWriter()
        json.object {
            $0.field("status", "success")
            $0.field("location", place.id)
            $0.field("hours", hours.count)
            $0.array("hourly_forecast") { json in
                for hour in hours { json.object { hour.write(to: &$0) } }
            }
            $0.field("generated_at", time.iso8601)
            $0.object("meta") { json in
                // What is sent is always what the hub knows at this time; nothing older is kept.
                json.field("cached", false)
                json.field("fallback", hours.contains { $0.lacksInput })
                json.field("timestamp", time.iso8601)
            }
        }
        return json.bytes
    }

    /// The contract's `forecast` form.
    package func forecastJSON(days count: Int) -> [UInt8] {
        let days = days(count)
        var json = JSONWriter()
        json.object {
            $0.field("status", "success")
            $0.field("location", place.id)
            $0.field("days_count", days.count)
            $0.array("days") { json in
                for day in days { json.object { write(day, to: &$0) } }
            }
            $0.field("generated_at", time.iso8601)
        }
        return json.bytes
    }

    private func write(_ day: DayOutlook, to json: inout JSONWriter) {
        let best = day.best
        let isWorthIt = best?.score.map { $0 > 0 } ?? false
        json.field("date", place.zone.dateText(day.start))
        json.optional("probability", best?.score)
        json.field("peak_time", isWorthIt ? best.map { place.zone.clockText($0.time) } : nil)
        json.array("kp_forecast") { json in
            for interval in day.kForecast { json.value(roundedToTenths(interval.kp)) }
        }
        json.object("weather") {
            $0.optional("cloudCoverage", best?.weather?.cloud.map(wholeNumber))
            $0.field("conditions", best?.weather?.conditions)
        }
        json.field("rating", best?.level?.rawValue)
    }
}

extension HourOutlook {
    /// Whether it was made from less than everything: no forecast of Kp, or none of the cloud.
    var lacksInput: Bool { kp == nil || weather?.cloud == nil }

    fileprivate func write(to json: inout JSONWriter) {
        json.field("time", time.iso8601)
        json.field("hour", CivilTime(time).hour)
        json.optional("probability", score)
        json.field("kp", kp)
        json.object("weather") {
            $0.optional("cloudCoverage", weather?.cloud.map(wholeNumber))
            $0.optional("temperature", weather?.temperature.map(wholeNumber))
            $0.optional("windSpeed", weather?.windSpeed.map(wholeNumber))
            $0.field("conditions", weather?.conditions)
        }
        json.field("visibility", visibility.rawValue)
    }
}

extension WeatherStep {
    /// MET Norway's word for the weather in the contract's spelling, without the time of day; nil where
    /// none came or none is known.
    package var conditions: String? {
        guard let name = symbol?.prefix(while: { $0 != "_" }) else { return nil }
        switch name {
        case "clearsky": return "clear"
        case "fair": return "fair"
        case "partlycloudy": return "partly_cloudy"
        case "cloudy": return "cloudy"
        case "fog": return "fog"
        case _ where name.contains("thunder"): return "thunder"
        case _ where name.contains("sleet"): return "sleet"
        case _ where name.contains("snow"): return "snow"
        case _ where name.contains("rain"): return "rain"
        default: return nil
        }
    }
}

extension ClockZone {
    /// `2025-12-21`
    package func dateText(_ time: Timestamp) -> String {
        (time + offset(at: time)).iso8601Date
    }
}

extension JSONWriter {
    mutating func optional(_ key: String, _ number: Int?) {
        if let number { field(key, number) } else { null(key) }
    }
}

/// Apps read these as integers.
private func wholeNumber(_ value: Double) -> Int { Int(value.rounded()) }
