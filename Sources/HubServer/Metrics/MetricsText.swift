// Metrics: what the hub counts, as text in the exposition format of Prometheus (version 0.0.4).

/// Writes metrics: for each name its help and type once, then its samples.
struct MetricsText {
    enum Kind: String {
        case counter, gauge
    }

    private(set) var text = ""

    /// - Parameter samples: with labels each, such as `("reason", "connections")`; values are written
    ///   without a fraction.
    mutating func metric(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ samples: [(labels: [(name: String, value: String)], value: UInt64)]
    ) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            text += name
            if !sample.labels.isEmpty {
                let labels = sample.labels.map { "\($0.name)=\"\(MetricsText.escaped($0.value))\"" }
                text += "{\(labels.joined(separator: ","))}"
            }
            text += " \(sample.value)\n"
        }
    }

    mutating func metric(_ name: String, _ kind: Kind, _ help: String, _ value: UInt64) {
        metric(name, kind, help, [([], value)])
    }

    /// A label's value takes any text but these three characters.
    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += #"\\"#
            case "\"": text += #"\""#
            case "\n": text += #"\n"#
            default: text.append(character)
            }
        }
    }
}
