import Configuration
import Expectations
import Foundation

@Suite("docs/reference/configuration.md", .timeLimit(.minutes(10)))
struct ConfigurationReferenceTests {
    /// With `WRITE_REFERENCE` in the environment, the page is written before it is compared.
    @Test func pageIsTheOneGeneratedFromTheFields() throws {
        let path = ConfigurationReference.path
        if ProcessInfo.processInfo.environment["WRITE_REFERENCE"] != nil {
            try ConfigurationReference.text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let isCurrent = page == ConfigurationReference.text
        expect(isCurrent, "\(path) is out of date: run `\(ConfigurationReference.command)`")
    }

    @Test(arguments: ConfigurationSchema.whole.keys)
    func meaningFitsIntoOneCellOfATable(key: ConfigurationKey) {
        expect(key.meaning.count > 10)
        expect(!key.meaning.contains("\n"))
        expect(!key.meaning.contains("|"))
    }
}
