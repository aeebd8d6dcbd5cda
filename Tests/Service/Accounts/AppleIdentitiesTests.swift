import Configuration
import ConfigurationTesting
import Expectations
import Foundation
import HubTesting
import LoopTesting
import TokenTesting
import Upstream

@testable import Service

@Suite("Accounts: Apple's keys", .timeLimit(.minutes(10)))
struct AppleIdentitiesTests {
    /// Runs `body` beside a fetcher whose server has the documents one after the other.
    ///
    /// - Parameter body: gets the clock of the fetcher and the number of requests so far. The first one
    ///   has arrived.
    private func run(
        _ documents: [String],
        _ issuer: TestIssuer,
        _ body: (AppleIdentities, Locked<Timestamp>, @Sendable () -> Int) async throws -> Void
    ) async throws {
        let client = UpstreamClient()
        let clock = Locked(HubClock.wall)
        let count = Locked(0)
        try await ScriptedServer.run(
            answer: { _ in
                let number = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                return .json(documents[min(number, documents.count - 1)])
            },
            { server in
                let fetcher = KeySetFetcher(
                    url: server.url,
                    client: client,
                    logger: silentLogger,
                    // What is slow on a busy machine is not what these tests are about.
                    timeout: .seconds(3600),
                    now: { clock.withLock { $0 } }
                )
                let identities = issuer.identities([], fetcher: fetcher)
                let work = Task { await identities.run() }
                for await _ in server.requests.prefix(1) {}
                try await body(identities, clock, { count.withLock { $0 } })
                work.cancel()
                await work.value
            }
        )
        client.shutDown()
    }

    @Test func firstLoginWaitsForTheKeys() async throws {
        let issuer = try await TestIssuer()
        let token = try issuer.token("001.k")
        try await run([issuer.document], issuer) { identities, _, count in
            let waited = try await identities.verify(token, user: nil)
            expectEqual(waited.subject, "001.k")
            expect(identities.hasKeys)
            let second = try await identities.verify(token, user: "001.k")
            expectEqual(second, waited)
            expectEqual(count(), 1)
        }
    }

    @Test func keysAreReadAgainForAKeyThatIsNotKnownButNotAtOnce() async throws {
        let former = try await TestIssuer(keyID: "former")
        let issuer = try await TestIssuer(keyID: "latter")
        let documents = [former.document, issuer.document]
        try await run(documents, issuer) { identities, clock, count in
            let token = try issuer.token("001.k")
            _ = try await identities.verify(try former.token("001.k"), user: nil)
            await #expect(throws: TokenError.unknownKey) {
                try await identities.verify(token, user: nil)
            }
            expectEqual(count(), 1, "they were read a moment ago")
            clock.withLock { $0 = $0 + JWKSCache.unknownKeyInterval }
            let claims = try await identities.verify(token, user: nil)
            expectEqual(claims.subject, "001.k")
            expectEqual(count(), 2)
            let madeUp = try await TestIssuer(keyID: "made up").token("001.k")
            for _ in 0..<10 {
                await #expect(throws: TokenError.unknownKey) {
                    try await identities.verify(madeUp, user: nil)
                }
            }
            expectEqual(count(), 2)
        }
    }

    @Test func tokenOfAnUnknownKeyWaitsForNobodyWhereNothingFetches() async throws {
        let issuer = try await TestIssuer()
        let client = UpstreamClient()
        let fetcher = KeySetFetcher(url: "http://127.0.0.1:1", client: client, logger: silentLogger)
        let hasFetched = await fetcher.fetchAgain()
        expect(!hasFetched, "it does not run")
        let identities = issuer.identities([])
        await #expect(throws: TokenError.unknownKey) {
            try await identities.verify(try issuer.token("001.k"), user: nil)
        }
        client.shutDown()
    }

    @Test func whoeverWaitsIsToldWhenNobodyFetchesAnyMore() async throws {
        let client = UpstreamClient()
        try await ScriptedServer.run(script: [.never]) { server in
            let fetcher = KeySetFetcher(url: server.url, client: client, logger: silentLogger)
            let work = Task { await fetcher.run { _ in } }
            for await _ in server.requests.prefix(1) {}
            async let waited = fetcher.fetchAgain()
            work.cancel()
            await work.value
            _ = await waited
            let hasFetched = await fetcher.fetchAgain()
            expect(!hasFetched)
        }
        client.shutDown()
    }

    @Test func keysAreReadFromAFile() async throws {
        let issuer = try await TestIssuer()
        let file = FileManager.default.temporaryDirectory
            .appending(path: "keys-\(UUID().uuidString).json")
        try Data(issuer.document.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let loaded = try load("accounts: {apple: {client_ids: [a], keys_file: \(file.path())}}")
        let settings = loaded.configuration.accounts
        try await expectEqual(AppleIdentities.keys(settings, loaded)?.map(\.id), ["k1"])
        try await expectNil(AppleIdentities.keys(nil, loaded))
        try Data("{}".utf8).write(to: file)
        let error = await #expect(throws: ConfigurationError.self) {
            try await AppleIdentities.keys(settings, loaded)
        }
        expectEqual(error?.description.contains("accounts.apple.keys_file: "), true)
    }
}
