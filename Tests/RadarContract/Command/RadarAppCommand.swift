import Foundation
import RadarContractApp

/// The radar's app at the end of a pipe: decodes what the hub has sent.
///
///     radar-app < transcript
///
/// A line of the transcript is `{"kind":…,"text":…}`. For each one it prints, on a line, what the app has
/// of it, and it ends with status 1 and the reason at the first that the app would drop.
@main
enum RadarAppCommand {
    static func main() {
        var lineNumber = 0
        while let line = readLine() {
            lineNumber += 1
            do throws(AppDrop) {
                let item = try TranscriptItem(line: line)
                print(try AppDecoder(now: Date()).decode(item.text, as: item.kind))
            } catch {
                let text = "line \(lineNumber): \(error)\n\(line)\n"
                FileHandle.standardError.write(Data(text.utf8))
                exit(1)
            }
        }
    }
}
