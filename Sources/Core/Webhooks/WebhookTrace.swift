/// The trace of a message: the attribute `traceparent` of its CloudEvent (extension "Distributed Tracing").
///
/// The outbox stores it with the body, so it survives a restart, and messages without a trace take no more
/// room.
///
/// - Returns: nil for a body without the attribute, and with one that cannot be read.
package func webhookTrace(of body: [UInt8]) -> TraceParent? {
    guard let fields = try? JSONReader.fields(of: body[...]),
        let field = fields.first(where: { $0.key == TraceParent.name })
    else { return nil }
    return JSONReader.string(field.value).flatMap { TraceParent($0) }
}

extension TraceParent {
    /// A CloudEvent with this trace, as its second attribute: readers recognise a CloudEvent by the first. One
    /// that names a trace stays as it is.
    package func added(toCloudEvent payload: [UInt8]) -> [UInt8] {
        guard let fields = try? JSONReader.fields(of: payload[...]), let first = fields.first,
            !fields.contains(where: { $0.key == TraceParent.name })
        else { return payload }
        let end = first.value.endIndex
        return payload[..<end] + Array(",\"\(TraceParent.name)\":\"\(self)\"".utf8)
            + payload[end...]
    }
}
