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
                // The answer always has the hub's newest data; no older one is kept.
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
        guard let best = day.best else { return }
        json.field("date", place.zone.dateText(day.start))
        json.field("probability", best.score)
        json.field("peak_time", place.zone.clockText(best.time))
        json.array("kp_forecast") { json in
            for interval in day.kForecast { json.value(roundedToTenths(interval.kp)) }
            if day.kForecast.isEmpty { json.value(roundedToTenths(day.kExpected)) }
        }
        json.object("weather") {
            $0.field("cloudCoverage", best.weather.shownCloud)
            $0.field("conditions", best.weather.shownConditions)
        }
        json.field("rating", best.level.rawValue)
    }
}

extension HourOutlook {
    /// Whether it was made from less than everything: no forecast of Kp, or none of the weather.
    var lacksInput: Bool {
        (kpSource ?? .forecast) != .forecast || !weather.isKnown
            || weather.step?.temperature == nil || weather.step?.windSpeed == nil
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.field("time", time.iso8601)
        json.field("hour", CivilTime(time).hour)
        json.field("probability", score)
        json.field("kp", kp)
        json.object("weather") {
            $0.field("cloudCoverage", weather.shownCloud)
            $0.field("temperature", weather.shownTemperature)
            $0.field("windSpeed", weather.shownWindSpeed)
            $0.field("conditions", weather.shownConditions)
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
