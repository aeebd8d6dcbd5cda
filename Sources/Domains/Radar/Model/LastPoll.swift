/// The result of a radar's last poll.
package struct LastPoll: Sendable, Equatable {
    package var startedAt: Timestamp
    /// No source has answered.
    package var isFailed: Bool
    /// The sources without an answer, by name.
    package var failures: [String: SourceFailure]

    package init(startedAt: Timestamp, isFailed: Bool, failures: [String: SourceFailure] = [:]) {
        self.startedAt = startedAt
        self.isFailed = isFailed
        self.failures = failures
    }

    // MARK: The form of the contract

    func write(to json: inout JSONWriter, dates: DateForm) {
        json.field("startedAt", startedAt, dates)
        json.field("failed", isFailed)
        writeFailures(to: &json)
    }

    /// In the order of the names.
    func writeFailures(to json: inout JSONWriter) {
        json.array("failures") { json in
            for (source, reason) in failures.sorted(by: { $0.key < $1.key }) {
                json.object { json in
                    json.field("source", source)
                    json.field("reason", reason.rawValue)
                }
            }
        }
    }

    // MARK: The form of the store

    /// One JSON object; the names of its keys are part of the file format.
    ///
    /// The former release, which a cluster runs at the same time during an upgrade, refuses reasons
    /// added since. So an unusable answer has one of its reasons, and a list of its own.
    package func stored() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("startedAt", startedAt.milliseconds)
            json.field("failed", isFailed)
            json.object("failures") { json in
                for (source, reason) in failures.sorted(by: { $0.key < $1.key }) {
                    json.field(source, (reason == .unusable ? .failing : reason).rawValue)
                }
            }
            let unusable = failures.filter { $0.value == .unusable }.keys.sorted()
            guard !unusable.isEmpty else { return }
            json.array("unusable") { json in
                for source in unusable { json.value(source) }
            }
        }
        return json.bytes
    }

    /// Reads the output of `stored()`; nil for anything else.
    package init?(stored json: [UInt8]) {
        guard let fields = LastPoll.fields(json[...]),
            let milliseconds = fields["startedAt"].flatMap(JSONReader.integer)
                .flatMap(Int64.init(exactly:)),
            let failed = fields["failed"],
            let isFailed = Bool(String(decoding: failed, as: UTF8.self)),
            let reasons = fields["failures"].flatMap(LastPoll.fields)
        else { return nil }
        startedAt = Timestamp(milliseconds: milliseconds)
        self.isFailed = isFailed
        failures = [:]
        for (source, value) in reasons {
            guard let reason = JSONReader.string(value).flatMap(SourceFailure.init(rawValue:))
            else { return nil }
            failures[source] = reason
        }
        guard let unusable = fields["unusable"] else { return }
        guard let sources = try? JSONReader.elements(of: unusable) else { return nil }
        for source in sources {
            guard let name = JSONReader.string(source), failures[name] != nil else { return nil }
            failures[name] = .unusable
        }
    }

    private static func fields(_ object: ArraySlice<UInt8>) -> [String: ArraySlice<UInt8>]? {
        guard let list = try? JSONReader.fields(of: object) else { return nil }
        return Dictionary(list.map { ($0.key, $0.value) }) { $1 }
    }
}
