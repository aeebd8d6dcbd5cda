/// A fact of one domain, with the attributes that CloudEvents 1.0 gives it.
///
/// An event becomes a `Publication` when the store has committed it and given it an offset.
package struct Event: Sendable, Equatable {
    /// Unique within `source`; see `uuidVersion7`.
    package var id: String
    /// Dotted and in lower case, such as `aurora.alert.raised`.
    package var type: String
    /// A URI reference that names the producer, such as `/aurora`.
    package var source: String
    /// The subject of the event within the source, such as a place or a radar.
    package var subject: String?
    package var time: Timestamp
    /// One JSON value as text; not checked here.
    package var data: [UInt8]

    package init(
        id: String,
        type: String,
        source: String,
        subject: String?,
        time: Timestamp,
        data: [UInt8]
    ) {
        self.id = id
        self.type = type
        self.source = source
        self.subject = subject
        self.time = time
        self.data = data
    }

    /// The event in CloudEvents' structured JSON form; `subject` is left out when there is none.
    ///
    /// Source: CloudEvents 1.0.2 §3.1, JSON event format §3.
    ///
    /// - Parameter addExtensions: adds extension attributes, whose names are lower-case letters and digits.
    package func cloudEvent(
        _ addExtensions: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("specversion", "1.0")
            $0.field("id", id)
            $0.field("source", source)
            $0.field("type", type)
            if let subject { $0.field("subject", subject) }
            $0.field("time", time.iso8601)
            $0.field("datacontenttype", "application/json")
            addExtensions(&$0)
            $0.raw("data", data)
        }
        return json.bytes
    }
}
