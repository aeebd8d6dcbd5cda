import Aurora
import Configuration
import HubTesting
import Replay
import Wire

@testable import AuroraApp

/// The demo's replay without a network between it and who asks.
struct RecordedUpstream {
    private struct Feed {
        var product: AuroraProduct
        var target: String
        var interval: Duration
        var etag: String?
    }

    private let recording: Recording
    private var cache = ReplayCache()
    private var feeds: [Feed]

    init(_ recording: Recording) {
        self.recording = recording
        var intervals = AuroraSection.Intervals()
        // The products that take long to decode come less often; each is still far from stale.
        intervals.solarWindDay = .seconds(6 * 3600)
        intervals.ovation = .seconds(30 * 60)
        intervals.kpMinutes = .seconds(5 * 60)
        feeds = [
            Feed(
                product: .propagatedSolarWind,
                target: "/products/geospace/propagated-solar-wind-1-hour.json",
                interval: intervals.solarWind
            ),
            Feed(
                product: .planetaryK,
                target: "/products/noaa-planetary-k-index.json",
                interval: intervals.kp
            ),
            Feed(
                product: .kMinutes,
                target: "/json/planetary_k_index_1m.json",
                interval: intervals.kpMinutes
            ),
            Feed(
                product: .kForecast,
                target: "/products/noaa-planetary-k-index-forecast.json",
                interval: intervals.kpForecast
            ),
            Feed(
                product: .ovation,
                target: "/json/ovation_aurora_latest.json",
                interval: intervals.ovation
            ),
            Feed(
                product: .weather,
                target:
                    "/weatherapi/locationforecast/2.0/compact?lat=69.6492&lon=18.9553&altitude=10",
                interval: intervals.weather
            ),
            Feed(
                product: .rtswField,
                target: "/json/rtsw/rtsw_mag_1m.json",
                interval: intervals.solarWindDay
            ),
            Feed(
                product: .rtswPlasma,
                target: "/json/rtsw/rtsw_wind_1m.json",
                interval: intervals.solarWindDay
            ),
        ]
    }

    /// What the products that are due at that time have to tell; those that have not changed answer
    /// 304 and tell nothing.
    mutating func answers(at time: Timestamp) throws -> [AuroraPayload] {
        var payloads: [AuroraPayload] = []
        for index in feeds.indices where time == time.roundedDown(to: feeds[index].interval) {
            guard let body = try fetch(index, at: time) else { continue }
            payloads.append(try feeds[index].product.decode(body, now: time))
        }
        return payloads
    }

    private mutating func fetch(_ index: Int, at time: Timestamp) throws -> [UInt8]? {
        let feed = feeds[index]
        var request = HTTPRequestHead(
            target: feed.target,
            headers: ["User-Agent": "varde-tests ops@example.org"]
        )
        if let etag = feed.etag { request.headers.append("If-None-Match", etag) }
        let response = recording.respond(to: request, at: time, cache: &cache)
        if response.status == 304 { return nil }
        guard response.status == 200, case .bytes(let body) = response.body else {
            throw UnexpectedResponse(target: feed.target, status: response.status)
        }
        feeds[index].etag = response.headers.first("ETag")
        return body
    }

    struct UnexpectedResponse: Error {
        var target: String
        var status: Int
    }
}
