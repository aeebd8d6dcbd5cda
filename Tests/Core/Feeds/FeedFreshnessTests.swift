import Expectations

@testable import Core

@Suite("Expires and max-age, RFC 9111", .timeLimit(.minutes(10)))
struct FeedFreshnessTests {
    /// The headers of a recorded Locationforecast response.
    private let forecast = FeedResponse(
        status: 200,
        lastModified: "Mon, 20 Jul 2020 11:44:31 GMT",
        date: "Mon, 20 Jul 2020 11:44:31 GMT",
        expires: "Mon, 20 Jul 2020 12:14:53 GMT"
    )

    private func machine(honoursExpires: Bool) -> FeedMachine {
        .fixture(policy: FeedPolicy(interval: .seconds(60), honoursExpires: honoursExpires))
    }

    @Test func feedDoesNotAskAgainBeforeExpires() {
        var machine = machine(honoursExpires: true)
        machine.succeed(forecast, random: 0)
        // 30 min 22 s of freshness from the end of the response on.
        expectEqual(machine.nextAttempt, evening + .seconds(1 + 1822))
        expectEqual(machine.validators.notBefore, evening + .seconds(1 + 1822))
    }

    @Test func startAfterExpiresIsSpreadByTheJitter() {
        var machine = machine(honoursExpires: true)
        machine.succeed(forecast, random: 0.5)
        expectEqual(machine.nextAttempt, evening + .seconds(1 + 1822 + 3))
    }

    @Test func policyMayIgnoreExpires() {
        var machine = machine(honoursExpires: false)
        machine.succeed(forecast)
        expectEqual(machine.nextAttempt, evening + .seconds(60))
        expectNil(machine.validators.notBefore)
    }

    @Test func notModifiedRenewsExpires() {
        var machine = machine(honoursExpires: true)
        machine.succeed(forecast, random: 0)
        let now = machine.startWhenDue()
        var response = forecast
        response.status = 304
        _ = machine.finish(response, now: now, random: 0)
        expectEqual(machine.nextAttempt, now + .seconds(1822))
        expectEqual(machine.validators.lastModified, forecast.lastModified)
    }

    @Test func rejectedBodyStillForbidsAskingBeforeExpires() {
        var machine = machine(honoursExpires: true)
        _ = machine.start(now: evening)
        _ = machine.finish(forecast, now: evening, random: 0)
        let problem = machine.rejected("truncated", now: evening, random: 0)
        expectEqual(problem.nextAttempt, evening + .seconds(1822))
        expectNil(machine.validators.lastModified)
    }

    @Test func failureAfterExpiresIsNotHeldBackByIt() throws {
        var machine = machine(honoursExpires: true)
        machine.succeed(forecast, random: 0)
        let end = machine.nextAttempt + .seconds(1)
        let problem = try machine.fail()
        expectEqual(problem.nextAttempt, end + .seconds(2))
    }

    @Test func clockSetBackMovesTheFloorWithIt() throws {
        var machine = machine(honoursExpires: true)
        machine.succeed(forecast, random: 0)
        let hourAgo = evening + .seconds(1) - .seconds(3600)
        let wait = machine.wait(now: hourAgo)
        expectEqual(wait, .seconds(1822))
        let problem = try machine.fail()
        expectEqual(problem.nextAttempt, hourAgo + .seconds(1822 + 1 + 2))
    }

    @Test func expiresWithoutADateIsReadByOurClock() {
        var response = forecast
        response.date = nil
        let now = Timestamp(iso8601: "2020-07-20T12:14:00Z")!
        expectEqual(response.freshUntil(now: now, waitMax: .seconds(3600)), now + .seconds(53))
    }

    @Test(arguments: ["0", "", "never", "Mon, 20 Jul 2020 11:44:31 GMT"])
    func expiresThatIsPastOrUnreadableIsNoFloor(expires: String) {
        var response = forecast
        response.expires = expires
        expectNil(response.freshUntil(now: evening, waitMax: .seconds(3600)))
    }

    @Test func maxAgeMakesExpiresVoid() {
        var response = forecast
        response.cacheControl = "public, max-age=120"
        expectEqual(
            response.freshUntil(now: evening, waitMax: .seconds(3600)),
            evening + .seconds(120)
        )
    }

    @Test func freshnessIsCapped() {
        var response = forecast
        expectEqual(
            response.freshUntil(now: evening, waitMax: .seconds(600)),
            evening + .seconds(600)
        )
        response.cacheControl = "max-age=601"
        expectEqual(
            response.freshUntil(now: evening, waitMax: .seconds(600)),
            evening + .seconds(600)
        )
    }

    @Test(arguments: [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("no-cache, max-age = 5 ", 5), ("max-age=\"7\"", 7),
        ("max-age=0", 0), ("s-maxage=9,max-age=8", 8), ("max-age=2147483648", 2_147_483_648),
        ("max-age=2147483649", 2_147_483_648),
        ("max-age=99999999999999999999", 2_147_483_648),
    ])
    func maxAgeIsRead(field: String, seconds: Int64) {
        expectEqual(maxAgeSeconds(field), seconds)
    }

    @Test(arguments: [
        "", ",", "=", "max-age", "max-age=", "max-age=-1", "max-age=1s", "max-age=\"", "s-maxage=9",
        "max-age=\"\"", "x-max-age=5", "max-age=+5",
    ])
    func fieldWithoutAValidMaxAgeHasNone(field: String) {
        expectNil(maxAgeSeconds(field))
    }
}
