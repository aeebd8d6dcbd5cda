import Expectations
import Foundation
import Wire

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct RespondingTests {
    private let clock = time("2024-12-09T19:14:37Z")

    @Test(arguments: Product.allCases)
    func productHasTheFieldsOfUpstreamAndTheNotice(product: Product) throws {
        let response = demo.respond(to: request(product), at: clock)
        expectEqual(response.status, 200)
        let headers = response.headers
        let type = product == .outlook ? "text/plain" : "application/json"
        expectEqual(headers.first("Content-Type"), type)
        expectEqual(headers.first("Content-Length"), response.bytes.map { String($0.count) })
        expectEqual(headers.first("Date"), "Mon, 09 Dec 2024 19:14:37 GMT")
        let modified = try require(
            headers.first("Last-Modified").flatMap { Timestamp(httpDate: $0) }
        )
        expect(modified <= clock)
        let tag = try require(headers.first("ETag"))
        expect(tag.hasPrefix("\"\(product.name)-"))
        expect(tag.hasSuffix("\""))
        if product != .locationforecast {
            expectEqual(headers.first("Cache-Control"), "max-age=60")
        }
        let notice = try require(headers.first("X-Replay"))
        expect(notice.hasPrefix("recordings of 2024-03-03, 2024-05-10, "))
        expect(notice.hasSuffix("; not live data"))
    }

    @Test(arguments: Product.allCases)
    func bodyOfAVersionIsTheSameAtAnyClock(product: Product) {
        let version = demo.aurora.version(of: product, at: clock)
        expectEqual(demo.aurora.version(of: product, at: version), version)
        let now = demo.respond(to: request(product), at: clock)
        let then = demo.respond(to: request(product), at: version)
        expectEqual(now.body, then.body)
        expectEqual(now.headers.first("ETag"), then.headers.first("ETag"))
    }

    @Test(arguments: Product.allCases)
    func clientWithTheCurrentVersionGets304(product: Product) throws {
        let full = demo.respond(to: request(product), at: clock)
        let tag = try require(full.headers.first("ETag"))
        let modified = try require(full.headers.first("Last-Modified"))
        for conditions: HTTPHeaders in [["If-None-Match": tag], ["If-Modified-Since": modified]] {
            let response = demo.respond(to: request(product, headers: conditions), at: clock)
            expectEqual(response.status, 304)
            expectEqual(response.bytes, [])
            expect(!response.headers.contains("Content-Length"))
            expectEqual(response.headers.first("ETag"), tag)
            expectEqual(response.headers.first("Last-Modified"), modified)
            expect(response.headers.contains("X-Replay"))
        }
    }

    @Test(arguments: Product.allCases)
    func clientWithAnOlderVersionGetsTheBody(product: Product) throws {
        let yesterday = clock - Timeline.day
        let old = demo.respond(to: request(product), at: yesterday)
        let tag = try require(old.headers.first("ETag"))
        let modified = try require(old.headers.first("Last-Modified"))
        for conditions: HTTPHeaders in [["If-None-Match": tag], ["If-Modified-Since": modified]] {
            let response = demo.respond(to: request(product, headers: conditions), at: clock)
            expectEqual(response.status, 200)
        }
    }

    @Test func pollWithinTenMinutesOfOvationGets304() throws {
        var cache = ReplayCache()
        var headers: HTTPHeaders = [:]
        var statuses: [Int] = []
        for minute in 0..<30 {
            let response = demo.respond(
                to: request(.ovation, headers: headers),
                at: time("2024-12-09T17:00Z") + .minutes(minute),
                cache: &cache
            )
            statuses.append(response.status)
            headers = ["If-None-Match": try require(response.headers.first("ETag"))]
        }
        let expected = (0..<30).map { $0 % 10 == 0 ? 200 : 304 }
        expectEqual(statuses, expected)
    }

    @Test func anotherManifestHasOtherEntityTags() throws {
        let other = try recording(yaml: demoYAML + "# Another one.\n")
        let tag = demo.respond(to: request(.ovation), at: clock).headers.first("ETag")
        expect(other.respond(to: request(.ovation), at: clock).headers.first("ETag") != tag)
    }

    @Test(arguments: Product.allCases)
    func headHasTheFieldsOfGetAndNoBody(product: Product) {
        let get = demo.respond(to: request(product), at: clock)
        let target = request(product).target
        let head = demo.respond(to: request(target, method: "HEAD"), at: clock)
        expectEqual(head.status, 200)
        expectEqual(head.headers, get.headers)
        expectEqual(head.bytes, [])
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get"])
    func otherMethodIsNotAllowed(method: String) {
        let response = demo.respond(
            to: request(Product.ovation.path, method: method),
            at: clock
        )
        expectEqual(response.status, 405)
        expectEqual(response.headers.first("Allow"), "GET, HEAD")
    }

    @Test(arguments: [
        "/", "/json", "/products/noaa-planetary-k-index.json/", "*", "/JSON/x", "/%2e",
    ])
    func unknownPathIsToldThePaths(target: String) throws {
        let response = demo.respond(to: request(target), at: clock)
        expectEqual(response.status, 404)
        let bytes = try require(response.bytes)
        let body = try JSONSerialization.jsonObject(with: Data(bytes))
        let json = try require(body as? [String: Any])
        expectEqual(json["paths"] as? [String], Product.allCases.map(\.path))
        expect(response.headers.contains("X-Replay"))
    }

    @Test func queryOfASpaceWeatherProductIsIgnored() {
        let response = demo.respond(to: request(Product.planetaryK.path + "?v=1"), at: clock)
        expectEqual(response.status, 200)
    }

    @Test func requestMayNameItsTime() {
        let named = request(.ovation, headers: ["Replay-Clock": "2024-12-09T17:00:00.500Z"])
        expectEqual(demo.clock(for: named, default: clock), time("2024-12-09T17:00:00.500Z"))
        expectEqual(demo.clock(for: request(.ovation), default: clock), clock)
    }

    @Test(arguments: ["", "now", "1733760000", "2024-13-09T17:00:00Z"])
    func timeThatCannotBeReadIsABadRequest(text: String) {
        let named = request(.ovation, headers: ["Replay-Clock": text])
        expectEqual(demo.clock(for: named, default: clock), clock)
        let response = demo.respond(to: named, at: demo.clock(for: named, default: clock))
        expectEqual(response.status, 400)
    }

    @Test(arguments: ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"])
    func everyTimeThatCanBeNamedIsAnswered(text: String) {
        for product in Product.allCases {
            expectEqual(demo.respond(to: request(product), at: time(text)).status, 200)
        }
    }

    @Test func cacheMakesTheBodyOfAVersionOnce() {
        var cache = ReplayCache()
        var made = 0
        for (product, minute) in [(Product.field, 0), (.field, 0), (.plasma, 0), (.field, 1)] {
            _ = cache.body(of: product.path, version: clock + .minutes(minute)) {
                made += 1
                return [UInt8(made)]
            }
        }
        expectEqual(made, 3)
        let kept = cache.body(of: Product.plasma.path, version: clock) { [] }
        expectEqual(kept, [2])
    }

    @Test func cachedAnswerIsTheAnswer() {
        var cache = ReplayCache()
        for clock in clocks {
            for product in [Product.propagatedSolarWind, .planetaryK, .locationforecast] {
                let cached = demo.respond(to: request(product), at: clock, cache: &cache)
                let again = demo.respond(to: request(product), at: clock, cache: &cache)
                let plain = demo.respond(to: request(product), at: clock)
                expectEqual(cached, plain)
                expectEqual(again, plain)
            }
        }
    }
}
