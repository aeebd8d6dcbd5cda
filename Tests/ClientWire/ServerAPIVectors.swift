import ClientWire
import Expectations
import Foundation

/// protocol/vectors/server-api.json
struct ServerAPIVectors: Decodable {
    struct Case: Decodable, CustomTestStringConvertible {
        var name: String
        var method: String
        var body: String
        var status: Int
        /// Empty where the text of the answer is free.
        var answer: String
        /// Whether the error is the hub's, and not that of the request's form.
        var byHub: Bool

        var testDescription: String { name }
    }

    var cases: [Case]

    static let file = Result { try Vectors.load("server-api.json", as: ServerAPIVectors.self) }

    /// Empty when the file can't be read; a test of its own says so.
    static var allCases: [Case] { (try? file.get().cases) ?? [] }
}
