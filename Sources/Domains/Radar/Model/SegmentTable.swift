/// The origin of the last answer of each of a radar's configured sources: the model, the version of
/// the question, and the count of answers without an opinion.
///
/// Opinions of another model, or to another question, do not continue a series: a source that
/// changes begins a new segment of its radar, and its count of answers without an opinion starts
/// again. The first opinion of a source begins no segment. Pushed opinions come from no source and
/// begin no segment.
///
/// The store keeps the JSON form: the names of its keys are part of the file format.
package struct SegmentTable: Sendable, Equatable {
    /// The properties that must stay the same for opinions to be a series.
    private struct Origin: Sendable, Equatable {
        var model: String
        var promptVersion: String
    }

    private struct Entry: Sendable, Equatable {
        /// Nil before the first opinion.
        var origin: Origin?
        /// The segment with which the present origin began; nil where it was not kept.
        var since: Int?
        /// By reason.
        var noOpinions: [String: Int] = [:]
    }

    /// By the source's name.
    private var entries: [String: Entry] = [:]

    package init() {}

    /// The segment of an opinion that `source` gave with this model to this question; both are kept for
    /// the next one.
    ///
    /// - Parameter current: the radar's segment, which is the answer unless the source changed.
    package mutating func segment(
        of source: String,
        model: String,
        promptVersion: String,
        current: Int
    ) -> Int {
        let origin = Origin(model: model, promptVersion: promptVersion)
        guard let last = entries[source]?.origin else {
            entries[source, default: Entry()].origin = origin
            entries[source]?.since = current
            return current
        }
        if last == origin { return current }
        entries[source] = Entry(origin: origin, since: current + 1)
        return current + 1
    }

    /// By the name of the source, the segment with which its present model and question began.
    package var series: [String: Int] { entries.compactMapValues(\.since) }

    /// Counts an answer that held no opinion.
    package mutating func countNoOpinion(of source: String, reason: String) {
        entries[source, default: Entry()].noOpinions[reason, default: 0] += 1
    }

    /// The counts of all sources together, as in `derivePosition`.
    package var noOpinions: [String: Int] {
        entries.values.reduce(into: [:]) { $0.merge($1.noOpinions, uniquingKeysWith: +) }
    }

    /// One JSON object, the same text for the same table.
    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            for (source, entry) in entries.sorted(by: { $0.key < $1.key }) {
                json.object(source) { json in
                    json.field("model", entry.origin?.model)
                    json.field("promptVersion", entry.origin?.promptVersion)
                    if let since = entry.since { json.field("since", since) }
                    json.object("noOpinions") { json in
                        for (reason, count) in entry.noOpinions.sorted(by: { $0.key < $1.key }) {
                            json.field(reason, count)
                        }
                    }
                }
            }
        }
        return json.bytes
    }

    /// Reads the output of `json()`; nil for anything else.
    package init?(json: [UInt8]) {
        guard let sources = SegmentTable.fields(json[...]) else { return nil }
        for (source, value) in sources {
            guard let fields = SegmentTable.fields(value),
                let counts = fields["noOpinions"].flatMap(SegmentTable.fields)
            else { return nil }
            var entry = Entry()
            if let model = fields["model"].flatMap(JSONReader.string),
                let promptVersion = fields["promptVersion"].flatMap(JSONReader.string)
            {
                entry.origin = Origin(model: model, promptVersion: promptVersion)
                if let value = fields["since"] {
                    guard let since = JSONReader.integer(value).flatMap(Int.init(exactly:)) else {
                        return nil
                    }
                    entry.since = since
                }
            }
            for (reason, value) in counts {
                guard let count = JSONReader.integer(value).flatMap(Int.init(exactly:)) else {
                    return nil
                }
                entry.noOpinions[reason] = count
            }
            entries[source] = entry
        }
    }

    private static func fields(_ object: ArraySlice<UInt8>) -> [String: ArraySlice<UInt8>]? {
        guard let list = try? JSONReader.fields(of: object) else { return nil }
        return Dictionary(list.map { ($0.key, $0.value) }) { $1 }
    }
}
