import Configuration
import Expectations
import Service

@Suite("Keys of providers", .timeLimit(.minutes(10)))
struct ProviderKeyTests {
    private func find(_ source: SecretSource) -> (key: Secret?, reports: [String]) {
        var reports: [String] = []
        let key = source.providerKey(
            environment: ["GOOD": "from-environment", "TORN": "a\r\nb", "EMPTY": " "],
            readFile: { $0 == "/good" ? "from-file\n" : nil },
            report: { reports.append("\($0): \($1)") }
        )
        return (key, reports)
    }

    @Test(arguments: [
        (SecretSource.text(Secret("from-text")), "from-text"),
        (.file("/good"), "from-file"),
        (.environment("GOOD"), "from-environment"),
        (.text(Secret("!~")), "!~"),
    ])
    func keyIsFoundAtItsSource(source: SecretSource, key: String) {
        let found = find(source)
        expectEqual(found.key, Secret(key))
        expect(found.reports.isEmpty)
    }

    @Test(arguments: [
        (SecretSource.file("/missing"), "key_file: nothing found where the key should be"),
        (.environment("MISSING"), "key_env: nothing found where the key should be"),
        (.environment("EMPTY"), "key_env: nothing found where the key should be"),
        (
            .environment("TORN"),
            "key_env: found a text that is no key, expected ASCII without spaces"
        ),
        (
            .text(Secret("a b")),
            "key: found a text that is no key, expected ASCII without spaces"
        ),
        (
            .text(Secret("ø")),
            "key: found a text that is no key, expected ASCII without spaces"
        ),
    ])
    func missingOrInvalidKeyIsReportedOnce(source: SecretSource, report: String) {
        let found = find(source)
        expectNil(found.key)
        expectEqual(found.reports, [report])
    }
}
