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

    // MARK: Former keys

    private static let former = """
        activity:
          access_token_lifetime: 2h
          refresh_token_lifetime: 30d
          apple:
            client_ids: [a]
            keys_file: b.json
        """

    @Test func formerKeysAreReadWithAWarning() throws {
        let loaded = try load(Self.former)
        let accounts = try #require(loaded.configuration.accounts)
        #expect(accounts.accessTokenLifetime == .seconds(7200))
        #expect(accounts.refreshTokenLifetime == .seconds(30 * 86_400))
        #expect(accounts.apple.clientIDs == ["a"])
        #expect(accounts.apple.keysFile == "b.json")
        #expect(
            loaded.movedKeys.map(\.description) == [
                "varde.yaml:2:26: activity.access_token_lifetime is now"
                    + " accounts.access_token_lifetime; the next version refuses the former name",
                "varde.yaml:3:27: activity.refresh_token_lifetime is now"
                    + " accounts.refresh_token_lifetime; the next version refuses the former name",
                "varde.yaml:5:5: activity.apple is now accounts.apple; the next version refuses"
                    + " the former name",
            ]
        )
        #expect(loaded.configuration.activity != nil, "the film app is still on")
        let place = ConfigurationOrigin.file(name: "varde.yaml", line: 2, column: 26)
        #expect(loaded.origin(of: "accounts.access_token_lifetime") == place)
    }

    @Test func newKeysHaveNoWarning() throws {
        #expect(try load("accounts: {access_token_lifetime: 2h}").movedKeys.isEmpty)
    }

    @Test func formerAndNewKeysGoTogetherUnlessTheyAreTheSame() throws {
        let yaml = """
            accounts: {refresh_token_lifetime: 10d}
            activity: {access_token_lifetime: 2h}
            """
        let accounts = try #require(load(yaml).configuration.accounts)
        #expect(accounts.accessTokenLifetime == .seconds(7200))
        #expect(accounts.refreshTokenLifetime == .seconds(10 * 86_400))
    }

    @Test(arguments: [true, false])
    func sameKeyTwiceIsAnErrorWithBothPaths(isFormerFirst: Bool) {
        let former = "activity: {access_token_lifetime: 2h}\n"
        let new = "accounts: {access_token_lifetime: 3h}\n"
        #expect(
            problems(isFormerFirst ? former + new : new + former) == [
                "activity.access_token_lifetime: found activity.access_token_lifetime and"
                    + " accounts.access_token_lifetime, expected only"
                    + " accounts.access_token_lifetime"
            ]
        )
    }

    @Test func wrongValueOfAFormerKeyIsRefusedWhereItIs() {
        #expect(throws: ConfigurationError.self) {
            try load("activity:\n  access_token_lifetime: 1s\n")
        }
        let found = problems("activity:\n  access_token_lifetime: 1s\n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("accounts.access_token_lifetime: found 1s") == true)
    }

    @Test func formerKeysAreNeitherShownNorDocumented() throws {
        let text = try load(Self.former).describe()
        #expect(text.contains("accounts:\n"))
        let activity = try #require(text.range(of: "activity:\n"))
        #expect(!text[activity.upperBound...].contains("access_token_lifetime"))
        let documented = ConfigurationSchema().keys.map(\.path)
        #expect(!documented.contains { $0.hasPrefix("activity.apple") })
    }
}
