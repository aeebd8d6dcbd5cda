import Expectations
import Wire

@testable import Replay

@Suite("Recorded upstreams of any domain", .timeLimit(.minutes(10)))
struct RecordedUpstreamTests {
    private let clock = time("2024-12-09T20:14:37Z")

    @Test func productIsAnsweredAsOfAMoment() throws {
        let both = try recording(yaml: yamlOfBoth)
        let response = both.respond(to: HTTPRequestHead(target: "/tides?x=1"), at: clock)
        expectEqual(response.status, 200)
        expectEqual(response.text, "high at 2024-12-09T20:10:00Z")
        expectEqual(response.headers.first("Expires"), "Mon, 09 Dec 2024 20:20:00 GMT")
        expect(!response.headers.contains("Cache-Control"))
        let earlier = both.respond(to: HTTPRequestHead(target: "/tides"), at: both.start)
        expectEqual(earlier.text, "low at 2024-12-09T16:00:00Z")
    }

    @Test func recordingOfTwoFilesIsOneTable() throws {
        let response = try recording(yaml: yamlOfBoth)
            .respond(to: HTTPRequestHead(target: "/stills"), at: clock)
        expectEqual(response.text, "AB")
        expectEqual(response.headers.first("Last-Modified"), "Mon, 09 Dec 2024 12:00:00 GMT")
    }

    @Test func contentTypeIsThatOfTheProductAndJSONByDefault() throws {
        let both = try recording(yaml: yamlOfBoth)
        let types = ["/stills", "/tides", "/"].map { target in
            both.respond(to: HTTPRequestHead(target: target), at: clock)
                .headers.first("Content-Type")
        }
        expectEqual(types, ["image/png", "application/json", "application/json"])
    }

    @Test func upstreamMayRefuseARequest() throws {
        let request = HTTPRequestHead(target: "/tides", headers: ["Cookie": "a=b"])
        let response = try recording(yaml: yamlOfBoth).respond(to: request, at: clock)
        expectEqual(response.status, 403)
        expectEqual(response.text, #"{"error":"no cookies"}"#)
    }

    @Test func unknownPathListsThePathsOfAllUpstreams() throws {
        let response = try recording(yaml: yamlOfBoth)
            .respond(to: HTTPRequestHead(target: "/"), at: clock)
        expectEqual(response.status, 404)
        expectEqual(
            response.text,
            #"{"error":"no such product in this replay","paths":["/tides","/stills"]}"#
        )
    }

    @Test func upstreamWithoutATrackIsNotServed() throws {
        let tides = try recording(yaml: yamlOfTides)
        expectEqual(tides.upstreams.count, 1)
        expectEqual(tides.respond(to: HTTPRequestHead(target: "/tides"), at: clock).status, 200)
        expectEqual(tides.respond(to: HTTPRequestHead(target: "/stills"), at: clock).status, 404)
    }

    @Test func descriptionAsksTheUpstreamsForTheirDates() throws {
        try expectEqual(
            recording(yaml: yamlOfBoth).description,
            """
            replay: recordings of 2020-02-29, 2023-05-01, 2023-05-02 and synthetic tides \
            presented as the night of 2024-12-09; this is not live data
            replay: low: recorded 2023-05-01 2023-05-02: an ebb
            replay: high: synthetic: a flood
            replay: pair: recorded 2020-02-29: two
            """
        )
    }

    @Test func descriptionOfSyntheticDataNamesNoRecordings() throws {
        let yaml = yamlOfTides.replacing("status: recorded", with: "status: synthetic")
        let lines = try recording(yaml: yaml).description.split(separator: "\n")
        expectEqual(
            lines.first,
            """
            replay: synthetic tides presented as the night of 2024-12-09; this is not live data
            """
        )
    }

    @Test(arguments: [
        ("tides_every: 10\n", "", "key 'tides_every' is missing"),
        ("tides_every: 10", "tides_every: 61", "'tides_every' is not a number from 1.0 to 60.0"),
        ("tides_every: 10", "stills_every: 10", "unknown key 'stills_every'; known are begins"),
        ("  stills:\n", "  still:\n", "unknown key 'still'; known are stills, tides"),
        ("product: stills", "product: tide", "unknown product 'tide'"),
        ("left: a, ", "", "key 'left' is missing"),
        ("file: low.txt", "film: low.txt", "unknown key 'film'"),
        ("right: b", "right: c", "cannot be read"),
        (
            "{at: 2024-12-08T12:00Z, recording: pair}", "{at: 2024-12-08T12:00Z, recording: low}",
            "no such recording 'low'"
        ),
        ("file: high.txt", "file: empty", "segment at 2024-12-09T20:00:00.000Z has no tides"),
    ])
    func manifestThatIsWrongIsRefused(
        text: String,
        replacement: String,
        problem: String
    ) throws {
        let yaml = yamlOfBoth.replacing(text, with: replacement)
        try require(yaml != yamlOfBoth)
        let error = #expect(throws: RecordingError.self) { try recording(yaml: yaml) }
        expectEqual(error?.problem.hasPrefix(problem), true, "\(error?.description ?? "none")")
    }

    @Test func manifestWithoutTracksLacksThemAll() {
        let start = yamlOfBoth.firstRange(of: "tracks:")!.lowerBound
        let error = #expect(throws: RecordingError.self) {
            try recording(yaml: yamlOfBoth[..<start] + "tracks: {}\n")
        }
        expectEqual(error?.problem, "key 'tides' is missing")
    }

    @Test func faultOfTheOtherUpstreamIsUnknownWithoutItsTracks() throws {
        let fault =
            "faults: [{path: /stills, from: 2024-12-09T17:00Z, until: 2024-12-09T18:00Z, kind: 500}]"
        let spoilt = try recording(yaml: yamlOfBoth + fault)
        let during = time("2024-12-09T17:30:00Z")
        expectEqual(spoilt.respond(to: HTTPRequestHead(target: "/stills"), at: during).status, 500)
        expectEqual(spoilt.respond(to: HTTPRequestHead(target: "/tides"), at: during).status, 200)
        #expect(throws: RecordingError.self) { try recording(yaml: yamlOfTides + fault) }
    }
}
