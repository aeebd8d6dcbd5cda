import Core
import Foundation
import FuzzKit

extension FuzzTarget {
    static let textTargets = [
        FuzzTarget("json-reader", lengthMax: 1024, dictionary: "json") { try checkJSON($0) },
        FuzzTarget("json-writer", lengthMax: 256, dictionary: "json") { try checkWriter($0) },
        FuzzTarget("alert-expression", lengthMax: 1100, dictionary: "alert") {
            try checkExpression($0)
        },
        FuzzTarget("times", lengthMax: 64, dictionary: "http") { try checkTimes($0) },
        FuzzTarget("zone-file", lengthMax: 4096, dictionary: "zone") { try checkZone($0) },
        FuzzTarget("webhook-signature", lengthMax: 1024, dictionary: "http") {
            try checkSignature($0)
        },
        FuzzTarget("webhook-url", lengthMax: 256, dictionary: "http") { try checkURL($0) },
    ]
}

/// An object or an array, or an error; and what Foundation thinks of the same text.
private func checkJSON(_ bytes: [UInt8]) throws {
    let isAccepted: Bool
    if bytes.contains(UInt8(ascii: "{")), let fields = try? JSONReader.fields(of: bytes[...]) {
        isAccepted = true
        for (_, value) in fields { try checkValue(value) }
    } else if let elements = try? JSONReader.elements(of: bytes[...]) {
        isAccepted = true
        for value in elements { try checkValue(value) }
    } else {
        isAccepted = false
    }
    // Foundation guesses the encoding from a mark or from zeros at the begin.
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0),
        !text.unicodeScalars.contains("\u{FEFF}")
    else { return }
    let reference = try? JSONSerialization.jsonObject(with: Data(bytes))
    if isAccepted {
        // Lone surrogates are left to the reader of the string, large numbers to that of the number.
        let isBeyondFoundation =
            text.contains("\\u") || text.contains { "eE".contains($0) }
            || text.utf8.count { (0x30...0x39).contains($0) } > 15
        try expect(isBeyondFoundation || reference != nil, "accepted \(text)")
    } else if reference is [Any] || reference is [String: Any] {
        let depth = bytes.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        let isTolerated = hasTrailingComma(bytes) || depth > JSONReader.depthMax
        try expect(isTolerated, "refused \(text)")
    }
}

/// Foundation takes a comma in front of a bracket; RFC 8259 does not.
private func hasTrailingComma(_ bytes: [UInt8]) -> Bool {
    let dense = bytes.filter { $0 > 0x20 }
    let closing = [UInt8(ascii: "]"), UInt8(ascii: "}")]
    return zip(dense, dense.dropFirst()).contains {
        $0 == UInt8(ascii: ",") && closing.contains($1)
    }
}

/// A value stands without space, and read once more it is one value.
private func checkValue(_ value: ArraySlice<UInt8>) throws {
    let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    try expect(value.first.map { !space.contains($0) } == true, "space before \(value)")
    try expect(value.last.map { !space.contains($0) } == true, "space behind \(value)")
    let again = try JSONReader.elements(of: Array("[".utf8) + value + Array("]".utf8))
    try expect(again.map(Array.init) == [Array(value)], "\(value) reads as \(again)")
    if let text = JSONReader.string(value) {
        var writer = JSONWriter()
        writer.value(text)
        try expect(JSONReader.string(writer.bytes[...]) == text, "\(text) is not read back")
    }
    _ = JSONReader.integer(value)
}

/// Any text and number that is written can be read, by us and by Foundation.
private func checkWriter(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let pattern = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    var writer = JSONWriter()
    writer.object {
        $0.field(text, text)
        $0.field("number", Double(bitPattern: pattern))
        $0.field("integer", pattern)
    }
    let fields = try JSONReader.fields(of: writer.bytes[...])
    try expect(fields.map(\.key) == [text, "number", "integer"], "keys \(fields.map(\.key))")
    try expect(JSONReader.string(fields[0].value) == text, "text")
    try expect(JSONReader.integer(fields[2].value) == pattern, "integer")
    try expect(!writer.bytes.contains { $0 < 0x20 }, "a control character")
    let number = Double(bitPattern: pattern)
    let read = Double(String(decoding: fields[1].value, as: UTF8.self))
    try expect(read == (number.isFinite ? number : nil), "\(number) reads as \(read ?? .nan)")
    _ = try JSONSerialization.jsonObject(with: Data(writer.bytes))
}

