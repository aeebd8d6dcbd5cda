import ConfigurationTesting
import Expectations

@testable import Hooks

@Suite("Hooks: the section, and the keys that name hooks", .timeLimit(.minutes(10)))
struct HooksSectionTests {
    private func found(_ yaml: String) -> [String] {
        problems(yaml, domains: [HooksDoor.configuration])
    }

    private static let app = "hooks: [{name: app, url: 'http://127.0.0.1:3000/{event}'}]\n"

    @Test func hooksMayBeNamedWhereverTheyDecide() throws {
        let yaml =
            Self.app + """
                clients:
                  connect_hook: app
                  refresh_hook: app
                  rpc_hooks: {"orders.*": app, sum: app}
                namespaces:
                  - {name: chat, subscribe_hook: app, sub_refresh_hook: app, publish_hook: app}
                """
        expectEqual(found(yaml), [])
        let loaded = try ConfigurationTesting.load(yaml, domains: [HooksDoor.configuration])
        expectEqual(loaded.configuration.clients.rpcHooks, ["orders.*": "app", "sum": "app"])
        expectEqual(loaded.configuration.namespaces[0].hooks.publish, "app")
        expect(loaded.describe().contains(#"rpc_hooks: {"orders.*": app, sum: app}"#))
    }

    @Test(arguments: [
        (
            "clients: {connect_hook: app}",
            "varde.yaml:1:25: clients.connect_hook: found app, expected a hook in the section hooks"
        ),
        (
            app + "clients: {rpc_hooks: {sum: ap}}",
            "varde.yaml:2:22: clients.rpc_hooks.sum: found ap, expected app"
        ),
        (
            app + "namespaces: [{name: chat, publish_hook: other}]",
            "varde.yaml:2:41: namespaces[0].publish_hook: found other, expected app"
        ),
        (
            app + "clients: {refresh_hook: app}",
            "varde.yaml:2:25: clients.refresh_hook: found app, expected connect_hook as well:"
                + " clients of tokens refresh with another token"
        ),
        (
            app + "clients: {rpc_hooks: {hub.topics: app}}",
            "varde.yaml:2:22: clients.rpc_hooks: found hub.topics, expected another: hub.* is the"
                + " hub's own"
        ),
        (
            app + "clients: {rpc_hooks: [sum]}",
            "varde.yaml:2:22: clients.rpc_hooks: found a list, expected a mapping of 0 to 256"
                + " entries, each a method pattern and a name"
        ),
    ])
    func wrongNameIsRefusedAtItsPlace(yaml: String, problem: String) {
        expectEqual(found(yaml), [problem])
    }

    @Test(arguments: [
        ("url: app", "URL"), ("url: 'http:///{event}'", "URL"), ("url: 'http://a:b@c/'", "URL"),
        ("url: 'http://a/', secret: secret", "webhook secret does not begin with"),
        ("url: 'http://a/', headers: [Host]", "found Host"),
        ("url: 'http://a/', headers: ['a b']", "found a b"),
        ("url: 'http://a/', headers: [Sec-WebSocket-Key]", "found Sec-WebSocket-Key"),
        ("url: 'http://a/', timeout: 0s", "found 0s"),
        ("url: 'http://a/', concurrency: 0", "found 0"),
    ])
    func wrongValueOfAHookIsRefused(keys: String, problem: String) {
        let all = found("hooks: [{name: app, \(keys)}]")
        expect(all.count == 1 && all[0].contains(problem), "\(all)")
    }

    @Test func hookOfSeveralEventsNeedsThePlaceholder() {
        let one = "hooks: [{name: app, url: 'http://localhost/hook'}]\n"
        expectEqual(found(one + "clients: {connect_hook: app}"), [])
        let two = one + "clients: {connect_hook: app, rpc_hooks: {a: app}}"
        expectEqual(
            found(two),
            [
                "varde.yaml:1:26: hooks[0].url: found no {event}, expected it: the hook is asked"
                    + " about connect, rpc"
            ]
        )
    }

    @Test(arguments: [
        ("http://localhost:3000/{event}", true), ("http://127.0.0.1/{event}", true),
        ("http://[::1]/{event}", true), ("https://app.example.org/{event}", false),
        ("http://10.0.0.1/{event}", false),
    ])
    func unsignedQuestionsThatLeaveTheMachineAreReported(url: String, isLocal: Bool) throws {
        let yaml = "hooks: [{name: app, url: '\(url)'}]"
        let loaded = try ConfigurationTesting.load(yaml, domains: [HooksDoor.configuration])
        let names = ServedNames(
            namespaces: [],
            domains: [],
            domainsOff: [:],
            eventTypes: [:],
            hasBackends: false
        )
        expectEqual(loaded.warnings(names).map(\.path), (isLocal ? [] : ["hooks[0].secret"]))
    }
}
