// Metrics: what the hub counts, as text in the exposition format of Prometheus (version 0.0.4).

/// Writes metrics: for each name its help and type once, then its samples.
package struct MetricsText {
    package enum Kind: String {
        case counter, gauge, histogram
    }

    package typealias Labels = [(name: String, value: String)]

    package private(set) var text = ""

    package init() {}

    /// - Parameter samples: with labels each, such as `("reason", "connections")`; no two with the same.
    package mutating func metric(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ samples: [(labels: Labels, value: UInt64)]
    ) {
        begin(name, kind, help)
        for (labels, value) in samples { sample(name, labels, "\(value)") }
    }

    package mutating func metric(_ name: String, _ kind: Kind, _ help: String, _ value: UInt64) {
        metric(name, kind, help, [([], value)])
    }

    /// Numbers with a fraction, such as seconds.
    package mutating func gauge(_ name: String, _ help: String, _ samples: [(Labels, Double)]) {
        begin(name, .gauge, help)
        for (labels, value) in samples { sample(name, labels, "\(value)") }
    }

    package mutating func histogram(_ name: String, _ help: String, _ value: Histogram) {
        histogram(name, help, [([], value)])
    }

    /// - Parameter histograms: with labels each, none of them `le`; no two with the same.
    package mutating func histogram(
        _ name: String,
        _ help: String,
        _ histograms: [(Labels, Histogram)]
    ) {
        begin(name, .histogram, help)
        for (labels, histogram) in histograms {
            for (bound, count) in histogram.buckets {
                sample(name + "_bucket", labels + [("le", "\(bound)")], "\(count)")
            }
            sample(name + "_bucket", labels + [("le", "+Inf")], "\(histogram.count)")
            sample(name + "_sum", labels, "\(histogram.sum)")
            sample(name + "_count", labels, "\(histogram.count)")
        }
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func sample(_ name: String, _ labels: Labels, _ value: String) {
        text += name
        if !labels.isEmpty {
            let labels = labels.map { "\($0.name)=\"\(MetricsText.escaped($0.value))\"" }
            text += "{\(labels.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    /// A label's value takes any text but these three characters. Scalar by scalar: CR LF is one
    /// character of Swift, and not the same as LF.
    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += #"\\"#
            case "\"": text += #"\""#
            case "\n": text += #"\n"#
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
