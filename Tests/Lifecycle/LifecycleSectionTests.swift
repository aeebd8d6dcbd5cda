import Expectations
import Hub

@testable import Lifecycle

@Suite("Lifecycle: the configuration", .timeLimit(.minutes(10)))
struct LifecycleSectionTests {
    private func configuration(_ text: String) throws -> LoadedConfiguration {
        try LoadedConfiguration(
            file: (name: "varde.yaml", text: text),
            environment: [:],
            domains: [LifecycleDoor.configuration]
        )
    }

    private func problems(_ text: String) -> [String] {
        do {
            _ = try configuration(text)
            return []
        } catch {
            return (error as? ConfigurationError)?.problems.map(\.description) ?? ["\(error)"]
        }
    }

    @Test func theDoorIsOnIfEventsAreNamed() throws {
        func section(_ text: String) throws -> LifecycleSection? {
            LifecycleDoor.section(of: try configuration(text).configuration)
        }
        try expectNil(section("loops: 1"))
        try expectNil(section("users: {last_seen: 1h}"))
        try expectEqual(section("clients: {lifecycle: [users]}")?.lastSeen, .seconds(30 * 86_400))
        try expectEqual(
            section("users: {last_seen: 1h}\nnamespaces: [{name: chat, lifecycle: [topics]}]")?
                .lastSeen,
            .seconds(3600)
        )
    }

    @Test func theTopicsAreThoseOfTheEvents() throws {
        let loaded = try configuration(
            """
            clients: {lifecycle: [clients], leave_after: 0s}
            namespaces: [{name: chat, lifecycle: [topics, members]}, {name: quiet}]
            """
        )
        expectEqual(
            Set(loaded.configuration.lifecycleTopics.map(\.name)),
            ["hub:life", "hub:life:chat"]
        )
        expectEqual(loaded.configuration.clients.leaveAfter, .zero)
    }

    @Test(arguments: [
        ("clients: {lifecycle: [topics]}", "clients.lifecycle"),
        ("clients: {lifecycle: users}", "clients.lifecycle"),
        ("clients: {leave_after: 2h}", "clients.leave_after"),
        ("clients: {leave_after: -1s}", "clients.leave_after"),
        ("namespaces: [{name: chat, lifecycle: [users]}]", "namespaces[0].lifecycle"),
        ("users: {last_seen: 1s}", "users.last_seen"),
        ("users: {seen: 1h}", "users"),
        ("namespaces: [{name: hub, lifecycle: [topics]}]", "namespaces[0].lifecycle"),
        ("namespaces: [{name: alerts, lifecycle: [members]}]", "namespaces[0].lifecycle"),
        (
            "clients: {lifecycle: [users]}\nnamespaces: [{name: hub, durable: false}]",
            "namespaces[0]"
        ),
        (
            "clients: {lifecycle: [users]}\nnamespaces: [{name: hub, history_size: 0}]",
            "namespaces[0]"
        ),
    ])
    func contradictionsNameTheirKey(_ text: String, _ path: String) {
        let found = problems(text)
        expectEqual(found.count, 1, "\(found)")
        expect(found.first?.contains(path) == true, "\(found)")
    }

    @Test func aSectionWithoutEventsIsWithoutEffect() throws {
        let loaded = try configuration("users: {last_seen: 1h}")
        let warnings = LifecycleSection().warnings(in: loaded)
        expectEqual(warnings.map(\.path), ["users"])
    }
}
