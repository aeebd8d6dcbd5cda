import ConfigurationTesting
import Testing

@testable import Configuration

@Suite("Configuration: the film app", .timeLimit(.minutes(10)))
struct ConfigurationActivityTests {
    private static let secret = "tokens: {secrets: [a secret of at least thirty-two bytes]}\n"

    private func activity(_ keys: String) throws -> Configuration.Activity {
        try #require(load(Self.secret + "activity: {\(keys)}").configuration.activity)
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

    @Test func filmAppIsOffUntilItsSectionIsThere() throws {
        #expect(try load("development: true").configuration.activity == nil)
        #expect(try activity("") == Configuration.Activity())
    }

    @Test func everyKeyIsRead() throws {
        let activity = try #require(load(everyKey).configuration.activity)
        #expect(activity.apple.clientIDs == ["org.example.app", "org.example.web"])
        #expect(activity.apple.issuer == "https://id.example.org")
        #expect(activity.apple.keysURL == "https://id.example.org/keys")
        #expect(activity.accessTokenLifetime == .seconds(7200))
        #expect(activity.refreshTokenLifetime == .seconds(30 * 86_400))
        #expect(activity.requestsPerMinute == 60)
        #expect(activity.writesPerMinute == 12)
        #expect(activity.fanoutInAct == 50)
        #expect(activity.recomputeInterval == .seconds(60))
        #expect(activity.recommendations == 20)
        #expect(activity.friendsMax == 1000)
        #expect(activity.catalogue == "films.json")
        #expect(try self.activity("apple: {keys_file: a.json}").apple.keysFile == "a.json")
    }

    // MARK: Keys and secrets

    @Test(
        arguments: [
            ("", nil), ("apple: {keys_url: 'https://a.example/k'}", nil),
            ("apple: {client_ids: [a]}", "https://appleid.apple.com/auth/keys"),
            ("apple: {client_ids: [a], keys_url: 'https://a.example/k'}", "https://a.example/k"),
            ("apple: {client_ids: [a], keys_file: a.json}", nil),
        ] as [(String, String?)]
    )
    func keysAreFetchedOnlyForSomebodyWhoMayLogIn(keys: String, url: String?) throws {
        #expect(try activity(keys).apple.effectiveKeysURL == url)
    }

    @Test func keysStandInOnePlace() {
        let yaml = Self.secret + "activity: {apple: {keys_url: 'https://a', keys_file: b}}"
        #expect(
            problems(yaml) == [
                "activity.apple.keys_file: found keys_url and keys_file, expected only one of them"
            ]
        )
    }

    @Test func refreshTokenLivesAtLeastAsLongAsTheOther() throws {
        let same = "access_token_lifetime: 2h, refresh_token_lifetime: 2h"
        #expect(try activity(same).refreshTokenLifetime == .seconds(7200))
        #expect(
            problems(
                Self.secret
                    + "activity: {access_token_lifetime: 2h, refresh_token_lifetime: 119m}"
            ) == [
                "activity.refresh_token_lifetime: found 119m, expected no less than"
                    + " access_token_lifetime, 2h"
            ]
        )
    }

    @Test func secretIsNeededUnlessItIsDevelopment() throws {
        #expect(
            problems("activity: {}") == [
                "tokens.secrets: found none, expected one, or VARDE_TOKEN_SECRET: whoever logs in"
                    + " to the film app gets a token that is signed with it"
            ]
        )
        #expect(problems("development: true\nactivity: {}").isEmpty)
        let environment = ["VARDE_TOKEN_SECRET": "a secret of at least thirty-two bytes"]
        #expect(try load("activity: {}", environment: environment).configuration.activity != nil)
    }

    // MARK: Topics

    @Test(arguments: [
        ("subscribe: owner", true), ("subscribe: owner, history_size: 5, presence: true", true),
        ("subscribe: owner, owner: 'activity:{userId}'", true), ("history_size: 5", false),
        ("subscribe: users", false), ("subscribe: nobody", false),
        ("subscribe: owner, anonymous_subscribe: true", false),
        ("subscribe: owner, owner: 'activity:{userId}:*'", false),
        ("subscribe: owner, publish: owner", false),
    ])
    func namespaceCannotBeOpenedToOthers(keys: String, isAccepted: Bool) {
        let yaml = "namespaces: [{name: chat}, {name: activity, \(keys)}]\n"
        let found = problems(Self.secret + yaml + "activity: {}")
        #expect(found.isEmpty == isAccepted)
        if !isAccepted { #expect(found.allSatisfy { $0.hasPrefix("namespaces[1].name: found") }) }
        #expect(problems(Self.secret + yaml).isEmpty, "without the film app it is one like others")
    }
}
