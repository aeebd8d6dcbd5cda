import Foundation

/// Decodes answers as the film app does, and refuses values that the document excludes although a type
/// takes them.
package enum AppDecoder {
    /// - Throws: what the app would make of it, and for a date or an average out of its form.
    package static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: [UInt8]
    ) throws -> Value {
        try check(try JSONSerialization.jsonObject(with: Data(bytes)))
        return try JSONDecoder().decode(type, from: Data(bytes))
    }

    private static let dateKeys: Set<String> = ["timestamp", "last_updated", "last_active"]
    /// 0 only where nothing was rated.
    private static let averageKeys: Set<String> = [
        "average", "friend_ratings_avg", "average_rating_given",
    ]

    private static func check(_ value: Any) throws {
        if let array = value as? [Any] { try array.forEach(check) }
        guard let object = value as? [String: Any] else { return }
        for (key, value) in object {
            try check(value)
            if value is NSNull { continue }
            try check(key, value)
        }
    }

    private static func check(_ key: String, _ value: Any) throws {
        if dateKeys.contains(key) {
            try require(key, value) { isForm("0000-00-00T00:00:00Z", $0) && isDate($0) }
        } else if key == "release_date" {
            try require(key, value) { isForm("0000-00-00", $0) && isDate($0 + "T00:00:00Z") }
        } else if key == "poster_url" || key == "movie_poster" || key == "avatar_url" {
            try require(key, value) { $0.hasPrefix("https://") || $0.hasPrefix("http://") }
        } else if key == "rating", let number = value as? Double {
            guard (1...5).contains(number) else { throw AppRefusal("\(key): \(number)") }
        } else if averageKeys.contains(key) {
            guard let number = value as? Double, number == 0 || (1...5).contains(number) else {
                throw AppRefusal("\(key): \(value)")
            }
        }
    }

    private static func require(
        _ key: String,
        _ value: Any,
        _ isGood: (String) -> Bool
    ) throws {
        guard let text = value as? String, isGood(text) else {
            throw AppRefusal("\(key): \(value) is not of the document's form")
        }
    }

    private static func isForm(_ form: String, _ text: String) -> Bool {
        text.utf8.count == form.utf8.count
            && zip(text.utf8, form.utf8).allSatisfy { byte, example in
                example == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == example
            }
    }

    private static func isDate(_ text: String) -> Bool {
        // Foundation takes February 29th of any year, for March 1st.
        (try? Date(text, strategy: .iso8601))?.formatted(.iso8601) == text
    }
}

/// What the app would drop.
package struct AppRefusal: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
