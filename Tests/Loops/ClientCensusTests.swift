import Expectations

@testable import Loops

@Suite("The census of clients", .timeLimit(.minutes(10)))
struct ClientCensusTests {
    private func refusal(_ body: () throws -> Void) -> Bound? {
        do {
            try body()
            return nil
        } catch {
            return (error as? ClientCensus.Refusal)?.bound
        }
    }

    @Test func withoutLimitsNothingIsRefused() {
        let census = ClientCensus()
        for _ in 0..<1000 {
            expectNil(refusal { try census.add(user: "7", now: 0) })
            expectNil(refusal { try census.addSubscription(of: "7") })
            expectNil(refusal { try census.takeHandshake(from: 1, now: 0) })
            expectNil(
                refusal {
                    try census.takeCommand(user: "7", network: 1, now: 0)
                }
            )
        }
        expectEqual(census.userCount, 1)
    }

    @Test func usersAreCountedAsLongAsTheyHaveAConnection() throws {
        let census = ClientCensus()
        for user in ["7", "7", "8", ""] { try census.add(user: user, now: 0) }
        expectEqual(census.userCount, 2)
        census.remove(user: "7", subscriptions: 0)
        expectEqual(census.userCount, 2)
        census.remove(user: "7", subscriptions: 0)
        census.remove(user: "", subscriptions: 0)
        expectEqual(census.userCount, 1)
        census.remove(user: "8", subscriptions: 0)
        census.remove(user: "8", subscriptions: 0)
        expectEqual(census.userCount, 0)
    }

    @Test func connectionsOfAUserAreLimitedAndThoseOfNobodyAreNot() throws {
        let census = ClientCensus(connectionsPerUserMax: 2)
        for _ in 0..<2 { try census.add(user: "7", now: 0) }
        expectEqual(refusal { try census.add(user: "7", now: 0) }, .connectionsPerUser)
        try census.add(user: "8", now: 0)
        for _ in 0..<10 { try census.add(user: "", now: 0) }
        census.remove(user: "7", subscriptions: 0)
        try census.add(user: "7", now: 0)
    }

    @Test func subscriptionsOfAUserAreLimitedOverItsConnections() throws {
        let census = ClientCensus(subscriptionsPerUserMax: 3)
        for _ in 0..<2 { try census.add(user: "7", now: 0) }
        for _ in 0..<3 { try census.addSubscription(of: "7") }
        expectEqual(refusal { try census.addSubscription(of: "7") }, .subscriptionsPerUser)
        census.removeSubscription(of: "7")
        try census.addSubscription(of: "7")
        // A connection takes its subscriptions with it.
        census.remove(user: "7", subscriptions: 2)
        for _ in 0..<2 { try census.addSubscription(of: "7") }
        expectEqual(refusal { try census.addSubscription(of: "7") }, .subscriptionsPerUser)
        for _ in 0..<10 { try census.addSubscription(of: "") }
    }

    @Test func connectsOfAUserComeBackWithTheTime() throws {
        var rates = ClientRates()
        rates.userConnects = RateLimit(perSecond: 2, burst: 2)
        let census = ClientCensus(rates: rates)
        for _ in 0..<2 { try census.add(user: "7", now: 1000) }
        expectEqual(refusal { try census.add(user: "7", now: 1499) }, .userConnects)
        try census.add(user: "7", now: 1500)
        expectEqual(refusal { try census.add(user: "7", now: 1999) }, .userConnects)
        try census.add(user: "8", now: 1999)
        try census.add(user: "7", now: 2000)
    }

    /// One that is refused has not come: it takes nobody's place.
    @Test func refusedConnectionIsNotCounted() throws {
        var rates = ClientRates()
        rates.userConnects = RateLimit(perSecond: 1, burst: 1)
        let census = ClientCensus(rates: rates)
        try census.add(user: "7", now: 0)
        expectEqual(refusal { try census.add(user: "7", now: 1) }, .userConnects)
        census.remove(user: "7", subscriptions: 0)
        expectEqual(census.userCount, 0)
    }

    @Test func handshakesAreLimitedByAddressAndInAll() throws {
        var rates = ClientRates()
        rates.addressConnects = RateLimit(perSecond: 1, burst: 2)
        rates.handshakes = RateLimit(perSecond: 1, burst: 3)
        let census = ClientCensus(rates: rates)
        for _ in 0..<2 { try census.takeHandshake(from: 1, now: 0) }
        expectEqual(refusal { try census.takeHandshake(from: 1, now: 0) }, .addressConnects)
        try census.takeHandshake(from: 2, now: 0)
        expectEqual(refusal { try census.takeHandshake(from: 2, now: 0) }, .handshakes)
        try census.takeHandshake(from: 1, now: 1000)
    }

    @Test func loginOverTheRateOfItsAddressIsToldHowLongToWait() {
        var rates = ClientRates()
        rates.addressLogins = RateLimit(perSecond: 2, burst: 3)
        let census = ClientCensus(rates: rates)
        expectEqual((0..<4).map { _ in census.takeLogin(from: 1, now: 0) }, [0, 0, 0, 500])
        expectEqual(census.takeLogin(from: 1, now: 200), 300)
        expectEqual(census.takeLogin(from: 2, now: 200), 0)
        expectEqual(census.takeLogin(from: 1, now: 500), 0)
        expectEqual(census.takeLogin(from: 1, now: 500), 500)
        census.use(rates: ClientRates(), connectionsPerUserMax: 0, subscriptionsPerUserMax: 0)
        expect((0..<100).allSatisfy { _ in census.takeLogin(from: 1, now: 500) == 0 })
    }

    @Test func commandsAndPublicationsHaveRatesOfTheirOwn() throws {
        var rates = ClientRates()
        rates.userCommands = RateLimit(perSecond: 1, burst: 1)
        rates.addressPublishes = RateLimit(perSecond: 1, burst: 2)
        let census = ClientCensus(rates: rates)
        try census.takeCommand(user: "7", network: 1, now: 0)
        expectEqual(
            refusal { try census.takeCommand(user: "7", network: 2, now: 0) },
            .userCommands
        )
        try census.takeCommand(user: "", network: 1, now: 0)
        for user in ["7", "8"] { try census.takePublish(user: user, network: 1, now: 0) }
        expectEqual(
            refusal { try census.takePublish(user: "9", network: 1, now: 0) },
            .addressPublishes
        )
        try census.takePublish(user: "9", network: 2, now: 0)
    }
}
