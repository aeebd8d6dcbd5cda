import Core
import Expectations
import Foundation
import Repository

/// protocol/webhooks.md says what the code does.
@Suite("Webhook documentation", .timeLimit(.minutes(10)))
struct WebhookDocumentTests {
    private let document: String

    init() throws {
        let root = URL(filePath: repositoryRoot)
        document = try String(
            contentsOf: root.appending(path: "protocol/webhooks.md"),
            encoding: .utf8
        )
    }

    @Test func tableOfAttemptsIsTheSchedule() throws {
        let heading = try require(document.range(of: "\n## Attempts\n"))
        // | 3 | 5 min |
        let rows = document[heading.upperBound...].split(separator: "\n").compactMap {
            line -> (Int, String)? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 2, let attempt = Int(cells[0]) else { return nil }
            return (attempt, cells[1])
        }
        let delays = RetrySchedule.standard.delays
        expectEqual(rows.map(\.0), Array(1...delays.count))
        expectEqual(rows.map(\.1), delays.map(words))
    }

    @Test func exampleIsTheSignedVector() throws {
        let vector = try require(SignatureVectors.shared.valid.dropFirst().first)
        expect(document.contains("webhook-id: \(vector.id)\n"))
        expect(document.contains("webhook-timestamp: \(vector.timestamp)\n"))
        expect(document.contains("webhook-signature: \(vector.signature)\n"))
        expect(document.contains("\n\n\(vector.body)\n"))
    }

    @Test func numbersAreThoseOfTheCode() {
        expect(document.contains("within \(seconds(Delivery.timeout)) seconds"))
        expect(document.contains("at least \(seconds(Delivery.overloadWaitMin)) seconds"))
        expect(document.contains("up to \(seconds(Delivery.retryAfterMax) / 3600) hours"))
        expect(document.contains("up to \(WebhookFilter.patternsMax) entries"))
        let lengths = WebhookSecret.keyLengths
        expect(document.contains("\(lengths.lowerBound) to \(lengths.upperBound) bytes"))
    }

    private func seconds(_ duration: Duration) -> Int64 {
        duration.wholeMilliseconds / 1000
    }

    private func words(_ delay: Duration) -> String {
        switch seconds(delay) {
        case 0: "at once"
        case let count where count % 3600 == 0: "\(count / 3600) h"
        case let count where count % 60 == 0: "\(count / 60) min"
        case let count: "\(count) s"
        }
    }
}
