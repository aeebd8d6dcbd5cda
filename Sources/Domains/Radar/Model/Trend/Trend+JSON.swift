extension Trend {
    /// The form of the contract, with an additional `slope`.
    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("id", radarID)
            json.field("radarId", radarID)
            json.array("data") { json in
                for point in points { json.object { point.write(to: &$0) } }
            }
            json.field("slope", slope)
        }
        return json.bytes
    }
}

extension Trend.Point {
    func write(to json: inout JSONWriter) {
        json.field("date", date, .iso8601Seconds)
        json.field("forCount", forCount)
        json.field("againstCount", againstCount)
        json.field("neutralCount", neutralCount)
        json.field("totalOpinions", totalOpinions)
        json.field("averageConfidence", averageConfidence)
    }
}

extension JSONWriter {
    /// `null` for none.
    mutating func field(_ key: String, _ slope: TrendSlope?) {
        guard let slope else { return null(key) }
        object(key) {
            $0.field("perDay", slope.perDay)
            $0.field("direction", slope.direction.rawValue)
            $0.field("pValue", slope.pValue)
            $0.field("change7d", slope.change7d)
            $0.field("days", slope.days)
            $0.field("segmentStart", slope.segmentStart, .iso8601Seconds)
        }
    }
}
