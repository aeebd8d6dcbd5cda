import Expectations

@testable import Aurora

@Suite("Outlook: hours, days and their forms", .timeLimit(.minutes(10)))
struct OutlookTests {
    // MARK: Hours

    @Test func nextHoursAreTheWholeHoursAfterNowWithoutAGap() {
        for now in ["2025-12-21T11:20:00Z", "2025-12-21T11:00:00Z", "2025-12-21T10:59:59Z"] {
            let outlook = Sky(now: at(now)).outlook
            let hours = outlook.nextHours
            expectEqual(hours.count, 24)
            expect(hours[0].time > at(now))
            expect(hours[0].time - at(now) <= .seconds(3600))
            for (index, hour) in hours.enumerated() {
                expectEqual(hour.time, hours[0].time.minutes(60 * index))
                expectEqual(hour.time.milliseconds % 3_600_000, 0)
            }
        }
    }

    /// Kp 3 at magnetic midnight, and what is left of the grid that is measured ten hours before.
    @Test func comingHourIsMadeOfTheKForecastTheCloudAndTheSun() throws {
        let outlook = Sky(kp: 3, cloud: 0, ovation: 100).outlook
        let night = try require(outlook.hours.first { $0.time == at("2025-12-21T22:00:00Z") })
        expectEqual(night.score, 53)
        expectEqual(night.level, .good)
        expectEqual(night.kp, 3)
        expectEqual(night.kpSource, .forecast)
        expectEqual(night.factors.darkness, 1)
        let noon = try require(outlook.hours.first { $0.time == at("2025-12-22T10:00:00Z") })
        expectEqual(noon.score, 0)
        expectEqual(noon.limitingFactor, .darkness)
        expectEqual(noon.confidence, .high)
    }

    @Test func hourThatItIsIsTheOneThatNowShows() {
        let sky = Sky(now: at("2025-12-21T20:20:00Z"), kp: 1, ovation: 90)
        let (hour, conditions) = (sky.outlook.hours[0], sky.derivation.conditions)
        expect(hour.isNow)
        expectEqual(hour.time, at("2025-12-21T20:00:00Z"))
        expectEqual(hour.score, conditions.score)
        expectEqual(hour.level, conditions.level)
        expectEqual(hour.visibility, conditions.visibility)
        expect(sky.outlook.hours.dropFirst().allSatisfy { !$0.isNow })
    }

    @Test func hourBeyondTheKForecastHasTheKpOfTheClimate() throws {
        let outlook = Sky().outlook
        let last = try require(outlook.hours.last { $0.isDark })
        expect(last.time - outlook.time > .seconds(6 * 86_400))
        expectEqual(last.kpSource, .climate)
        expect(abs(last.kp - KClimate.kp(at: last.time)) < 0.2)
        expectEqual(last.confidence, .low)
        expectEqual(last.weather.cloud, 25, "the weather is known for longer")
    }

    @Test func unknownCloudIsSaidInTheVisibility() throws {
        let outlook = Sky(cloud: nil).outlook
        let night = try require(outlook.hours.first { $0.time == at("2025-12-21T22:00:00Z") })
        expectEqual(night.visibility, .unknown)
        expect(!night.weather.isKnown)
        expectEqual(night.weather.shownCloud, 67)
        expectNil(night.factors.clearSky)
    }

    @Test func confidenceFallsWithTheLead() throws {
        let outlook = Sky().outlook
        func hour(_ time: String) throws -> HourOutlook {
            try require(outlook.hours.first { $0.time == at(time) })
        }
        try expectEqual(hour("2025-12-21T18:00:00Z").confidence, .medium)
        try expectEqual(hour("2025-12-23T18:00:00Z").confidence, .low)
    }

    // MARK: Days

    @Test func daysAreThoseOfThePlacesClock() {
        // 00:20 on the 22nd in Tromsø.
        let days = Sky(now: at("2025-12-21T23:20:00Z")).outlook.days(7)
        expectEqual(days.count, 7)
        expectEqual(days.map { ClockZone.centralEuropean.dateText($0.start) }.first, "2025-12-22")
        expectEqual(days.map(\.hours.count), Array(repeating: 24, count: 7))
        expectEqual(days[1].hours.first?.time, days[1].start)
    }

