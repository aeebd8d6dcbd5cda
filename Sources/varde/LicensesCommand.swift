import CNotices
import CommandKit

struct LicensesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "licenses",
        abstract: "Prints the licences of the software that this program contains.",
        discussion: "The text is that of THIRD-PARTY-NOTICES in the repository."
    )

    /// THIRD-PARTY-NOTICES, without the final line break.
    static var text: String {
        let text = String(cString: varde_notices())
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    func run() {
        say(Self.text)
    }
}
