import ConfigurationTesting
import DomainKit
import Expectations

@testable import ActivityApp

@Suite("Configuration: the film app", .timeLimit(.minutes(10)))
struct ActivitySectionTests {
    private static let domains = [ActivityDomain.configuration]

    /// Every key, each with a value that is not its default.
    private static let everyKey = """
        activity:
          requests_per_minute: 60
          writes_per_minute: 12
          fanout_in_act: 50
          recompute_interval: 1m
          recommendations: 20
          friends_max: 1000
          catalogue: films.json
        """

    private func load(
        _ yaml: String,
        environment: [String: String] = [:]
    ) throws -> LoadedConfiguration {
        try ConfigurationTesting.load(yaml, domains: Self.domains, environment: environment)
    }

    private static let secret = "tokens: {secrets: [a secret of at least thirty-two bytes]}\n"

    private func activity(_ keys: String) throws -> ActivitySection {
        try require(load(Self.secret + "activity: {\(keys)}").configuration[ActivitySection.self])
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
        try expectNil(load("development: true").configuration[ActivitySection.self])
        try expectEqual(activity(""), ActivitySection())
    }

    @Test func everyKeyIsRead() throws {
        let activity = try require(
            load(Self.secret + Self.everyKey).configuration[ActivitySection.self]
        )
        expectEqual(activity.requestsPerMinute, 60)
        expectEqual(activity.writesPerMinute, 12)
        expectEqual(activity.fanoutInAct, 50)
        expectEqual(activity.recomputeInterval, .seconds(60))
        expectEqual(activity.recommendations, 20)
        expectEqual(activity.friendsMax, 1000)
        expectEqual(activity.catalogue, "films.json")
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
        expectEqual(found.isEmpty, isAccepted)
        if !isAccepted { expect(found.allSatisfy { $0.hasPrefix("namespaces[1].name: found") }) }
        expect(problems(Self.secret + yaml).isEmpty, "without the film app it is one like others")
    }

    // MARK: Listing

    @Test func everyKeyOfTheSectionIsInThatExample() throws {
        let loaded = try load(Self.secret + Self.everyKey)
        for key in ActivitySection.schema(under: "activity.") {
            let path = key.path.replacing("[]", with: "[0]")
            expect(loaded.origin(of: path) != .defaultValue, "\(path)")
        }
    }

    @Test func listingReadsBackAsTheSameSection() throws {
        let loaded = try load(Self.secret + Self.everyKey)
        let again = try load(loaded.describe())
        expectEqual(
            again.configuration[ActivitySection.self],
            loaded.configuration[ActivitySection.self]
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
        let accounts = try require(loaded.configuration.accounts)
        expectEqual(accounts.accessTokenLifetime, .seconds(7200))
        expectEqual(accounts.refreshTokenLifetime, .seconds(30 * 86_400))
        expectEqual(accounts.apple.clientIDs, ["a"])
        expectEqual(accounts.apple.keysFile, "b.json")
        expectEqual(
            loaded.movedKeys.map(\.description),
            [
                "varde.yaml:2:26: activity.access_token_lifetime is now"
                    + " accounts.access_token_lifetime; the next version refuses the former name",
                "varde.yaml:3:27: activity.refresh_token_lifetime is now"
                    + " accounts.refresh_token_lifetime; the next version refuses the former name",
                "varde.yaml:5:5: activity.apple is now accounts.apple; the next version refuses"
                    + " the former name",
            ]
        )
        expect(loaded.configuration[ActivitySection.self] != nil, "the film app is still on")
        let place = ConfigurationOrigin.file(name: "varde.yaml", line: 2, column: 26)
        expectEqual(loaded.origin(of: "accounts.access_token_lifetime"), place)
    }

    @Test func newKeysHaveNoWarning() throws {
        try expect(load("accounts: {access_token_lifetime: 2h}").movedKeys.isEmpty)
    }

    @Test func formerAndNewKeysGoTogetherUnlessTheyAreTheSame() throws {
        let yaml = """
            accounts: {refresh_token_lifetime: 10d}
            activity: {access_token_lifetime: 2h}
            """
        let accounts = try require(load(yaml).configuration.accounts)
        expectEqual(accounts.accessTokenLifetime, .seconds(7200))
        expectEqual(accounts.refreshTokenLifetime, .seconds(10 * 86_400))
    }

    @Test(arguments: [true, false])
    func sameKeyTwiceIsAnErrorWithBothPaths(isFormerFirst: Bool) {
        let former = "activity: {access_token_lifetime: 2h}\n"
        let new = "accounts: {access_token_lifetime: 3h}\n"
        expectEqual(
            problems(isFormerFirst ? former + new : new + former),
            [
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
        expectEqual(found.count, 1)
        expectEqual(found.first?.hasPrefix("accounts.access_token_lifetime: found 1s"), true)
    }

    @Test func formerKeysAreNeitherShownNorDocumented() throws {
        let text = try load(Self.former).describe()
        expect(text.contains("accounts:\n"))
        let activity = try require(text.range(of: "activity:\n"))
        expect(!text[activity.upperBound...].contains("access_token_lifetime"))
        let documented = ConfigurationSchema(Self.domains).keys.map(\.path)
        expect(!documented.contains { $0.hasPrefix("activity.apple") })
    }

    // MARK: Beginnings

    @Test func everyBeginningOfTheSectionIsReadOrRefused() {
        // Nothing but the documented outcomes: no trap, and each problem has a place.
        for length in 0...Self.everyKey.utf8.count {
            let beginning = String(decoding: Self.everyKey.utf8.prefix(length), as: UTF8.self)
            let found = ConfigurationTesting.problems(
                Self.secret + beginning,
                domains: Self.domains
            )
            for message in found { expect(message.hasPrefix("varde.yaml:")) }
        }
    }
}
