import ConfigurationTesting
import Testing

@testable import Configuration

@Suite("Configuration: accounts", .timeLimit(.minutes(10)))
struct ConfigurationAccountsTests {
    private func accounts(_ keys: String) throws -> Configuration.Accounts {
        try #require(load("accounts: {\(keys)}").configuration.accounts)
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
        #expect(try load("development: true").configuration.accounts == nil)
        #expect(try accounts("") == Configuration.Accounts())
    }

    @Test func everyKeyIsRead() throws {
        let accounts = try #require(load(everyKey).configuration.accounts)
        #expect(accounts.apple.clientIDs == ["org.example.app", "org.example.web"])
        #expect(accounts.apple.issuer == "https://id.example.org")
        #expect(accounts.apple.keysURL == "https://id.example.org/keys")
        #expect(accounts.accessTokenLifetime == .seconds(7200))
        #expect(accounts.refreshTokenLifetime == .seconds(30 * 86_400))
        #expect(try self.accounts("apple: {keys_file: a.json}").apple.keysFile == "a.json")
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
        #expect(try accounts(keys).apple.effectiveKeysURL == url)
    }

    @Test func keysAreInOnePlace() {
        #expect(
            problems("accounts: {apple: {keys_url: 'https://a', keys_file: b}}") == [
                "accounts.apple.keys_file: found keys_url and keys_file, expected only one of them"
            ]
        )
    }

    @Test func refreshTokenLivesAtLeastAsLongAsTheOther() throws {
        let same = "access_token_lifetime: 2h, refresh_token_lifetime: 2h"
        #expect(try accounts(same).refreshTokenLifetime == .seconds(7200))
        #expect(
            problems("accounts: {access_token_lifetime: 2h, refresh_token_lifetime: 119m}") == [
                "accounts.refresh_token_lifetime: found 119m, expected no less than"
                    + " access_token_lifetime, 2h"
            ]
        )
    }
}
