/// The origin of a score: every factor with its inputs, their sources and ages, and the missing
/// inputs.
package struct Explanation: Hashable, Sendable {
    /// A number used by the derivation.
    package struct Input: Hashable, Sendable {
        package var name: String
        /// Nil when it is missing.
        package var value: Double?
        package var unit: String
        /// The upstream product, or `computed`.
        package var source: String
        /// When it was measured or issued, by the data's own word.
        package var time: Timestamp?
        /// The time to which it applies, if that is not `time`.
        package var validFor: Timestamp?
        package var age: Duration?
        /// Too old to count: shown here, not used.
        package var isStale = false
        /// Carried over a gap, or a forecast in place of a measurement.
        package var isHeld = false

        /// The value, unless it is too old.
        package var usable: Double? { isStale ? nil : value }
    }

    package let place: Place
    package let time: Timestamp
    package let inputs: [Input]
    package let score: Score
    package let level: Level
    package let previousLevel: Level?
    package let bounds: LevelBounds
    package let confidence: ConfidenceEstimate
    /// SWPC's statements in addition to the numbers; not part of the score.
    package let advisory: Advisory

    package func input(_ name: String) -> Input? {
        inputs.first { $0.name == name }
    }

    /// The names of inputs without a value.
    package var missing: [String] { inputs.filter { $0.value == nil }.map(\.name) }
    /// The names of inputs that are too old.
    package var stale: [String] { inputs.filter { $0.value != nil && $0.isStale }.map(\.name) }

    /// One JSON object.
    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { write(to: &$0) }
        return json.bytes
    }

    private func write(to json: inout JSONWriter) {
        json.field("place", place.id)
        json.field("time", time.iso8601)
        json.field("score", score.value)
        json.object("level") {
            $0.field("value", level.rawValue)
            $0.field("previous", previousLevel?.rawValue)
            $0.object("bounds") { json in
                json.field("low", bounds.low)
                json.field("moderate", bounds.moderate)
                json.field("good", bounds.good)
                json.field("excellent", bounds.excellent)
                json.field("leave_margin", bounds.leaveMargin)
            }
        }
        json.field("limiting_factor", score.limitingFactor.rawValue)
        json.object("factors") { writeFactors(to: &$0) }
        json.object("confidence") { writeConfidence(to: &$0) }
        json.array("inputs") { json in
            for input in inputs { json.object { input.write(to: &$0) } }
        }
        json.array("missing") { json in missing.forEach { json.value($0) } }
        json.array("stale") { json in stale.forEach { json.value($0) } }
        advisory.write(to: &json)
    }

    private func writeFactors(to json: inout JSONWriter) {
        json.object("activity") {
            $0.field("value", score.activity)
            $0.field("bound", score.bound)
            $0.array("parts") { json in
                writePart("ovation", score.ovation, Score.ovationWeight, to: &json)
                writePart("coupling", score.coupling, Score.couplingWeight, to: &json)
                writePart("kp", score.kp, Score.kWeight, to: &json)
            }
        }
        json.object("darkness") {
            $0.field("value", score.darkness)
            $0.field("input", "sun_elevation")
        }
        json.object("clear_sky") {
            $0.field("value", score.clearSky)
            $0.field("input", "cloud_coverage")
        }
    }

    /// `weight` is the part's weight when all are there, `share` its weight among those that are.
    private func writePart(
        _ name: String,
        _ value: Double?,
        _ weight: Double,
        to json: inout JSONWriter
    ) {
        json.object {
            $0.field("input", name)
            $0.field("value", value)
            $0.field("weight", weight)
            $0.field("share", value == nil ? 0 : weight / score.weight)
        }
    }

    private func writeConfidence(to json: inout JSONWriter) {
        json.field("value", confidence.value)
        json.array("terms") { json in
            for term in confidence.terms {
                json.object {
                    $0.field("input", term.name)
                    $0.field("value", term.value)
                    $0.field("weight", term.weight)
                    $0.field("quality", term.quality)
                    $0.field("time_constant_seconds", term.timeConstant.inSeconds)
                }
            }
        }
        json.field("cloud_factor", confidence.cloudFactor)
        json.field("certain_no", confidence.certainNo)
    }
}

extension Explanation.Input {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("name", name)
        json.field("value", value)
        json.field("unit", unit)
        json.field("source", source)
        json.field("time", time?.iso8601)
        json.field("valid_for", validFor?.iso8601)
        json.field("age_seconds", age?.inSeconds)
        json.field("is_stale", isStale)
        json.field("is_held", isHeld)
    }
}
