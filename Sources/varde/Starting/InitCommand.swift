import CommandKit
import Foundation

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a commented configuration file with new secrets.",
        discussion: """
            The file can be read only by its owner. An existing file is never overwritten. The file is ready \
            for varde serve --config FILE; edit its namespaces first.
            """
    )

    @Argument(help: "The file to write.", completion: .file(extensions: ["yaml", "yml"]))
    var file = "varde.yaml"

    func run() throws {
        let text = ConfigurationTemplate.text(GeneratedSecrets(random: randomBytes))
        try Self.write(text, to: file)
        say("wrote \(file); start the hub with: varde serve --config \(file)")
    }

    /// Writes a new file that only its owner can read.
    static func write(_ text: String, to path: String) throws {
        // O_EXCL: even a file that another process creates at the same moment is not overwritten.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason =
                errno == EEXIST ? "it exists" : String(cString: strerror(errno)).lowercased()
            throw Failure("cannot write \(path): \(reason)")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw Failure("cannot write \(path): \(error.reason)")
        }
    }
}
