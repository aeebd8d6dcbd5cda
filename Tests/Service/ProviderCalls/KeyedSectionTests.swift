import Configuration
import Expectations
import Service

@Suite("Sections with the key of a provider", .timeLimit(.minutes(10)))
struct KeyedSectionTests {
    private struct Toy: KeyedSection {
        var key: Secret?
        var keyFile: String?
        var keyEnvironment: String?
        var effectiveURL: String?
        var providerURL: String? = "https://api.example.org/v1"
        var providerKeyVariable: String? = "TOY_KEY"

        static var fields: [ConfigurationField<Toy>] { keyFields(meaning: "The key.") }
    }

    private func toy(_ change: (inout Toy) -> Void) -> Toy {
        var toy = Toy()
        toy.effectiveURL = toy.providerURL
        change(&toy)
        return toy
    }

    @Test func keyIsWhereItIsGiven() {
        expectNil(toy { _ in }.keySource)
        expectEqual(toy { $0.key = Secret("k") }.keySource, .text(Secret("k")))
        expectEqual(toy { $0.keyFile = "f" }.keySource, .file("f"))
        expectEqual(toy { $0.keyEnvironment = "E" }.keySource, .environment("E"))
    }

    @Test(arguments: [
        ("https://api.example.org/v2", "TOY_KEY"), ("http://127.0.0.1:9/v1", "TOY_KEY"),
        ("http://localhost", "TOY_KEY"), ("https://other.example/v1", nil),
        ("https://api.example.org.other.example", nil),
    ])
    func keyOfTheEnvironmentIsOnlyForTheProviderAndThisMachine(url: String, variable: String?) {
        expectEqual(toy { $0.effectiveURL = url }.keyVariable, variable)
    }

    @Test func twoKeysContradictEachOther() {
        expect(toy { $0.key = Secret("k") }.contradictionsOfKeys().isEmpty)
        let found = toy {
            $0.keyFile = "f"
            $0.keyEnvironment = "E"
        }.contradictionsOfKeys()
        expectEqual(found.map(\.path), ["key_env"])
        expectEqual(found.map(\.message), ["found key_file and key_env, expected only one of them"])
    }

    @Test func errorNamesTheVariableOnlyWhereItIsRead() {
        expectEqual(
            toy { _ in }.waysToGiveAKey,
            "key, key_file, key_env or the environment variable TOY_KEY"
        )
        expectEqual(
            toy { $0.effectiveURL = "https://other.example" }.waysToGiveAKey,
            "key, key_file, key_env"
        )
    }

    @Test func sectionHasThreeKeysForTheKey() {
        expectEqual(Toy.schema().map(\.path), ["key", "key_file", "key_env"])
        expectEqual(Toy.schema().first?.meaning, "The key.")
    }
}
