import Core

/// A reader of Prometheus' text format 0.0.4, as strict as its documentation: what it takes, a scraper does.
package struct Exposition {
    package struct Sample: Equatable {
        package var name: String
        package var labels: [String: String]
        package var value: Double
    }

    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }

    package struct Family {
        package var name: String
        package var type: String
        package var help: String
        package var samples: [Sample] = []
    }

    package private(set) var families: [Family] = []

    /// - Throws: `Problem`, at the first line that breaks a rule.
    package init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Problem(description: "no line feed at the end") }
        // Not `split(separator:)` by character: CR LF would be one.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map { String(String.UnicodeScalarView($0)) }
        var help: (name: String, text: String)?
        for line in lines {
            if line.hasPrefix("# HELP ") {
                guard help == nil else { throw Problem(description: "help without type: \(line)") }
                let words = line.dropFirst(7).split(separator: " ", maxSplits: 1)
                guard words.count == 2 else { throw Problem(description: "no help: \(line)") }
                help = (String(words[0]), String(words[1]))
            } else if line.hasPrefix("# TYPE ") {
                let words = line.dropFirst(7).split(separator: " ").map(String.init)
                guard words.count == 2, let found = help, words[0] == found.name else {
                    throw Problem(description: "type without help: \(line)")
                }
                guard !families.contains(where: { $0.name == words[0] }) else {
                    throw Problem(description: "twice: \(words[0])")
                }
                guard ["counter", "gauge", "histogram"].contains(words[1]) else {
                    throw Problem(description: "unknown type: \(line)")
                }
                families.append(Family(name: words[0], type: words[1], help: found.text))
                help = nil
            } else {
                try add(try Exposition.sample(line))
            }
        }
        for family in families { try check(family) }
    }

    package subscript(name: String) -> Family? { families.first { $0.name == name } }

    package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        families.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
    }

    private mutating func add(_ sample: Sample) throws {
        guard let family = families.last else {
            throw Problem(description: "sample without a type: \(sample.name)")
        }
        let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { family.name + $0 == sample.name }) else {
            throw Problem(description: "\(sample.name) under \(family.name)")
        }
        guard
            !family.samples.contains(where: {
                $0.name == sample.name && $0.labels == sample.labels
            })
        else { throw Problem(description: "twice: \(sample)") }
        families[families.count - 1].samples.append(sample)
    }

    private func check(_ family: Family) throws {
        if family.type == "counter", !family.name.hasSuffix("_total") {
            throw Problem(description: "counter without _total: \(family.name)")
        }
        guard family.type == "histogram" else { return }
        // One histogram for each set of other labels.
        let histograms = Dictionary(grouping: family.samples) { sample in
            sample.labels.filter { $0.key != "le" }
        }
        for samples in histograms.values { try check(family.name, samples) }
    }

    private func check(_ name: String, _ samples: [Sample]) throws {
        let buckets = samples.filter { $0.name.hasSuffix("_bucket") }
        let bounds = try buckets.map { sample in
            guard let bound = sample.labels["le"].flatMap({ $0 == "+Inf" ? .infinity : Double($0) })
            else { throw Problem(description: "no bound: \(sample)") }
            return bound
        }
        let counts = buckets.map(\.value)
        guard bounds == Set(bounds).sorted(), bounds.last == .infinity else {
            throw Problem(description: "bounds of \(name): \(bounds)")
        }
        guard counts == counts.sorted() else {
            throw Problem(description: "buckets of \(name) fall: \(counts)")
        }
        let count = samples.first { $0.name == name + "_count" }?.value
        guard count == counts.last, samples.contains(where: { $0.name.hasSuffix("_sum") })
        else { throw Problem(description: "count of \(name): \(String(describing: count))") }
    }

    // MARK: One line

    private static func sample(_ line: String) throws -> Sample {
        var rest = line[...]
        let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == ":" })
        guard let first = name.first, !first.isNumber else {
            throw Problem(description: "no name: \(line)")
        }
        rest = rest.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let label = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
                rest = rest.dropFirst(label.count)
                guard !label.isEmpty, rest.hasPrefix("=\"") else {
                    throw Problem(description: "no label: \(line)")
                }
                rest = rest.dropFirst(2)
                guard labels.updateValue(try quoted(&rest), forKey: label) == nil else {
                    throw Problem(description: "label twice: \(line)")
                }
                if rest.first == "," { rest = rest.dropFirst() }
            }
            rest = rest.dropFirst()
        }
        guard rest.first == " ", let value = Double(rest.dropFirst()) else {
            throw Problem(description: "no value: \(line)")
        }
        return Sample(name: name, labels: labels, value: value)
    }

    /// Up to and with the closing quote.
    private static func quoted(_ rest: inout Substring) throws -> String {
        var value = String.UnicodeScalarView()
        var scalars = rest.unicodeScalars
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"":
                rest = Substring(scalars)
                return String(value)
            case "\\":
                switch scalars.popFirst() {
                case "\\": value.append("\\")
                case "\"": value.append("\"")
                case "n": value.append("\n")
                default: throw Problem(description: "unknown escape")
                }
            default: value.append(scalar)
            }
        }
        throw Problem(description: "no closing quote")
    }
}

extension MetricsRegistry {
    /// What a scraper is told at this moment.
    package func exposition() async throws -> Exposition { try Exposition(await text()) }
}