/// A condition that can be evaluated and explained whatever the fields are, or a column and why.
private func checkExpression(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let expression: AlertExpression
    do throws(AlertExpressionError) {
        expression = try AlertExpression(text)
    } catch {
        let length = text.unicodeScalars.count
        try expect((1...length + 1).contains(error.column), "column \(error.column) of \(length)")
        try expect(!error.message.isEmpty, "no reason")
        return
    }
    try expect(text.unicodeScalars.count <= AlertExpression.lengthMax, "length over its limit")
    try expect(!expression.fieldNames.isEmpty, "a condition on nothing")
    let names = expression.fieldNames
    let fields: [[String: AlertValue]] = [
        [:],
        Dictionary(uniqueKeysWithValues: names.map { ($0, .number(-1.5)) }),
        Dictionary(uniqueKeysWithValues: names.map { ($0, .number(.nan)) }),
        Dictionary(uniqueKeysWithValues: names.map { ($0, .text("\"\\")) }),
    ]
    for fields in fields {
        let holds = expression.evaluate(fields)
        try expect(expression.evaluate(fields) == holds, "twice is not the same")
        try expect(!expression.explain(fields).isEmpty, "nothing to explain")
    }
    let again = try AlertExpression(expression.description)
    try expect(again.fieldNames == names, "names \(again.fieldNames), not \(names)")
}

/// An instant or nil; an instant written is the same when it is read again.
private func checkTimes(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let now = Timestamp(milliseconds: 1_766_314_800_000)
    // The texts have four digits for the year; a zone can move the first and last beyond them.
    let written =
        Timestamp(milliseconds: -62_167_219_200_000)..<Timestamp(milliseconds: 253_402_300_800_000)
    if let time = Timestamp(iso8601: text), written.contains(time) {
        try expect(Timestamp(iso8601: time.iso8601) == time, "\(text) as \(time.iso8601)")
        try expect(time.iso8601.hasPrefix(time.iso8601Date), "date \(time.iso8601Date)")
    }
    if let time = Timestamp(httpDate: text) {
        try expect(Timestamp(httpDate: time.httpDate) == time, "\(text) as \(time.httpDate)")
    }
    if let delay = retryDelay(text, now: now, waitMax: .seconds(3600)) {
        try expect((.zero ... .seconds(3600)).contains(delay), "delay \(delay)")
    }
}

/// No zone is more than 26 hours away from UTC at any time, also before its first and after its last change.
private func checkZone(_ bytes: [UInt8]) throws {
    let zone: ClockZone
    do throws(ZoneFileError) { zone = try ClockZone(name: "A/B", file: bytes) } catch { return }
    for year in [-100, 0, 26, 56, 1026] {
        let time = Timestamp(milliseconds: Int64(year) * 31_556_952_000)
        let hours = zone.offset(at: time).inSeconds / 3600
        try expect(abs(hours) < 27, "offset of \(hours) h in year \(1970 + year)")
        let shown = zone.first(showing: time)
        try expect(abs((shown - time).inSeconds) < 27 * 3600, "shown at \(shown.iso8601)")
    }
}

/// Only the right signature is believed. The lines are id, timestamp, signatures; the rest is the
/// body.
private func checkSignature(_ bytes: [UInt8]) throws {
    let parts = bytes.split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
    let texts = (0..<3).map { index in
        index < parts.count ? String(decoding: parts[index], as: UTF8.self) : ""
    }
    let body = parts.count > 3 ? Array(parts[3]) : []
    let secret = WebhookSecret(key: Array(repeating: 7, count: 24))
    let now = Timestamp(milliseconds: 1_766_314_800_000)
    do throws(WebhookVerificationError) {
        try verifyWebhook(
            id: texts[0],
            timestamp: texts[1],
            signatures: texts[2],
            body: body,
            secrets: [secret],
            now: now
        )
    } catch {
        try checkDescription(error.description)
        guard isWebhookID(texts[0]) else { return }
        return try checkOwnSignature(id: texts[0], body: body, secret: secret, now: now)
    }
    let seconds = Int64(texts[1]) ?? 0
    let signature = secret.signature(id: texts[0], timestamp: seconds, body: body)
    try expect(texts[2].contains(signature), "believed \(texts[2]), not \(signature)")
}

/// What we sign ourselves is believed.
private func checkOwnSignature(
    id: String,
    body: [UInt8],
    secret: WebhookSecret,
    now: Timestamp
) throws {
    let seconds = now.wholeSeconds
    try verifyWebhook(
        id: id,
        timestamp: String(seconds),
        signatures: secret.signature(id: id, timestamp: seconds, body: body),
        body: body,
        secrets: [secret],
        now: now
    )
}

/// A URL that is the same when it is written and read again, and that nobody reads as another; or why not.
private func checkURL(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let url: WebhookURL
    do throws(WebhookURLError) { url = try WebhookURL(text) } catch {
        return try checkDescription(error.description)
    }
    try expect(try WebhookURL(url.text) == url, "\(text) as \(url.text)")
    try expect(url.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(url.text)")
    try expect((1...65_535).contains(url.port), "port \(url.port)")
    if case .name(let name) = url.host {
        var address = in_addr()
        try expect(inet_aton(name, &address) == 0, "\(name) is taken for an address")
    }
    let reference = URLComponents(string: url.text)
    let expected = url.hostText.filter { $0 != "[" && $0 != "]" }
    let found = reference?.encodedHost?.filter { $0 != "[" && $0 != "]" }
    try expect(found == expected, "Foundation reads \(found ?? "none")")
    try expect(reference?.user == nil, "user info in \(url.text)")
}
