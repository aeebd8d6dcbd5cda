import ActivityContractApp
import Foundation

/// The film app at the end of a pipe: it decodes what a hub has answered.
///
///     activity-app < transcript
///
/// A line of the transcript is `{"kind":…,"text":…}`: which answer it is (`AnswerKind`), and its body. For
/// each one it prints a line with what the app has of it. At the first answer that the app would drop, it
/// prints the reason and ends with status 1.
@main
enum ActivityAppCommand {
    private struct Item: Decodable {
        var kind: AnswerKind
        var text: String
    }

    static func main() {
        var lineNumber = 0
        while let line = readLine() {
            lineNumber += 1
            do {
                let item = try JSONDecoder().decode(Item.self, from: Data(line.utf8))
                print(try item.kind.decoded(Array(item.text.utf8)))
            } catch {
                FileHandle.standardError.write(Data("line \(lineNumber): \(error)\n\(line)\n".utf8))
                exit(1)
            }
        }
    }
}
