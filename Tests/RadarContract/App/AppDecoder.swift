import Foundation

/// Reads one text as the app does, and refuses what the app would drop, fail at or show wrongly.
///
/// It is stricter than Foundation on Linux in two points. Under `.iso8601` that one takes seconds with
/// a fraction, which Foundation on Apple's systems refuses. And a number is a date whatever it counts
/// from: the one of an update that counts from 1970 would be thirty-one years ahead.
package struct AppDecoder: Sendable {
    /// What time it is; nothing the app is told comes from later, up to the allowance.
    package let now: Date

    /// Seconds by which clocks may differ.
    private static let clockAllowance: TimeInterval = 60
    /// No radar is as old.
    private static let earliest = Date(timeIntervalSince1970: 1_577_836_800)  // 2020

    package init(now: Date) {
        self.now = now
    }

    /// What the app has of `text`, in JSON again: the same values, without what the app ignores.
    /// - Throws: What the app can't make of it.
    package func decode(_ text: String, as kind: TranscriptItem.Kind) throws(AppDrop) -> String {
        switch kind {
        case .radar: try answer(text, as: AppRadar.self)
        case .radars: try answer(text, as: [AppRadar].self)
        case .opinion: try answer(text, as: AppOpinion.self)
        case .opinions: try answer(text, as: [AppOpinion].self)
        case .trend: try trend(text)
        case .interpretation: try answer(text, as: AppInterpretation.self)
        case .error: try error(text)
        case .empty: try empty(text)
        case .update: try update(text)
        }
    }

    // Answers over HTTP: dates are texts.

    private func answer<Value: Codable>(
        _ text: String,
        as type: Value.Type
    ) throws(AppDrop) -> String {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let value = try decode(text, as: type, decoder)
        decoder.dateDecodingStrategy = .custom { try date(from: $0) }
        _ = try decode(text, as: type, decoder)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return try encode(value, encoder)
    }

    /// The app draws the points as they come, one for each day.
    private func trend(_ text: String) throws(AppDrop) -> String {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let days = try decode(text, as: AppTrend.self, decoder).data.map(\.date)
        let secondsOfDay = 86_400.0
        for (day, next) in zip(days, days.dropFirst())
        where next.timeIntervalSince(day) != secondsOfDay {
            throw AppDrop("data: the day after \(day) is \(next)")
        }
        if let day = days.first, day.timeIntervalSince1970.remainder(dividingBy: secondsOfDay) != 0
        {
            throw AppDrop("data: \(day) is no midnight")
        }
        return try answer(text, as: AppTrend.self)
    }

    /// The app can do without a code; the contract can't.
    private func error(_ text: String) throws(AppDrop) -> String {
        let error = try decode(text, as: AppError.self, JSONDecoder())
        guard error.code?.isEmpty == false else { throw AppDrop("code: there is none") }
        return try encode(error, JSONEncoder())
    }

    /// Foundation makes an empty value of anything; the contract's is an object without keys.
    private func empty(_ text: String) throws(AppDrop) -> String {
        let keys = try decode(text, as: [String: AppEmpty].self, JSONDecoder()).keys
        guard keys.isEmpty else { throw AppDrop("keys \(keys.sorted()) in an empty answer") }
        return "{}"
    }

    // Messages of the socket: dates are numbers, and the decoder is as it was made.

    private func update(_ text: String) throws(AppDrop) -> String {
        let decoder = JSONDecoder()
        let update = try decode(text, as: AppUpdate.self, decoder)
        let isOfItsType =
            switch update.data {
            case .opinion: update.type == .newOpinion
            case .position: update.type == .positionChange
            case .radar: update.type == .refresh
            }
        guard isOfItsType else { throw AppDrop("type: \(update.type) with other data") }
        decoder.dateDecodingStrategy = .custom { decoder in
            try plausible(Date(from: decoder), decoder)
        }
        _ = try decode(text, as: AppUpdate.self, decoder)
        return try encode(update, JSONEncoder())
    }

    // Both

    /// A date as every platform's `.iso8601` takes it: `2026-01-02T10:00:00Z`.
    private func date(from decoder: any Decoder) throws -> Date {
        let text = try decoder.singleValueContainer().decode(String.self)
        let form = "0000-00-00T00:00:00Z"
        let isOfThatForm =
            text.utf8.count == form.utf8.count
            && zip(text.utf8, form.utf8).allSatisfy { byte, example in
                example == UInt8(ascii: "0")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == example
            }
        guard isOfThatForm, let date = try? Date(text, strategy: .iso8601) else {
            throw refusal("\(text) is no date in whole seconds of UTC", decoder)
        }
        return try plausible(date, decoder)
    }

    private func plausible(_ date: Date, _ decoder: any Decoder) throws -> Date {
        let latest = now.addingTimeInterval(AppDecoder.clockAllowance)
        guard (AppDecoder.earliest...latest).contains(date) else {
            throw refusal("\(date) can't be", decoder)
        }
        return date
    }

    private func refusal(_ reason: String, _ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
    }

    private func decode<Value: Decodable>(
        _ text: String,
        as type: Value.Type,
        _ decoder: JSONDecoder
    ) throws(AppDrop) -> Value {
        do {
            return try decoder.decode(type, from: Data(text.utf8))
        } catch {
            throw AppDrop(error)
        }
    }

    private func encode(
        _ value: some Encodable,
        _ encoder: JSONEncoder
    ) throws(AppDrop) -> String {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw AppDrop(error)
        }
    }
}

/// Why the app would drop a text.
package struct AppDrop: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// Of what a decoder throws: where, and what is wrong there.
    init(_ error: any Error) {
        guard let error = error as? DecodingError else {
            self.init("\(error)")
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            self.init("\(place(context.codingPath + [key])): there is none")
        case .typeMismatch(let type, let context):
            self.init("\(place(context.codingPath)): no \(type)")
        case .valueNotFound(let type, let context):
            self.init("\(place(context.codingPath)): null where \(type) is needed")
        case .dataCorrupted(let context):
            self.init("\(place(context.codingPath)): \(context.debugDescription)")
        @unknown default:
            self.init("\(error)")
        }
    }
}

/// `data.opinion._0.createdAt`, `opinions[3].id`.
private func place(_ path: [any CodingKey]) -> String {
    let parts = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
    let text = parts.joined().drop { $0 == "." }
    return text.isEmpty ? "the text" : String(text)
}
