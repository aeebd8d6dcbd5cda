import Expectations
import SeededRandom

@testable import Aurora

@Suite("Tonight: the score of the night and its texts", .timeLimit(.minutes(10)))
struct TonightTests {
    @Test func formHasTheDocumentedKeysInTheirOrder() throws {
        let tonight = Sky(cloud: 0).tonight
        let members = try JSONReader.fields(of: tonight.json()[...])
        expectEqual(
            members.map(\.key),
            [
                "score", "level", "confidence", "headline", "summary", "best_time", "tips",
                "updated",
            ]
        )
        expectEqual(
            text(tonight.json(language: .english)),
            """
            {"score":94,"level":"excellent","confidence":"medium",\
            "headline":"Very good chance of aurora tonight",\
            "summary":"Kp up to 4.3. Cloud cover at the best time 0%. \
            Polar night, and dark enough from 13:55 to 09:35.",\
            "best_time":"Between 17:00 and 01:00",\
            "tips":["Get away from street lights","Put on wool and a hat",\
            "Give it an hour: the aurora comes and goes"],\
            "updated":"2025-12-21T11:20:00.000Z"}
            """
        )
    }

    @Test func scoreIsThatOfTheBestHourAndThisMomentIsOneOfThem() {
        let storm = Sky(now: at("2025-12-21T20:20:00Z"), kp: 1, cloud: 0, ovation: 90)
        let conditions = storm.derivation.conditions
        expectEqual(storm.tonight.score, conditions.score)
        expectEqual(storm.tonight.level, conditions.level)
        expectEqual(storm.tonight.bestTime(.norwegian), "Fra nå til 22:00")
        // Before the night this moment is none of it.
        let noon = Sky(now: at("2025-12-21T11:00:00Z"), kp: 3, cloud: 0, ovation: 90)
        expectEqual(noon.tonight.score, 62)
    }

    @Test func nightWithoutAForecastOfKpSaysSo() throws {
        let tonight = Sky(kp: nil).tonight
        expect(tonight.score > 0)
        expectNil(tonight.kpMax)
        expectEqual(tonight.confidence, .low)
        expect(tonight.summary(.norwegian).hasPrefix("Kp er ikke varslet."))
    }

    /// Tromsø in December, by the place's clock: it is dark until half past nine.
    @Test(arguments: [
        ("2025-12-09T04:59:00Z", "i natt", "2025-12-09"),
        ("2025-12-09T05:00:00Z", "i kveld", "2025-12-10"),
        ("2025-12-09T07:00:00Z", "i kveld", "2025-12-10"),
        ("2025-12-09T12:00:00Z", "i kveld", "2025-12-10"),
        ("2025-12-09T22:59:00Z", "i kveld", "2025-12-10"),
        ("2025-12-09T23:00:00Z", "i natt", "2025-12-10"),
        ("2025-09-20T01:00:00Z", "i natt", "2025-09-20"),
        ("2025-09-20T03:30:00Z", "i kveld", "2025-09-21"),
    ])
    func tonightIsTheComingEveningFromTheEarlyMorningOn(
        now: String,
        words: String,
        end: String
    ) throws {
        let tonight = Sky(now: at(now), kp: 3, cloud: 0).tonight
        let headline = tonight.headline(.norwegian)
        expect(headline.hasSuffix(words), "\(headline)")
        let night = try require(tonight.night)
        expectEqual(Place.tromso.zone.dateText(night.end), end)
        expect(!tonight.headline(.english).isEmpty)
    }

    /// The mornings of places without a time zone follow the sun: 05:00 UTC is evening in Alaska.
    @Test func morningOfAPlaceWithoutATimeZoneIsThatOfItsSun() throws {
        let place = try Place(id: "fairbanks", name: "Fairbanks", latitude: 64.8, longitude: -147.7)
        for (now, start) in [
            ("2025-12-10T08:00:00Z", "2025-12-10"), ("2025-12-10T15:00:00Z", "2025-12-10"),
            ("2025-12-10T16:30:00Z", "2025-12-11"),
        ] {
            let night = try require(Night(after: at(now), at: place))
            expect(night.start.iso8601.hasPrefix(start), "\(now)")
        }
    }

    @Test func lightsOfTheSouthAreSouthern() throws {
        let hobart = try Place(id: "hobart", name: "Hobart", latitude: -42.9, longitude: 147.3)
        let sky = Sky(now: at("2025-06-21T12:00:00Z"), place: hobart, kp: 9, cloud: 0, ovation: 60)
        let texts = { (language: Language) in
            let (tonight, now) = (sky.tonight, sky.derivation.conditions)
            return [
                tonight.headline(language), tonight.summary(language), now.headline(language),
                now.recommendation(language),
            ] + tonight.tips(language)
        }
        expect(texts(.norwegian).filter { $0.contains("nordlys") }.isEmpty)
        expectEqual(texts(.norwegian).first?.contains("sørlys"), true)
        expect(texts(.norwegian).contains("Gi det en time: sørlyset kommer og går"))
        expectEqual(texts(.english).first?.contains("aurora"), true)
    }

