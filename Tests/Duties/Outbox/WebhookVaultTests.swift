import Configuration
import Expectations
import HubTesting

@testable import Duties

@Suite("Secrets of webhooks in the store", .timeLimit(.minutes(10)))
struct WebhookVaultTests {
    private static let vault = WebhookVault(secret: Secret(String(repeating: "k", count: 32)))
    private static let other = WebhookVault(secret: Secret(String(repeating: "o", count: 32)))
    private static let without = WebhookVault(secret: nil)
    private static let secret = WebhookSecret(key: [UInt8](repeating: 5, count: 32))

    // MARK: One text

    @Test func sealedTextOpensOnlyWhereItBelongs() throws {
        let sealed = Self.vault.seal("whsec_x", "secret", of: "wh_1")
        expect(WebhookVault.isSealed(sealed) && !sealed.contains("whsec"))
        try expectEqual(Self.vault.open(sealed, "secret", of: "wh_1"), "whsec_x")
        for (field, endpoint) in [("signingKey", "wh_1"), ("secret", "wh_2")] {
            #expect(throws: WebhookVaultError.wrongKey(endpoint)) {
                try Self.vault.open(sealed, field, of: endpoint)
            }
        }
    }

    @Test func otherKeyAndNoKeyAreTwoErrors() {
        let sealed = Self.vault.seal("whsec_x", "secret", of: "wh_1")
        #expect(throws: WebhookVaultError.wrongKey("wh_1")) {
            try Self.other.open(sealed, "secret", of: "wh_1")
        }
        #expect(throws: WebhookVaultError.noKey("wh_1")) {
            try Self.without.open(sealed, "secret", of: "wh_1")
        }
        #expect(throws: WebhookVaultError.wrongKey("wh_1")) {
            try Self.vault.open(WebhookVault.prefix + "no base64", "secret", of: "wh_1")
        }
    }

    @Test func withoutAKeyTextsStayAsTheyAre() throws {
        expectEqual(Self.without.seal("whsec_x", "secret", of: "wh_1"), "whsec_x")
        for vault in [Self.vault, Self.without] {
            try expectEqual(vault.open("whsec_x", "secret", of: "wh_1"), "whsec_x")
        }
    }

    // MARK: The store

    private func service(
        _ store: HubStore,
        _ vault: WebhookVault
    ) async throws -> WebhookService {
        try await WebhookService(
            configured: [],
            store: store,
            connector: WebhookConnector(
                rules: .init(allowed: [], ports: [], development: false),
                resolver: SystemResolver()
            ),
            vault: vault,
            wake: {},
            logger: silentLogger
        )
    }

    private func endpoint() throws -> WebhookEndpoint {
        var endpoint = WebhookEndpoint(
            name: "wh_1",
            url: "https://example.org/in",
            secrets: [Self.secret],
            filter: try WebhookFilter(types: [], topics: [], severities: []),
            timeout: WebhookService.timeout,
            isConfigured: false
        )
        endpoint.signingKey = .random()
        endpoint.former = WebhookEndpoint.Former(
            secret: Self.secret,
            signingKey: .random(),
            until: HubClock.wall + .seconds(3600)
        )
        return endpoint
    }

    private func stored(_ store: HubStore) async throws -> String {
        let rows = try await store.state(domain: WebhookSubscription.domain)
        return String(decoding: try require(rows.first?.value), as: UTF8.self)
    }

    @Test func secretsThatWereStoredWithoutAKeyAreSealedAtTheStart() async throws {
        try await withTemporaryStore { store in
            try await service(store, Self.without).commit(try endpoint())
            try await expect(stored(store).contains("whsec_"))
            let second = try await service(store, Self.vault)
            try await second.sealStored()
            let row = try await stored(store)
            expect(!row.contains("whsec_") && !row.contains("whsk_"))
            let third = try await service(store, Self.vault)
            expectEqual(third.directory["wh_1"]?.secrets, [Self.secret])
            expectEqual(third.directory["wh_1"]?.former?.secret, Self.secret)
            expect(third.directory["wh_1"]?.signingKey != nil)
        }
    }

    @Test func changedSubscriptionIsSealed() async throws {
        try await withTemporaryStore { store in
            try await service(store, Self.vault).commit(try endpoint())
            try await expect(!stored(store).contains("whsec_"))
        }
    }

    @Test func sealedStoreNeedsItsKeyToStart() async throws {
        try await withTemporaryStore { store in
            try await service(store, Self.vault).commit(try endpoint())
            await #expect(throws: WebhookVaultError.noKey("wh_1")) {
                try await service(store, Self.without)
            }
            await #expect(throws: WebhookVaultError.wrongKey("wh_1")) {
                try await service(store, Self.other)
            }
        }
    }
}
