import Foundation

/// Decodes answers as the apps do, and refuses what Foundation on Linux takes although Apple's does
/// not.
package enum AppDecoder {
    /// As the client of `/v1` decodes: a decoder as it is made.
    ///
    /// - Throws: what the app would make of it, and for a date that is not in whole seconds of UTC.
    package static func aggregator<Value: Decodable>(
        _ type: Value.Type,
        from bytes: [UInt8]
    ) throws -> Value {
        try checkDates(in: bytes)
        return try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// As a client of NewsAPI decodes: dates are ISO 8601.
    package static func stories<Value: Decodable>(
        _ type: Value.Type,
        from bytes: [UInt8]
    ) throws -> Value {
        try checkDates(in: bytes)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(bytes))
    }

    private static let dateKeys: Set<String> = [
        "published_at", "created_at", "generated_at", "updated_at", "at", "publishedAt",
        "generatedAt",
    ]

    /// Every date, however deep it is, must be `2026-01-02T10:00:00Z` or null.
    private static func checkDates(in bytes: [UInt8]) throws {
        try check(try JSONSerialization.jsonObject(with: Data(bytes)))
    }

    private static func check(_ value: Any) throws {
        if let array = value as? [Any] { try array.forEach(check) }
        guard let object = value as? [String: Any] else { return }
        for (key, value) in object {
            try check(value)
            guard dateKeys.contains(key), !(value is NSNull) else { continue }
            guard let text = value as? String, isWholeSeconds(text) else {
                throw AppRefusal("\(key): \(value) is no date in whole seconds of UTC")
            }
        }
    }

    private static func isWholeSeconds(_ text: String) -> Bool {
        let form = "0000-00-00T00:00:00Z"
        let hasForm =
            text.utf8.count == form.utf8.count
            && zip(text.utf8, form.utf8).allSatisfy { byte, example in
                example == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == example
            }
        return hasForm && (try? Date(text, strategy: .iso8601)) != nil
    }
}

/// What the app's platform would refuse.
package struct AppRefusal: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