    @Test func midnightSunHasNoNight() {
        let tonight = Sky(now: at("2025-06-21T11:00:00Z"), kp: 9, cloud: 0).tonight
        expectEqual(tonight.score, 0)
        expectEqual(tonight.level, Level.none)
        expectEqual(tonight.confidence, .high)
        expectEqual(tonight.summary(.norwegian), "Midnattssol: sola går ikke ned.")
        expectEqual(tonight.bestTime(.norwegian), "Ingen gode timer")
        let may = Sky(now: at("2025-05-05T11:00:00Z"), kp: 9, cloud: 0).tonight
        expectEqual(may.summary(.english), "The night is too bright.")
    }

    @Test func placeWithoutAZoneHasItsTimesInUTC() throws {
        let place = try Place(id: "fairbanks", name: "Fairbanks", latitude: 64.8, longitude: -147.7)
        let tonight = Sky(place: place, cloud: 0).tonight
        expect(tonight.bestTime(.english).hasSuffix(" UTC"))
    }

    // MARK: Texts and numbers

    /// The words that claim a level, each in one level's texts alone.
    private static let claims: [Language: [Level: String]] = [
        .norwegian: [
            .low: "Små sjanser", .moderate: "Middels sjanser", .good: "Gode sjanser",
            .excellent: "Svært gode sjanser",
        ],
        .english: [
            .low: "Small chance", .moderate: "Fair chance", .good: "Good chance",
            .excellent: "Very good chance",
        ],
    ]

    private func claimed(_ text: String, _ language: Language) -> [Level] {
        Level.allCases.filter { level in
            TonightTests.claims[language]?[level].map(text.hasPrefix) ?? false
        }
    }

    /// Skies at random: at each, both forms and both languages claim the level that their score has, and
    /// no text has a number that is not in the data.
    @Test func noTextClaimsALevelThatTheScoreDoesNotHave() {
        let seed: UInt64 = 20_251_221
        var random = SeededGenerator(seed: seed)
        var seen: Set<Level> = []
        for round in 0..<400 {
            var sky = Sky()
            sky.now = at("2025-01-01T00:00:00Z").minutes(
                Int.random(in: 0..<525_600, using: &random)
            )
            sky.kp =
                Int.random(in: 0..<6, using: &random) == 0
                ? nil : Double.random(in: 0...9, using: &random)
            sky.cloud =
                Int.random(in: 0..<6, using: &random) == 0
                ? nil : Double.random(in: 0...100, using: &random)
            sky.ovation =
                Bool.random(using: &random)
                ? UInt8.random(in: 0...100, using: &random) : nil
            let tonight = sky.tonight
            let conditions = sky.derivation.conditions
            seen.insert(tonight.level)
            let context = Comment(rawValue: "seed \(seed), round \(round)")
            for language in Language.all {
                let expected = tonight.level > .none ? [tonight.level] : []
                expectEqual(claimed(tonight.headline(language), language), expected, context)
                let known = conditions.limitingFactor != .data && conditions.level > .none
                expectEqual(
                    claimed(conditions.headline(language), language),
                    (known ? [conditions.level] : []),
                    context
                )
                check(tonight, language, context)
                check(conditions, language, context)
            }
            if let best = tonight.best, !best.isNow {
                expectEqual(
                    LevelBounds.standard.level(of: Double(tonight.score), previous: nil),
                    tonight.level,
                    context
                )
            }
        }
        expectEqual(seen, Set(Level.allCases), "all levels came up")
    }

    /// The event has the texts of the form, which were checked, in every language.
    private func check(_ conditions: Conditions, _ language: Language, _ context: Comment) {
        let event = conditionsEvent(conditions, id: "id")
        func member(_ name: String) -> String? {
            JSONReader.members(of: event.data[...], at: name, language.code)
        }
        expectEqual(member("headlines"), conditions.headline(language), context)
        expectEqual(member("recommendations"), conditions.recommendation(language), context)
    }

    private func check(_ tonight: Tonight, _ language: Language, _ context: Comment) {
        let summary = tonight.summary(language)
        expectEqual((tonight.window != nil), (tonight.level > .none), context)
        guard let best = tonight.best else { return }
        let cloud = best.weather.cloud.map { Int($0.rounded()) }
        expectEqual(summary.contains("%"), (cloud != nil), context)
        if let cloud { expect(summary.contains(" \(cloud)"), context) }
        let isKpTold = summary.contains("Kp up to ") || summary.contains("Kp opp til ")
        expectEqual(isKpTold, (tonight.kpMax != nil), context)
        if let window = tonight.window {
            expect(window.lowerBound < window.upperBound, context)
            expect(window.contains(max(best.time, tonight.time)), context)
        }
    }
}

extension JSONReader {
    /// A text of an object within an object.
    static func members(of bytes: ArraySlice<UInt8>, at name: String, _ key: String) -> String? {
        guard let outer = try? fields(of: bytes).first(where: { $0.key == name }),
            let inner = try? fields(of: outer.value).first(where: { $0.key == key })
        else { return nil }
        return string(inner.value)
    }
}