    @Test func everyDayHasHoursAtEveryMomentAndAroundTheChangesOfTheClock() {
        for start in ["2025-03-29T12:00:00Z", "2025-10-25T12:00:00Z", "2025-12-21T22:59:59Z"] {
            for quarter in 0..<96 {
                let sky = Sky(now: at(start).minutes(15 * quarter))
                let days = sky.outlook.days(7)
                expect(days.allSatisfy { !$0.hours.isEmpty })
                let hours = days.flatMap(\.hours)
                expectEqual(hours, sky.outlook.hours, "each hour is one day's")
            }
        }
    }

    @Test func kForecastOfADayIsThatOfItsIntervals() throws {
        let sky = Sky(now: at("2025-12-21T11:20:00Z"))
        let days = sky.outlook.days(4)
        // 09:00 UTC and four more on the 21st, the last of which reaches into the next day: midnight
        // is at 23:00. The forecast ends on the 24th at 09:00.
        expectEqual(days.map(\.kForecast.count), [5, 9, 9, 4])
        expect(days.allSatisfy { $0.kForecast.allSatisfy { $0.kp == 4.33 } })
        for day in days {
            for hour in day.hours where hour.kpSource == .forecast {
                let interval = hour.time.roundedDown(to: KInterval.length)
                expect(day.kForecast.contains { $0.start == interval }, "\(hour.time.iso8601)")
            }
        }
    }

    // MARK: Forms

    private func fields(_ bytes: [UInt8]) throws -> [(key: String, text: String)] {
        try JSONReader.fields(of: bytes[...]).map { ($0.key, text(Array($0.value))) }
    }

    private func rows(_ bytes: [UInt8], _ list: String) throws -> [[(key: String, text: String)]] {
        let value = try require(JSONReader.fields(of: bytes[...]).first { $0.key == list }?.value)
        return try JSONReader.elements(of: value).map { try fields(Array($0)) }
    }

