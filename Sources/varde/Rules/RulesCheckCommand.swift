import AllDomains
import Foundation
import Hub

struct RulesCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reads alert rules and prints their errors with the places.",
        discussion:
            "The file is a configuration, of which only 'alerts' is read, or a list of rules."
    )

    @Argument(help: "A YAML or JSON file; - for standard input.", completion: .file())
    var file: String

    func run() throws {
        let lengthMax = LoadedConfiguration.fileBytesMax
        if file == "-" {
            say(try check(try FileHandle.standardInput.readToEnd() ?? Data()))
        } else {
            say(try check(Data(try contents(ofFile: file, lengthMax: lengthMax))))
        }
    }

    /// Checks the rules and returns the success message.
    func check(_ data: Data) throws -> String {
        guard data.count <= LoadedConfiguration.fileBytesMax,
            let text = String(validating: data, as: UTF8.self)
        else { throw Failure("\(file): found no UTF-8 text of at most 1 MiB") }
        let name = file == "-" ? "stdin" : file
        do throws(ConfigurationError) {
            let names = try checkedRules(
                yaml: text,
                name: name,
                vocabulary: AlertVocabulary(allDomains)
            )
            let count = names.count == 1 ? "1 rule" : "\(names.count) rules"
            return "\(name): \(count) in order: \(names.joined(separator: ", "))"
        } catch {
            throw Failure("rules refused:\n\(error)")
        }
    }
}
