import Expectations
import Foundation
import RadarContractApp

/// protocol/vectors/radar.json, of which only the forms are for the app.
private struct RadarVectors: Decodable {
    struct Form: Decodable, Sendable {
        let name: String
        let kind: TranscriptItem.Kind
        let text: String
    }

    let forms: [Form]

    static func read() throws -> RadarVectors {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "protocol/vectors/radar.json")
        return try JSONDecoder().decode(RadarVectors.self, from: Data(contentsOf: file))
    }
}

@Suite("protocol/vectors/radar.json", .timeLimit(.minutes(10)))
struct RadarVectorTests {
    /// Of the vectors, whose dates are of January 2026.
    private let decoder = AppDecoder(now: Date(timeIntervalSince1970: 1_769_904_000))

    @Test func appDecodesEveryForm() throws {
        for form in try RadarVectors.read().forms {
            #expect(throws: Never.self, "\(form.name)") {
                try decoder.decode(form.text, as: form.kind)
            }
        }
    }

    @Test func everyFormOfAnAnswerAndOfAnUpdateIsThere() throws {
        let kinds = Set(try RadarVectors.read().forms.map(\.kind))
        expectEqual(kinds.symmetricDifference(TranscriptItem.Kind.allCases), [.error, .empty])
    }

    @Test func appDropsAFormOfAnotherKind() throws {
        let forms = try RadarVectors.read().forms
        for form in forms where form.text != "[]" {
            for kind in TranscriptItem.Kind.allCases where kind != form.kind {
                #expect(throws: AppDrop.self, "\(form.name) as \(kind)") {
                    try decoder.decode(form.text, as: kind)
                }
            }
        }
    }
}
