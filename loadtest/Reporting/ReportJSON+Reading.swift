import Base

/// A report that was written as JSON, read for its latencies.
extension Report {
    /// The curve of the first set of latencies in a report; nil when there is none, or it is no report.
    static func firstCurve(json: [UInt8]) -> [LatencySummary.Point]? {
        guard let latencies = member("latencies", of: json[...]),
            let first = try? JSONReader.fields(of: latencies).first?.value,
            let curve = member("curve", of: first),
            let elements = try? JSONReader.elements(of: curve)
        else { return nil }
        var points: [LatencySummary.Point] = []
        for element in elements {
            guard let pair = try? JSONReader.elements(of: element), pair.count == 2,
                let percentile = Double(String(decoding: pair[0], as: UTF8.self)),
                let nanoseconds = JSONReader.integer(pair[1])
            else { return nil }
            points.append(LatencySummary.Point(percentile: percentile, nanoseconds: nanoseconds))
        }
        return points
    }

    private static func member(
        _ name: String,
        of object: ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        guard let fields = try? JSONReader.fields(of: object) else { return nil }
        return fields.first { $0.key == name }?.value
    }
}
