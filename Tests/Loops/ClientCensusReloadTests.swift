import Expectations

@testable import Loops

@Suite("Client census: other limits", .timeLimit(.minutes(10)))
struct ClientCensusReloadTests {
    private static func rates(commands: Int) -> ClientRates {
        var rates = ClientRates()
        rates.userCommands = RateLimit(perSecond: Double(commands), burst: commands)
        return rates
    }

    /// How many of a hundred commands at one time pass.
    private static func passing(_ census: ClientCensus, now: Int64) -> Int {
        (0..<100).count { _ in
            (try? census.takeCommand(user: "u", network: 1, now: now)) != nil
        }
    }

    @Test func rateMayComeChangeAndGo() {
        let census = ClientCensus()
        expectEqual(Self.passing(census, now: 0), 100)
        census.use(
            rates: Self.rates(commands: 3),
            connectionsPerUserMax: 0,
            subscriptionsPerUserMax: 0
        )
        expectEqual(Self.passing(census, now: 0), 3)
        census.use(
            rates: Self.rates(commands: 5),
            connectionsPerUserMax: 0,
            subscriptionsPerUserMax: 0
        )
        expectEqual(Self.passing(census, now: 0), 5)
        census.use(rates: ClientRates(), connectionsPerUserMax: 0, subscriptionsPerUserMax: 0)
        expectEqual(Self.passing(census, now: 0), 100)
    }

    @Test func rateThatStaysGoesOnCounting() {
        let census = ClientCensus(rates: Self.rates(commands: 3))
        expectEqual(Self.passing(census, now: 0), 3)
        census.use(
            rates: Self.rates(commands: 3),
            connectionsPerUserMax: 7,
            subscriptionsPerUserMax: 7
        )
        expectEqual(Self.passing(census, now: 0), 0)
    }

    @Test func lowerLimitSendsNobodyAwayAndLetsNobodyIn() throws {
        let census = ClientCensus()
        for _ in 0..<3 { try census.add(user: "u", now: 0) }
        for _ in 0..<3 { try census.addSubscription(of: "u") }
        census.use(rates: ClientRates(), connectionsPerUserMax: 2, subscriptionsPerUserMax: 3)
        #expect(throws: ClientCensus.Refusal(bound: .connectionsPerUser)) {
            try census.add(user: "u", now: 0)
        }
        #expect(throws: ClientCensus.Refusal(bound: .subscriptionsPerUser)) {
            try census.addSubscription(of: "u")
        }
        census.removeSubscription(of: "u")
        try census.addSubscription(of: "u")
        expectEqual(census.userCount, 1)
    }
}
