import Expectations
import Foundation
import Wire

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct FaultTests {
    private let clock = time("2024-12-09T19:14:37Z")

    private func faulty(_ kind: Fault.Kind, path: String = "*") -> Recording {
        var recording = demo
        recording.faults = [
            Fault(
                path: path,
                from: time("2024-12-09T19:14Z"),
                until: time("2024-12-09T19:15Z"),
                kind: kind
            )
        ]
        return recording
    }

    @Test func faultBeginsAndEnds() {
        let recording = faulty(.serverError)
        for (instant, status) in [
            ("2024-12-09T19:13:59.999Z", 200), ("2024-12-09T19:14Z", 500),
            ("2024-12-09T19:14:59.999Z", 500), ("2024-12-09T19:15Z", 200),
            ("2024-12-10T19:14:30Z", 200),
        ] {
            expectEqual(
                recording.respond(to: request(.planetaryK), at: time(instant)).status,
                status
            )
        }
    }

    @Test func faultOfOnePathLeavesTheOthers() {
        let recording = faulty(.serverError, path: Product.planetaryK.path)
        expectEqual(recording.respond(to: request(.planetaryK), at: clock).status, 500)
        expectEqual(recording.respond(to: request(.planetaryKMinutes), at: clock).status, 200)
    }

    @Test(arguments: Product.allCases)
    func maintenancePageHasStatus200(product: Product) throws {
        let response = faulty(.html).respond(to: request(product), at: clock)
        expectEqual(response.status, 200)
        try expect(require(response.text).hasPrefix("<!DOCTYPE html>"))
        expectEqual(response.headers.first("Content-Length"), response.bytes.map { "\($0.count)" })
    }

    @Test(arguments: Product.allCases)
    func truncatedBodyIsHalfOfIt(product: Product) throws {
        let whole = try demo.bytes(product, at: clock)
        let response = faulty(.truncated).respond(to: request(product), at: clock)
        let half = try require(response.bytes)
        expectEqual(half, Array(whole.prefix(whole.count / 2)))
        expectEqual(response.headers.first("Content-Length"), String(half.count))
    }

    /// Scales, bulletins and the outlook have their numbers in texts.
    @Test(arguments: Set(Product.allCases).subtracting([.scales, .bulletins, .outlook]))
    func bareNaNStandsWhereANumberStood(product: Product) throws {
        let response = faulty(.nan).respond(to: request(product), at: clock)
        let text = try require(response.text)
        let pieces = text.split(separator: "NaN", omittingEmptySubsequences: false)
        try require(pieces.count == 2)
        #expect(throws: (any Error).self) {
            try JSONSerialization.jsonObject(with: Data(text.utf8))
        }
        let repaired = pieces.joined(separator: "null")
        #expect(throws: Never.self) {
            try JSONSerialization.jsonObject(with: Data(repaired.utf8))
        }
    }

    @Test func spoiltAnswerIsNeverA304() throws {
        let tag = try require(demo.respond(to: request(.ovation), at: clock).headers.first("ETag"))
        for kind in [Fault.Kind.html, .truncated, .nan] {
            let response = faulty(kind).respond(
                to: request(.ovation, headers: ["If-None-Match": tag]),
                at: clock
            )
            expectEqual(response.status, 200)
        }
    }

    @Test func spoiltBodyIsNotKept() throws {
        var cache = ReplayCache()
        let spoilt = faulty(.html).respond(to: request(.ovation), at: clock, cache: &cache)
        let good = demo.respond(to: request(.ovation), at: clock, cache: &cache)
        expect(spoilt.body != good.body)
        expectEqual(good, demo.respond(to: request(.ovation), at: clock))
    }

    @Test func tooManyRequestsSaysWhenToComeBack() {
        let response = faulty(.tooManyRequests).respond(to: request(.field), at: clock)
        expectEqual(response.status, 429)
        expectEqual(response.headers.first("Retry-After"), "60")
    }

    @Test func timeoutSendsNothing() {
        let response = faulty(.timeout).respond(to: request(.field), at: clock)
        expectEqual(response.body, .never)
    }

    @Test func zerosAreLeftToTheShell() {
        let response = faulty(.zeros).respond(to: request(.field), at: clock)
        expectEqual(response.status, 200)
        expectEqual(response.body, .zeros(count: 50_000_000))
        expectEqual(response.headers.first("Content-Length"), "50000000")
    }

    @Test func headOfZerosHasNoBody() {
        let response = faulty(.zeros).respond(
            to: request(Product.field.path, method: "HEAD"),
            at: clock
        )
        expectEqual(response.body, .bytes([]))
    }
}
