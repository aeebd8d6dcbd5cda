extension Page {
    /// The envelope of every list: the items under a name of their own, and the data for the next
    /// page.
    ///
    /// - Parameter beside: writes the fields that only this list has; between the items and the
    ///   numbers.
    func json(
        _ name: String,
        item: (inout JSONWriter, Item) -> Void,
        beside: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.array(name) { json in
                for each in items { json.object { item(&$0, each) } }
            }
            beside(&json)
            json.field("total_count", totalCount)
            json.field("limit", range.limit)
            json.field("offset", range.offset)
            json.field("has_more", hasMore)
        }
        return json.bytes
    }
}

/// The answer of a request that has nothing to show: `{"success":true}`.
package func successAnswer() -> [UInt8] {
    successJSON { _ in }
}

func successJSON(_ fields: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
        json.field("success", true)
        fields(&json)
    }
    return json.bytes
}

/// An average as apps show it: in hundredths, and within the 1 to 5 stars of the app's type. Imported ratings
/// begin with half a star.
func averageShown(_ stars: Double) -> Double {
    let range = ActivityLimits.stars
    let hundredths = (stars * 100).rounded() / 100
    return min(max(hundredths, Double(range.lowerBound)), Double(range.upperBound))
}

extension JSONWriter {
    mutating func strings(_ key: String, _ texts: [String]) {
        array(key) { json in texts.forEach { json.value($0) } }
    }

    /// The number, or null.
    mutating func field(_ key: String, _ number: Int?) {
        guard let number else { return null(key) }
        field(key, number)
    }
}
