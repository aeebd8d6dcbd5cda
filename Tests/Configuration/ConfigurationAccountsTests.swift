import ConfigurationTesting
import Expectations

@testable import Configuration

@Suite("Configuration: accounts", .timeLimit(.minutes(10)))
struct ConfigurationAccountsTests {
    private func accounts(_ keys: String) throws -> Configuration.Accounts {
        try require(load("accounts: {\(keys)}").configuration.accounts)
    }

    /// What is wrong, with the path of each key.
    private func problems(_ yaml: String) -> [String] {
        do {
            _ = try load(yaml)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map(\.message)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func accountsAreOffUntilTheirSectionIsThere() throws {
        try expectNil(load("development: true").configuration.accounts)
        try expectEqual(accounts(""), Configuration.Accounts())
    }

    @Test func everyKeyIsRead() throws {
        let accounts = try require(load(everyKey).configuration.accounts)
        expectEqual(accounts.apple.clientIDs, ["org.example.app", "org.example.web"])
        expectEqual(accounts.apple.issuer, "https://id.example.org")
        expectEqual(accounts.apple.keysURL, "https://id.example.org/keys")
        expectEqual(accounts.accessTokenLifetime, .seconds(7200))
        expectEqual(accounts.refreshTokenLifetime, .seconds(30 * 86_400))
        try expectEqual(self.accounts("apple: {keys_file: a.json}").apple.keysFile, "a.json")
    }

    @Test(
        arguments: [
            ("", nil), ("apple: {keys_url: 'https://a.example/k'}", nil),
            ("apple: {client_ids: [a]}", "https://appleid.apple.com/auth/keys"),
            ("apple: {client_ids: [a], keys_url: 'https://a.example/k'}", "https://a.example/k"),
            ("apple: {client_ids: [a], keys_file: a.json}", nil),
        ] as [(String, String?)]
    )
    func keysAreFetchedOnlyForAppsWhoseUsersMayLogIn(keys: String, url: String?) throws {
        try expectEqual(accounts(keys).apple.effectiveKeysURL, url)
    }

    @Test func keysAreInOnePlace() {
        expectEqual(
            problems("accounts: {apple: {keys_url: 'https://a', keys_file: b}}"),
            [
                "accounts.apple.keys_file: found keys_url and keys_file, expected only one of them"
            ]
        )
    }

    @Test func refreshTokenLivesAtLeastAsLongAsTheOther() throws {
        let same = "access_token_lifetime: 2h, refresh_token_lifetime: 2h"
        try expectEqual(accounts(same).refreshTokenLifetime, .seconds(7200))
        expectEqual(
            problems("accounts: {access_token_lifetime: 2h, refresh_token_lifetime: 119m}"),
            [
                "accounts.refresh_token_lifetime: found 119m, expected no less than"
                    + " access_token_lifetime, 2h"
            ]
        )
    }
}
