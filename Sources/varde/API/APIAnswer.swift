import CommandKit

/// Decodes the answers of a hub's API.
enum APIAnswer {
    /// Returns the `result`, unchanged.
    ///
    /// - Throws: `Failure` for any other answer.
    static func result(status: Int, body: [UInt8]) throws -> [UInt8] {
        guard status == 200 else { throw Failure(refusal(status, body)) }
        let fields = APIFields(body[...])
        if let result = fields?.json("result") { return Array(result) }
        guard let error = fields?.object("error"), let code = error.number("code") else {
            throw Failure("what answers is not a hub's API")
        }
        let reason = error.text("message").map { TerminalText.oneLine($0) }
        throw Failure("refused: \(reason ?? "no reason given") (\(code))")
    }

    private static func refusal(_ status: Int, _ body: [UInt8]) -> String {
        let lengthMax = 200
        let line = String(decoding: body.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let reason = TerminalText.oneLine(String(line.prefix(lengthMax)))
        return switch status {
        case 401: "refused: \(reason.isEmpty ? "the hub wants another key" : reason)"
        case 404: "there is no such API; is it a hub?"
        default: "answered with status \(status)\(reason.isEmpty ? "" : ": \(reason)")"
        }
    }
}

/// An object of an answer.
struct APIFields {
    private let fields: [(key: String, value: ArraySlice<UInt8>)]

    /// Nil for JSON that is not an object, and for anything that is not JSON.
    init?(_ json: ArraySlice<UInt8>) {
        guard let fields = try? JSONReader.fields(of: json) else { return nil }
        self.fields = fields
    }

    func json(_ key: String) -> ArraySlice<UInt8>? { fields.last { $0.key == key }?.value }

    func object(_ key: String) -> APIFields? { json(key).flatMap { APIFields($0) } }

    func text(_ key: String) -> String? { json(key).flatMap { JSONReader.string($0) } }

    func number(_ key: String) -> UInt64? { json(key).flatMap { JSONReader.integer($0) } }

    /// Returns the elements of an array of objects, without elements that are not objects.
    func objects(_ key: String) -> [APIFields] {
        guard let array = json(key), let elements = try? JSONReader.elements(of: array) else {
            return []
        }
        return elements.compactMap { APIFields($0) }
    }

    /// The keys whose values are objects, with those objects, sorted by key.
    var named: [(name: String, object: APIFields)] {
        fields.compactMap { key, value in APIFields(value).map { (key, $0) } }
            .sorted { $0.name < $1.name }
    }

    /// The keys whose values are texts, with those texts, sorted by key.
    var texts: [(name: String, text: String)] {
        fields.compactMap { key, value in JSONReader.string(value).map { (key, $0) } }
            .sorted { $0.name < $1.name }
    }
}
