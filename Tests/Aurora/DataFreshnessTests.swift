import Expectations

@testable import Aurora

@Suite("How old data are by their own word", .timeLimit(.minutes(10)))
struct DataFreshnessTests {
    @Test(arguments: [
        (
            AuroraProduct.propagatedSolarWind,
            "propagated-solar-wind-1-hour.2026-09-26.excerpt.json", "2026-09-26T18:48:00Z", 20
        ),
        (.rtswField, "rtsw_mag_1m.2026-09-26.excerpt.json", "2026-09-26T18:46:00Z", 20),
        (.rtswPlasma, "rtsw_wind_1m.2026-09-26.excerpt.json", "2026-09-26T18:51:00Z", 20),
        (
            .planetaryK, "noaa-planetary-k-index.2026-08-01.objects.json", "2026-08-01T03:00:00Z",
            420
        ),
        // Observed at 18:16 for 19:52.
        (.ovation, "ovation_aurora_latest.2026-08-01-quiet.json", "2026-08-01T18:16:00Z", 186),
        (.scales, "noaa-scales.2026-08-01.json", "2026-08-01T07:47:00Z", 60),
    ])
    func newestMomentOfTheProductCounts(
        product: AuroraProduct,
        file: String,
        time: String,
        minutes: Int
    ) throws {
        let bytes = try recording("spaceweather/\(file)")
        let payload = try product.decode(bytes, now: at(time).minutes(100))
        let expected = DataFreshness(time: at(time), ageMax: .seconds(60 * minutes))
        expectEqual(payload.freshness, expected)
    }

    @Test func whatSaysHowLongItHoldsDoesNotAge() throws {
        let forecast = try recording(
            "spaceweather/noaa-planetary-k-index-forecast.2026-08-01.objects.json"
        )
        let now = at("2026-08-01T08:00:00Z")
        try expectNil(AuroraProduct.kForecast.decode(forecast, now: now).freshness)
        expectNil(AuroraPayload.kOutlook(KOutlook(days: [])).freshness)
        expectNil(AuroraPayload.bulletins(Bulletins()).freshness)
        expectNil(AuroraPayload.solarWind(SolarWind(minutes: [])).freshness)
    }
}
