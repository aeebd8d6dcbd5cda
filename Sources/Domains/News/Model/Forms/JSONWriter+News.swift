extension JSONWriter {
    /// `2026-01-02T10:00:00Z`. Both apps read whole seconds only: Apple's ISO 8601 decoder refuses
    /// a fraction.
    mutating func instant(_ key: String, _ instant: Timestamp) {
        field(key, instant.iso8601Seconds)
    }

    mutating func instant(_ key: String, orNull instant: Timestamp?) {
        field(key, instant?.iso8601Seconds)
    }

    mutating func textArray(_ key: String, _ texts: some Sequence<String>) {
        array(key) { json in texts.forEach { json.value($0) } }
    }

    mutating func integer(_ key: String, orNull number: Int?) {
        guard let number else { return null(key) }
        field(key, number)
    }
}

/// The bytes of one JSON object.
func newsJSON(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.object(body)
    return json.bytes
}

/// A score of the apps: an integer from 0 to 100, whatever was computed.
func percentShown(_ score: Int) -> Int {
    min(max(score, 0), 100)
}
