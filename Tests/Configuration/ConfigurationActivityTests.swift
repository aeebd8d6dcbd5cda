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
        #expect(activity.requestsPerMinute == 60)
        #expect(activity.writesPerMinute == 12)
        #expect(activity.fanoutInAct == 50)
        #expect(activity.recomputeInterval == .seconds(60))
        #expect(activity.recommendations == 20)
        #expect(activity.friendsMax == 1000)
        #expect(activity.catalogue == "films.json")
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
