// Metrics: the hub's metrics as text in the exposition format of Prometheus (version 0.0.4).

/// Writes metrics: for each name its help and type once, then its samples.
package struct MetricsText {
    package enum Kind: String {
        case counter, gauge, histogram
    }

    package typealias Labels = [(name: String, value: String)]

    package private(set) var text = ""

    package init() {}

    /// - Parameter samples: each with its labels, such as `("reason", "connections")`, which must
    ///   be unique.
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

    /// Writes numbers with a fraction, such as seconds.
    package mutating func gauge(_ name: String, _ help: String, _ samples: [(Labels, Double)]) {
        begin(name, .gauge, help)
        for (labels, value) in samples { sample(name, labels, "\(value)") }
    }

    package mutating func histogram(_ name: String, _ help: String, _ value: Histogram) {
        histogram(name, help, [([], value)])
    }

    /// - Parameter histograms: each with its labels, which must be unique and must not include
    ///   `le`.
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

    /// Escapes three characters; a label's value may contain any others. It goes scalar by scalar,
    /// since CR LF is one character in Swift, and not equal to LF.
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
