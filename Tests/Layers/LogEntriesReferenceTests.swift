import Expectations
import Foundation

@Suite("Reference of log entries", .timeLimit(.minutes(10)))
struct LogEntriesReferenceTests {
    private static let path = SourceTree.root.appending(path: "docs/reference/log-entries.md").path

    private static let introduction = """
        # Log entries reference

        This page lists every entry of the log with its level, its fields and the part of the program that writes it.
        [OPERATIONS.md](../OPERATIONS.md#log) explains the entries that need an action.

        The page is generated from the calls in the source. After a change there, run `make reference`.

        - "…" stands for fields or a level that depend on the case.
        - `trace_id` is in every entry about a traced request: [how-to/tracing.md](../how-to/tracing.md).

        | entry | level | fields | part |
        | --- | --- | --- | --- |

        """

    /// With `WRITE_REFERENCE` in the environment, the page is written before it is compared.
    @Test func referenceIsTheOneGeneratedFromTheCalls() throws {
        let list = try LayerList.read()
        let files = try SourceTree.read().files.filter(\.isSwift)
        let rows = files.flatMap { file in
            LogCall.all(in: file.text).flatMap { call in
                call.texts.map { row($0, call, module: list.part(of: file)) }
            }
        }
        let page = Self.introduction + Set(rows).sorted().joined()
        if ProcessInfo.processInfo.environment["WRITE_REFERENCE"] != nil {
            try page.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOfFile: Self.path, encoding: .utf8)
        let isCurrent = committed == page
        expect(isCurrent, "\(Self.path) is out of date: run `make reference`")
    }

    private func row(_ text: String, _ call: LogCall, module: String) -> String {
        let level = call.level.replacing(".", with: "")
        let fields = call.fields.map { $0.map { "`\($0)`" }.joined(separator: ", ") } ?? "…"
        return
            "| `\(text)` | \(LogCall.levels.contains(level) ? level : "…") | \(fields) | `\(module)` |\n"
    }
}
