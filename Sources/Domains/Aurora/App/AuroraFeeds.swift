import Aurora
import DomainKit

/// One upstream product: its kind, its address, and its polling interval.
package struct AuroraUpstream: Sendable {
    package var name: String
    package var product: AuroraProduct
    /// The id of its place; empty for products that cover all places.
    package var place = ""
    /// Everything before the target.
    package var base: String
    /// Path and query.
    package var target: String
    package var policy: FeedPolicy
    package var role = FeedRole.required
}

/// The upstream products of the aurora domain and how each is polled.
package struct AuroraFeeds {
    package let settings: AuroraSection
    package let places: [Place]
    package let service: AuroraService

    package init(
        settings: AuroraSection,
        places: [Place],
        service: AuroraService
    ) {
        self.settings = settings
        self.places = places
        self.service = service
    }

    package var all: [PolledFeed] {
        AuroraUpstreams(settings: settings, places: places).all.map(polled)
    }

    private func polled(_ upstream: AuroraUpstream) -> PolledFeed {
        let name = upstream.name
        return PolledFeed(
            name: name,
            url: upstream.base + upstream.target,
            policy: upstream.policy,
            format: upstream.product.format,
            role: upstream.role,
            apply: { [service] in
                try await service.apply(
                    upstream.product,
                    place: upstream.place,
                    feed: name,
                    body: $0.bytes,
                    validators: $1
                )
            },
            keep: { [service] in try await service.keep(feed: name, validators: $0) },
            settle: { [service] in await service.settle(feed: name) },
            freshness: { [service] in service.freshness(of: name) },
            neededFrom: { [service] in service.neededFrom(upstream.product) }
        )
    }
}

extension AuroraProduct {
    /// SWPC publishes the outlook as a text.
    var format: FeedFormat {
        self == .kOutlook
            ? FeedFormat(accept: "text/plain", mayBegin: KOutlook.mayBegin)
            : .json
    }
}

/// The products for a configuration.
package struct AuroraUpstreams {
    package let settings: AuroraSection
    package let places: [Place]

    package init(settings: AuroraSection, places: [Place]) {
        self.settings = settings
        self.places = places
    }

    /// The day of solar wind at L1 is 2.7 MB, the grid 0.93 MB, the messages of a month 0.15 MB, the
    /// other products at most 40 KB.
    private static let smallBodyBytesMax = 1 << 20
    /// Inputs of the score that more than one product has.
    private static let solarWind = "swpc.solar_wind"
    private static let planetaryK = "swpc.kp"
    private static let ovationBodyBytesMax = 2 << 20

    package var all: [AuroraUpstream] {
        solarWindFeeds + kFeeds + otherFeeds + places.map(weather)
    }

    private var solarWindFeeds: [AuroraUpstream] {
        let intervals = settings.intervals
        return [
            feed(
                "swpc.solar_wind",
                .propagatedSolarWind,
                "/products/geospace/propagated-solar-wind-1-hour.json",
                intervals.solarWind,
                role: .alternative(input: Self.solarWind, group: "propagated", isFirst: true)
            ),
            feed(
                "swpc.rtsw_mag",
                .rtswField,
                "/json/rtsw/rtsw_mag_1m.json",
                intervals.solarWindDay,
                role: .alternative(input: Self.solarWind, group: "minutes"),
                bodyBytesMax: AuroraLimits.bodyBytesMax
            ),
            feed(
                "swpc.rtsw_wind",
                .rtswPlasma,
                "/json/rtsw/rtsw_wind_1m.json",
                intervals.solarWindDay,
                role: .alternative(input: Self.solarWind, group: "minutes"),
                bodyBytesMax: AuroraLimits.bodyBytesMax
            ),
        ]
    }

    private var kFeeds: [AuroraUpstream] {
        let intervals = settings.intervals
        return [
            feed(
                "swpc.kp",
                .planetaryK,
                "/products/noaa-planetary-k-index.json",
                intervals.kp,
                role: .alternative(input: Self.planetaryK, group: "intervals")
            ),
            feed(
                "swpc.kp_minutes",
                .kMinutes,
                "/json/planetary_k_index_1m.json",
                intervals.kpMinutes,
                role: .alternative(input: Self.planetaryK, group: "minutes", isFirst: true)
            ),
            feed(
                "swpc.kp_forecast",
                .kForecast,
                "/products/noaa-planetary-k-index-forecast.json",
                intervals.kpForecast
            ),
            feed(
                "swpc.outlook",
                .kOutlook,
                "/text/27-day-outlook.txt",
                intervals.outlook,
                // Without it the climatology takes its place.
                role: .informative,
                bodyBytesMax: AuroraLimits.outlookBytesMax
            ),
        ]
    }

    private var otherFeeds: [AuroraUpstream] {
        let intervals = settings.intervals
        return [
            feed(
                "swpc.ovation",
                .ovation,
                "/json/ovation_aurora_latest.json",
                intervals.ovation,
                bodyBytesMax: AuroraUpstreams.ovationBodyBytesMax
            ),
            feed(
                "swpc.scales",
                .scales,
                "/products/noaa-scales.json",
                intervals.scales,
                role: .informative
            ),
            feed(
                "swpc.bulletins",
                .bulletins,
                "/products/alerts.json",
                intervals.bulletins,
                role: .informative
            ),
        ]
    }

    private func feed(
        _ name: String,
        _ product: AuroraProduct,
        _ path: String,
        _ interval: Duration,
        role: FeedRole = .required,
        bodyBytesMax: Int = AuroraUpstreams.smallBodyBytesMax
    ) -> AuroraUpstream {
        AuroraUpstream(
            name: name,
            product: product,
            base: settings.swpcURL,
            target: path,
            policy: FeedPolicy(
                interval: interval,
                hastenedInterval: product.hastenedInterval,
                bodyBytesMax: bodyBytesMax
            ),
            role: role
        )
    }

    /// MET Norway: at most four decimals, truncated, never before `Expires`; a 401 or 403 means that we
    /// are not welcome as we are.
    private func weather(_ place: Place) -> AuroraUpstream {
        let path = "/weatherapi/locationforecast/2.0/compact"
        let query =
            "lat=\(fourDecimals(place.latitude))&lon=\(fourDecimals(place.longitude))"
            + "&altitude=\(Int(max(0, place.altitude)))"
        return AuroraUpstream(
            name: "metno.weather:\(place.id)",
            product: .weather,
            place: place.id,
            base: settings.metnoURL,
            target: "\(path)?\(query)",
            policy: FeedPolicy(
                interval: settings.intervals.weather,
                bodyBytesMax: AuroraUpstreams.smallBodyBytesMax,
                honoursExpires: true,
                stopsOn: [401, 403]
            )
        )
    }

    private func fourDecimals(_ degrees: Double) -> String {
        // 69.6492 times 10 000 is a little less than 696 492.
        let slack = 1e-6
        let whole = Int((abs(degrees) * 10_000 + slack).rounded(.towardZero))
        let fraction = String(whole % 10_000)
        let zeros = String(repeating: "0", count: 4 - fraction.count)
        return "\(degrees < 0 ? "-" : "")\(whole / 10_000).\(zeros)\(fraction)"
    }
}