    @Test func hourlyHasTheDocumentedForm() throws {
        let json = Sky().outlook.hourlyJSON()
        let members = try fields(json)
        expectEqual(
            members.map(\.key),
            [
                "status", "location", "hours", "hourly_forecast", "generated_at", "meta",
            ]
        )
        expectEqual(members[0].text, #""success""#)
        expectEqual(members[1].text, #""tromso""#)
        expectEqual(members[2].text, "24")
        expectEqual(members[4].text, #""2025-12-21T11:20:00.000Z""#)
        expectEqual(
            members[5].text,
            #"{"cached":false,"fallback":false,"timestamp":"2025-12-21T11:20:00.000Z"}"#
        )
        let rows = try rows(json, "hourly_forecast")
        expectEqual(rows.count, 24)
        expectEqual(
            rows[0].map(\.text),
            [
                #""2025-12-21T12:00:00.000Z""#, "12", "0", "4.3",
                #"{"cloudCoverage":25,"temperature":-4,"windSpeed":8,"#
                    + #""conditions":"partly_cloudy"}"#, #""none""#,
            ]
        )
        expectEqual(
            rows[0].map(\.key),
            ["time", "hour", "probability", "kp", "weather", "visibility"]
        )
    }

    @Test func whatIsNotKnownHasTypicalNumbersAndMakesItAFallback() throws {
        let json = Sky(kp: nil, cloud: nil).outlook.hourlyJSON()
        let night = try rows(json, "hourly_forecast")[10]
        expectEqual(
            night.map(\.text).dropFirst(2),
            [
                "36", "2",
                #"{"cloudCoverage":67,"temperature":0,"windSpeed":0,"conditions":"unknown"}"#,
                #""unknown""#,
            ]
        )
        expect(text(json).contains(#""fallback":true"#))
    }

    @Test(arguments: 1...7)
    func forecastHasTheDocumentedForm(days: Int) throws {
        let json = Sky(cloud: 0).outlook.forecastJSON(days: days)
        let members = try fields(json)
        expectEqual(
            members.map(\.key),
            ["status", "location", "days_count", "days", "generated_at"]
        )
        expectEqual(members[2].text, "\(days)")
        let rows = try rows(json, "days")
        expectEqual(rows.count, days)
        expectEqual(
            rows[0].map(\.key),
            [
                "date", "probability", "peak_time", "kp_forecast", "weather", "rating",
            ]
        )
        expectEqual(rows[0][0].text, #""2025-12-21""#)
        expectEqual(rows[0][1].text, "94")
        // What is left of the measured Kp, and the magnetic local time.
        expectEqual(rows[0][2].text, #""20:00""#)
        expectEqual(rows[0][3].text, "[4.3,4.3,4.3,4.3,4.3]")
        expectEqual(rows[0][4].text, #"{"cloudCoverage":0,"conditions":"partly_cloudy"}"#)
        expectEqual(rows[0][5].text, #""excellent""#)
    }

    @Test func dayBeyondTheKForecastHasNumbers() throws {
        let row = try require(rows(Sky().outlook.forecastJSON(days: 7), "days").last)
        try expect(require(Int(row[1].text)) > 0)
        expect(row[2].text.wholeMatch(of: /"\d\d:\d\d"/) != nil)
        expectEqual(row[3].text, "[2]")
        expect(Level.allCases.map { "\"\($0)\"" }.contains(row[5].text))
    }

    @Test func brightDayIsRatedNoneAndHasItsDarkestHour() throws {
        let sky = Sky(now: at("2025-06-21T11:00:00Z"), kp: 9, cloud: 0)
        for row in try rows(sky.outlook.forecastJSON(days: 7), "days") {
            expectEqual(row[1].text, "0")
            expect([#""23:00""#, #""00:00""#, #""01:00""#].contains(row[2].text))
            expectEqual(row[5].text, #""none""#)
        }
    }

    /// MET Norway's symbols, some of each kind.
    @Test(
        arguments: [
            ("clearsky_night", "clear"), ("fair_day", "fair"),
            ("partlycloudy_polartwilight", "partly_cloudy"), ("cloudy", "cloudy"), ("fog", "fog"),
            ("heavyrainshowers_night", "rain"), ("lightsnow", "snow"), ("sleet", "sleet"),
            ("lightssnowshowersandthunder_day", "thunder"), ("rainandthunder", "thunder"),
            ("frogs", nil), (nil, nil),
        ] as [(String?, String?)]
    )
    func symbolIsSpelledAsTheContractDoes(symbol: String?, conditions: String?) {
        expectEqual(
            WeatherStep(time: at("2025-12-21T12:00:00Z"), symbol: symbol).conditions,
            conditions
        )
    }

    // MARK: Explanation

    @Test func explanationHasTheFactorsOfEveryHourAndWhatIsMissing() throws {
        let outlook = Sky(kp: nil).outlook
        let json = outlook.explanation(of: .nextHours)
        try expectEqual(
            fields(json).map(\.key),
            ["place", "time", "time_zone", "sun", "night", "hours"]
        )
        let hours = try rows(json, "hours")
        expectEqual(hours.count, 24)
        expectEqual(hours[10].first { $0.key == "missing" }?.text, #"["kp"]"#)
        expectEqual(hours[10].first { $0.key == "basis" }?.text, #""forecast""#)
        expectEqual(hours[10].first { $0.key == "kp_source" }?.text, #""climatology""#)
        let chance = try require(hours[10].first { $0.key == "chance" }?.text)
        expect(chance.contains("moderate") && chance.contains("good"))
        expect(!hours.flatMap { $0 }.contains { $0.text == "null" && $0.key == "score" })
        try expect(rows(outlook.explanation(of: .days(2)), "hours").count > 24)
        try expectEqual(
            rows(outlook.explanation(of: .night), "hours").count,
            outlook.nightHours.count
        )
    }
}
