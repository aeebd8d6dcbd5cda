import Expectations
import Foundation
import Wire

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct LocationforecastTests {
    private let clock = time("2024-12-09T16:10Z")

    @Test(arguments: clocks)
    func stepsAreHourlyFromTheCurrentHour(clock: Timestamp) throws {
        let body = try demo.object(.locationforecast, at: clock)
        let properties = try require(body["properties"] as? [String: Any])
        let meta = try require(properties["meta"] as? [String: Any])
        try expect(meta.time("updated_at") <= clock)
        expectEqual((meta["units"] as? [String: String])?["cloud_area_fraction"], "%")
        let steps = try require(properties["timeseries"] as? [[String: Any]])
        expectEqual(steps.count, 60)
        let first = try steps[0].time("time")
        expectEqual(first, clock.roundedDown(to: .seconds(3600)))
        for (index, step) in steps.enumerated() {
            try expectEqual(step.time("time"), first + .seconds(3600 * index))
            let data = try require(step["data"] as? [String: [String: Any]])
            let details = try require(data["instant"]?["details"] as? [String: Double])
            try expect((0...100).contains(require(details["cloud_area_fraction"])))
        }
        let last = try require(steps.last?["data"] as? [String: Any])
        expectEqual(last.keys.sorted(), ["instant"])
    }

    @Test func skyOfTheNightIsClear() throws {
        for hour in 0..<11 {
            let clock = time("2024-12-09T16:30Z") + .seconds(3600 * hour)
            let body = try demo.object(.locationforecast, at: clock)
            let properties = try require(body["properties"] as? [String: Any])
            let steps = try require(properties["timeseries"] as? [[String: Any]])
            let data = try require(steps[0]["data"] as? [String: [String: Any]])
            let details = try require(data["instant"]?["details"] as? [String: Double])
            try expect(require(details["cloud_area_fraction"]) <= 12.5)
        }
    }

    @Test func pointIsThatOfTheRecording() throws {
        let body = try demo.object(.locationforecast, at: clock)
        let geometry = try require(body["geometry"] as? [String: Any])
        expectEqual(geometry["coordinates"] as? [Double], [18.9553, 69.6492, 6])
    }

    @Test func clientThatWaitsForExpiresFindsANewBody() throws {
        for clock in clocks {
            let response = demo.respond(to: request(.locationforecast), at: clock)
            let expires = try require(
                response.headers.first("Expires").flatMap { Timestamp(httpDate: $0) }
            )
            expect(expires > clock)
            let later = demo.respond(to: request(.locationforecast), at: expires)
            expect(later.headers.first("ETag") != response.headers.first("ETag"))
            expect(!response.headers.contains("Cache-Control"), "its max-age would rank first")
        }
    }

    @Test(arguments: [
        "varde/1.0 ops@example.org", "varde/1.0 (+https://example.org)", "example.org/1.0 varde",
        "varde example.org",
    ])
    func identifyingClientIsServed(agent: String) {
        let response = demo.respond(
            to: request(forecastTarget, headers: ["User-Agent": agent]),
            at: clock
        )
        expectEqual(response.status, 200)
    }

    @Test(arguments: ["", "varde", "curl/8.5.0", "Python-urllib/3.12", "okhttp/4.12.0 Mobile", "."])
    func genericClientIsForbidden(agent: String) {
        let response = demo.respond(
            to: request(forecastTarget, headers: ["User-Agent": agent]),
            at: clock
        )
        expectEqual(response.status, 403)
        expectEqual(response.text, #"{"error":"User-Agent names no application with a contact"}"#)
    }

    @Test func clientWithoutUserAgentIsForbidden() {
        let response = demo.respond(to: HTTPRequestHead(target: forecastTarget), at: clock)
        expectEqual(response.status, 403)
    }

    @Test(arguments: [
        ("lat=69.6492&lon=18.9553", 200), ("lat=69.6492&lon=18.9553&altitude=10", 200),
        ("lat=69.64921&lon=18.9553", 403), ("lat=69.6492&lon=18.95530", 403),
        ("lat=69&lon=18.", 200), ("lat=70.6492&lon=19.9553", 200), ("lat=70.6493&lon=18.9", 422),
        ("lat=59.91&lon=10.75", 422), ("lat=69.6492", 400), ("lon=18.9553", 400), ("", 400),
        ("lat=north&lon=18.9553", 400), ("lat=nan&lon=18.9553", 400), ("lat=&lon=18.9553", 400),
        ("lat=69.6492&lon=18.9553&altitude=1.5", 400), ("lat=69.6492&lon=18.9553&x=1", 400),
    ])
    func conditionsOfUseAreKept(query: String, status: Int) {
        let target = "\(Product.locationforecast.path)?\(query)"
        let response = demo.respond(to: request(target), at: clock)
        expectEqual(response.status, status, "\(response.text?.prefix(80) ?? "")")
    }

    @Test(arguments: [
        "{}", "[]", "<html>", #"{"geometry":{"coordinates":[1,2]},"properties":{"timeseries":[]}}"#,
    ])
    func whatIsNotAForecastIsRefused(text: String) {
        #expect(throws: RecordingError.self) { try WeatherTable(made(text)) }
    }

    @Test func recordedForecastIsRead() throws {
        let table = try WeatherTable(
            recorded("weather/metno-locationforecast-compact.oslo-2023-11-17.json")
        )
        expectEqual(table.place, WeatherPlace(latitude: 59.9212, longitude: 10.7338, altitude: 27))
        let step = try require(table.steps[time("2023-11-17T19:00Z")])
        expectEqual(step.instant.details["cloud_area_fraction"], 7.1)
        expectEqual(step.nextHour?.summary.symbolCode, "clearsky_night")
    }
}
