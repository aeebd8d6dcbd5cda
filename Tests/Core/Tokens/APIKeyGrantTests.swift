import Core
import Expectations

@Suite("API keys: scopes", .timeLimit(.minutes(10)))
struct APIKeyGrantTests {
    private func use(
        _ method: String,
        changes: Bool = false,
        _ namespaces: Set<String>? = ["chat"]
    ) -> APIKeyGrant.Use {
        APIKeyGrant.Use(method, changesSomething: changes, namespaces: namespaces)
    }

    @Test func keyWithoutScopesOpensEverything() {
        let grant = APIKeyGrant(name: "all")
        for name in APIScopes.names {
            expectNil(grant.missingScope(for: use(name, changes: true, nil)), "\(name)")
        }
    }

    @Test func methodsAreNamesAndGroups() {
        let grant = APIKeyGrant(
            name: "some",
            methods: ["publishing", "history_remove", "webhooks"]
        )
        for name in APIScopes.names {
            let isOpen = ["publish", "broadcast", "history_remove", "webhooks"].contains(name)
            let missing = grant.missingScope(for: use(name))
            expectEqual(missing, (isOpen ? nil : "methods: \(name)"))
        }
    }

    @Test func readOnlyKeyChangesNothing() {
        let grant = APIKeyGrant(name: "reader", isReadOnly: true)
        expectNil(grant.missingScope(for: use("history")))
        expectEqual(grant.missingScope(for: use("publish", changes: true)), "read_only: false")
    }

    @Test func namespacesLimitTopics() {
        let grant = APIKeyGrant(name: "chat", namespaces: ["chat", "news"])
        expectNil(grant.missingScope(for: use("publish", changes: true, ["chat", "news"])))
        expectEqual(
            grant.missingScope(for: use("publish", ["chat", "other"])),
            "namespaces: other"
        )
        expectNil(grant.missingScope(for: use("channels", [])))
        let missing = grant.missingScope(for: use("disconnect", changes: true, nil))
        expectEqual(missing, "namespaces: all, because disconnect is not limited to channels")
        expect(grant.allows(namespace: "chat"))
        expect(!grant.allows(namespace: "other"))
    }

    @Test func keyIsFoundAmongOthers() throws {
        let keys = APIKeys(scoped: [
            (try APIKeyHash(key: "the-first-key-0001"), APIKeyGrant(name: "first")),
            (try APIKeyHash(key: "the-second-key-002"), APIKeyGrant(name: "second")),
        ])
        expectEqual(keys.grant(of: "the-second-key-002")?.name, "second")
        expectNil(keys.grant(of: "the-third-key-0003"))
    }

    @Test func hashOfAKeyFindsItInOtherKeys() throws {
        let grant = APIKeyGrant(name: "a")
        let keys = APIKeys(scoped: [(try APIKeyHash(key: "the-first-key-0001"), grant)])
        let entry = try require(keys.entry(of: "the-first-key-0001"))
        expectEqual(entry.grant, grant)
        let others = APIKeys(scoped: [
            (try APIKeyHash(key: "the-second-key-002"), APIKeyGrant(name: "a")),
            (try APIKeyHash(entry.hash.text), APIKeyGrant(name: "renamed")),
        ])
        expectEqual(others.grant(of: entry.hash)?.name, "renamed")
        expectNil(APIKeys([]).grant(of: entry.hash))
        expectNil(keys.entry(of: "the-second-key-002"))
    }
}
