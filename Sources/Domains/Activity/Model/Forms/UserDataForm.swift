/// The answer of `GET /users/me/data`.
///
/// - Parameters:
///   - sections: names, and JSON objects.
///   - next: the `after` for the next part; nil for the last part.
package func userDataAnswer(
    userID: Int,
    at time: Timestamp,
    sections: [(name: String, rows: [[UInt8]])],
    next: String?
) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
        json.field("user_id", userID)
        json.field("exported_at", time.iso8601Seconds)
        json.object("sections") { json in
            for section in sections {
                json.array(section.name) { json in
                    for row in section.rows { json.raw(row) }
                }
            }
        }
        json.field("next", next)
    }
    return json.bytes
}
