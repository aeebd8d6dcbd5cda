import Replay
import Wire

extension AuroraRecordings {
    package var products: [RecordedProduct] {
        Product.allCases.map { product in
            RecordedProduct(
                path: product.path,
                name: product.name,
                contentType: product == .outlook ? "text/plain" : "application/json",
                version: { version(of: product, at: $0) },
                body: { body(of: product, version: $0) },
                freshness: { freshness(of: product, version: $0) },
                refusal: { refusal(of: product, $0, at: $1) }
            )
        }
    }

    private func freshness(of product: Product, version: Timestamp) -> HTTPHeaders {
        guard product == .locationforecast else { return ["Cache-Control": "max-age=60"] }
        // Upstream sends no Cache-Control: its max-age would rank before Expires (RFC 9111 §5.3).
        return ["Expires": Locationforecast.expires(issued: version).httpDate]
    }

    private func refusal(
        of product: Product,
        _ request: HTTPRequestHead,
        at clock: Timestamp
    ) -> RecordedProduct.Refusal? {
        guard product == .locationforecast else { return nil }
        return Locationforecast.refusal(of: request, place: weather.playing(at: clock).table.place)
    }

    /// When the version of the product that is served at `clock` was made. The body of a version is
    /// the same whenever it is asked for.
    func version(of product: Product, at clock: Timestamp) -> Timestamp {
        switch product {
        case .propagatedSolarWind, .field, .plasma, .planetaryKMinutes:
            return clock.roundedDown(to: .seconds(60))
        case .planetaryK:
            // The row of a window is out when the window is over.
            return clock.roundedDown(to: KpTable.window)
        case .planetaryKForecast: return KpForecast.issue(at: clock)
        case .outlook: return clock.roundedDown(to: Timeline.day)
        case .ovation:
            let position = ovation.timeline.position(at: clock)
            return max(clock.roundedDown(to: ovationEvery), position.began)
        case .scales, .bulletins: return clock.roundedDown(to: KpBulletins.every)
        case .locationforecast: return clock.roundedDown(to: Locationforecast.every)
        }
    }

    /// The body of the version that was made at `version`.
    func body(of product: Product, version: Timestamp) -> [UInt8] {
        switch product {
        case .propagatedSolarWind: return solarWind.propagatedHour(until: version - .l1Delay)
        case .field: return solarWind.fieldDay(until: version - .l1Delay)
        case .plasma: return solarWind.plasmaDay(until: version - .l1Delay)
        case .planetaryK: return planetaryK.week(until: version)
        case .planetaryKMinutes: return planetaryK.minutes(until: version - .l1Delay)
        case .planetaryKForecast: return planetaryK.forecast(issued: version)
        case .outlook: return planetaryK.outlook(issued: version)
        case .ovation: return ovation.latest(observed: version)
        case .scales: return planetaryK.scales(at: version)
        case .bulletins: return planetaryK.bulletins(until: version)
        case .locationforecast: return weather.forecast(issued: version)
        }
    }
}

extension Duration {
    /// The delay until a minute measured at L1 is published; upstream takes 5 to 7 minutes.
    fileprivate static let l1Delay = Duration.seconds(5 * 60)
}

extension Track<OvationGrid> {
    /// The grid that plays at `observed`, restamped; the lead of the recording is kept.
    func latest(observed: Timestamp) -> [UInt8] {
        let grid = playing(at: observed).table
        return grid.write(observed: observed, forecast: observed + (grid.forecast - grid.observed))
    }
}
