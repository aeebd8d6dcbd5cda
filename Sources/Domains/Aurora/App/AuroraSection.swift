import Aurora
import DomainKit

/// The section of the configuration that switches the domain on.
package struct AuroraSection: DomainSection {
    package static let key = "aurora"

    package var places = [Place.tromso]
    /// Where NOAA SWPC's products are: everything before `/products`, `/json` and `/text`.
    package var swpcURL = "https://services.swpc.noaa.gov"
    /// Where MET Norway's forecast is: everything before `/weatherapi`.
    package var metnoURL = "https://api.met.no"
    /// Says how the upstreams can reach the operator.
    package var userAgent = ""
    package var intervals = Intervals()
    /// The keys for clients of `/api/aurora`; empty admits none outside development.
    package var apiKeys: [Key] = []
    /// The rate limits of the keys; the first one applies to keys without a tier.
    package var tiers = [Tier.standard]
    /// Where the words for a score begin, for all endpoints, texts and rules.
    package var levels = Levels()

    package init() {}
}

extension AuroraSection {
    /// The score from which each level holds, and how far below that it is left.
    package struct Levels: Equatable, Sendable {
        package var low = LevelBounds.standard.low
        package var moderate = LevelBounds.standard.moderate
        package var good = LevelBounds.standard.good
        package var excellent = LevelBounds.standard.excellent
        package var margin = LevelBounds.standard.leaveMargin

        package init() {}

        /// Nil for levels that contradict each other, which no checked configuration has.
        package var bounds: LevelBounds? {
            LevelBounds(
                low: low,
                moderate: moderate,
                good: good,
                excellent: excellent,
                leaveMargin: margin
            )
        }
    }

    /// A key of the aurora endpoints.
    package struct Key: Equatable, Sendable {
        package var key = Secret("")
        /// The name of a tier; nil is the first one.
        package var tier: String?

        package init() {}

        package init(_ key: Secret) {
            self.key = key
        }
    }

    /// The service level of a key.
    package struct Tier: Equatable, Sendable {
        package var name = ""
        package var requestsPerHour = 10_000

        package init() {}

        package static let standard: Tier = {
            var tier = Tier()
            tier.name = "standard"
            return tier
        }()
    }

    /// A place that is scored and has topics of its own.
    package struct Place: Equatable, Sendable {
        package var id = ""
        package var name = ""
        /// Degrees north.
        package var latitude = 0.0
        /// Degrees east.
        package var longitude = 0.0
        /// Metres above the sea.
        package var altitude = 0.0
        /// The time zone of its clocks.
        package var timeZone = ClockZone.utc

        package init() {}

        package static let tromso: Place = {
            var place = Place()
            place.id = "tromso"
            place.name = "Tromsø"
            place.latitude = 69.6492
            place.longitude = 18.9553
            place.altitude = 10
            place.timeZone = .centralEuropean
            return place
        }()
    }

    /// From one poll of an upstream product to the next, in the data's time.
    package struct Intervals: Equatable, Sendable {
        /// The propagated solar wind, the small product.
        package var solarWind = Duration.seconds(60)
        /// The minutes at L1 of a whole day, 4 MB: they fill the gaps of the small product.
        package var solarWindDay = Duration.seconds(15 * 60)
        package var kpMinutes = Duration.seconds(60)
        package var kp = Duration.seconds(10 * 60)
        package var kpForecast = Duration.seconds(30 * 60)
        /// Issued once a week.
        package var outlook = Duration.seconds(6 * 3600)
        package var ovation = Duration.seconds(5 * 60)
        package var scales = Duration.seconds(5 * 60)
        package var bulletins = Duration.seconds(5 * 60)
        /// Never before the upstream's `Expires`.
        package var weather = Duration.seconds(30 * 60)

        package init() {}
    }
}
