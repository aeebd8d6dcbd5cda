/// The form of instants in JSON texts.
///
/// Both forms are whole seconds, rounded down here and nowhere else: the app's decoder refuses the
/// fractions of ISO 8601 on Apple's systems, and a radar's two forms name the same instant.
package enum DateForm: Sendable {
    /// `"2026-01-02T10:00:00Z"`: answers of routes, and events.
    case iso8601Seconds
    /// Seconds since 2001-01-01T00:00:00Z as a number, the default of Swift's decoder: messages of
    /// the app's own socket.
    case sinceReferenceDate

    /// 2001-01-01T00:00:00Z, in seconds since 1970.
    private static let referenceSeconds: Int64 = 978_307_200

    fileprivate func write(_ key: String, _ instant: Timestamp, to json: inout JSONWriter) {
        switch self {
        case .iso8601Seconds:
            json.field(key, instant.iso8601Seconds)
        case .sinceReferenceDate:
            json.field(key, instant.wholeSeconds - DateForm.referenceSeconds)
        }
    }
}

extension JSONWriter {
    mutating func field(_ key: String, _ instant: Timestamp, _ form: DateForm) {
        form.write(key, instant, to: &self)
    }
}
