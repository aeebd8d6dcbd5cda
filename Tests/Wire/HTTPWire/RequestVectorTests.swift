import Expectations
import Foundation
import Repository
import Wire

/// protocol/vectors/http-requests.json, as far as it concerns the parser. `Tests/Acceptance` holds the
/// running hub to the rest.
struct RequestVector: Decodable, CustomTestStringConvertible {
    /// A text, or one that stands there many times.
    struct Piece: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.singleValueContainer(),
                let text = try? container.decode(String.self)
            {
                self.text = text
            } else {
                var container = try decoder.unkeyedContainer()
                let unit = try container.decode(String.self)
                text = String(repeating: unit, count: try container.decode(Int.self))
            }
        }
    }

    struct File: Decodable {
        var cases: [RequestVector]
    }

    var rfc: String
    var name: String
    var input: [Piece]
    /// Requests that are read to their end.
    var requests: Int
    /// The status of the error behind them.
    var error: Int?

    var testDescription: String { "\(rfc): \(name)" }

    var bytes: [UInt8] { Array(input.map(\.text).joined().utf8) }

    static let file = Result {
        let root = URL(filePath: repositoryRoot)
        let url = root.appending(path: "protocol/vectors/http-requests.json")
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
    }

    /// Empty when the file can't be read; a test of its own says so.
    static var all: [RequestVector] { (try? file.get().cases) ?? [] }
}

@Suite("Vectors: requests", .timeLimit(.minutes(10)))
struct RequestVectorTests {
    /// A longer input is not split at every position; what it is about lies at its end.
    private static let splitLengthMax = 1000

    @Test func fileIsRead() throws {
        let cases = try RequestVector.file.get().cases
        expect(cases.count > 90)
        expectEqual(Set(cases.map(\.name)).count, cases.count, "each name once")
    }

    @Test(arguments: RequestVector.all)
    func serverReadsTheRequestsAndTellsTheError(_ vector: RequestVector) {
        let bytes = vector.bytes
        let reading: RequestReading
        if bytes.count <= RequestVectorTests.splitLengthMax {
            reading = requests(bytes)
        } else {
            reading = requests(in: [bytes])
            let half = bytes.count / 2
            expectEqual(requests(in: [Array(bytes[..<half]), Array(bytes[half...])]), reading)
            expectEqual(
                requests(in: [Array(bytes[..<(bytes.count - 1)]), [bytes[bytes.count - 1]]]),
                reading
            )
        }
        expectEqual(reading.messages.count { $0.isWhole }, vector.requests)
        expectEqual(reading.error?.status, vector.error)
    }
}
