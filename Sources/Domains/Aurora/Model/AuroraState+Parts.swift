/// A part of the state that the store keeps under a name of its own, so that a minute of solar wind
/// does not rewrite the aurora grid.
package enum AuroraStatePart: Hashable, Sendable {
    case solarWind
    case kp
    case kOutlook
    case ovation
    case weather(place: String)
    case scales
    case bulletins

    /// `solar_wind`, `kp`, `k_outlook`, `ovation`, `weather:{place}`, `scales`, `bulletins`
    package var name: String {
        switch self {
        case .solarWind: "solar_wind"
        case .kp: "kp"
        case .kOutlook: "k_outlook"
        case .ovation: "ovation"
        case .weather(let place): "weather:\(place)"
        case .scales: "scales"
        case .bulletins: "bulletins"
        }
    }

    package init?(name: String) {
        switch name {
        case "solar_wind": self = .solarWind
        case "kp": self = .kp
        case "k_outlook": self = .kOutlook
        case "ovation": self = .ovation
        case "scales": self = .scales
        case "bulletins": self = .bulletins
        default:
            guard name.hasPrefix("weather:"), name != "weather:" else { return nil }
            self = .weather(place: String(name.dropFirst("weather:".count)))
        }
    }
}

extension AuroraPayload {
    /// The part of the state that this payload can change.
    package var part: AuroraStatePart {
        switch self {
        case .planetaryK, .kForecast, .kMinutes: .kp
        case .kOutlook: .kOutlook
        case .solarWind: .solarWind
        case .ovation: .ovation
        case .weather(let place, _): .weather(place: place)
        case .scales: .scales
        case .bulletins: .bulletins
        }
    }
}

/// Why stored bytes are not a part of the state.
package enum PartError: Error, Equatable, CustomStringConvertible {
    case unknownVersion(UInt8)
    case damaged(part: String)

    package var description: String {
        switch self {
        case .unknownVersion(let version): "part has version \(version), wanted \(Part.version)"
        case .damaged(let part): "part \(part) is damaged"
        }
    }
}

extension AuroraState {
    /// The parts that hold anything.
    package var parts: [AuroraStatePart] {
        var parts: [AuroraStatePart] = []
        if !solarWind.isEmpty { parts.append(.solarWind) }
        if !kIntervals.isEmpty || !kMinutes.isEmpty || !kForecast.isEmpty { parts.append(.kp) }
        if !outlook.isEmpty { parts.append(.kOutlook) }
        if ovation != nil { parts.append(.ovation) }
        if scales != nil { parts.append(.scales) }
        if !bulletins.isEmpty { parts.append(.bulletins) }
        return parts + weather.keys.sorted().map { .weather(place: $0) }
    }

    /// One part in the binary form that `restore` reads; a part that holds nothing is a few bytes.
    package func encodedPart(_ part: AuroraStatePart) -> [UInt8] {
        var writer = PartWriter(kind: Part.kind(part))
        switch part {
        case .solarWind: writer.list(solarWind) { $0.write($1) }
        case .kp:
            writer.list(kIntervals) { $0.write($1) }
            writer.list(kMinutes) { $0.write($1) }
            writer.list(kForecast) { $0.write($1) }
        case .kOutlook: writer.list(outlook) { $0.write($1) }
        case .ovation: writer.list(ovation.map { [$0] } ?? []) { $0.write($1) }
        case .weather(let place):
            writer.list(weather[place].map { [$0] } ?? []) { $0.write($1) }
        case .scales: writer.list(scales?.lines ?? []) { $0.write($1) }
        case .bulletins: writer.list(bulletins) { $0.write($1) }
        }
        return writer.bytes
    }

    /// Sets one part to the output of `encodedPart`. On an error the part is unchanged.
    package mutating func restore(
        _ part: AuroraStatePart,
        bytes: [UInt8]
    ) throws(PartError) {
        var reader = PartReader(bytes, part: part.name)
        try reader.header(kind: Part.kind(part))
        switch part {
        case .solarWind:
            let minutes = try reader.list { (reader) throws(PartError) in try reader.solarWind() }
            try reader.finish()
            restore(solarWind: minutes)
        case .kp:
            let intervals = try reader.list { (reader) throws(PartError) in try reader.interval() }
            let minutes = try reader.list { (reader) throws(PartError) in try reader.minute() }
            let forecast = try reader.list { (reader) throws(PartError) in try reader.forecast() }
            try reader.finish()
            restore(kIntervals: intervals, kMinutes: minutes, kForecast: forecast)
        case .kOutlook:
            let days = try reader.list { (reader) throws(PartError) in try reader.outlookDay() }
            try reader.finish()
            restore(outlook: days)
        case .ovation:
            let ovations = try reader.list { (reader) throws(PartError) in try reader.ovation() }
            try reader.finish()
            restore(ovation: ovations.first)
        case .weather(let place):
            let weather = try reader.list { (reader) throws(PartError) in try reader.weather() }
            try reader.finish()
            restore(weather: weather.first, place: place)
        case .scales:
            let lines = try reader.list { (reader) throws(PartError) in try reader.scaleLine() }
            try reader.finish()
            restore(scales: lines.isEmpty ? nil : StormScales(lines: lines))
        case .bulletins:
            let bulletins = try reader.list { (reader) throws(PartError) in
                try reader.bulletin()
            }
            try reader.finish()
            restore(bulletins: bulletins)
        }
    }
}
