import Expectations
import Foundation
import Glibc

@testable import Service

@Suite("Log lines", .timeLimit(.minutes(10)))
struct LineLogHandlerTests {
    private let now = Timestamp(iso8601: "2024-12-09T17:10:05.250Z")!

    private func line(
        _ format: Service.LogFormat,
        _ level: Logger.Level = .info,
        _ message: String = "started",
        own: Logger.Metadata = [:],
        _ metadata: Logger.Metadata? = nil
    ) -> String {
        var handler = LineLogHandler(format: format, writer: LogWriter())
        handler.metadata = own
        let event = LogEvent(
            level: level,
            message: "\(message)",
            metadata: metadata,
            source: nil,
            file: "",
            function: "",
            line: 0
        )
        return String(decoding: handler.line(event, now: now), as: UTF8.self)
    }

    @Test func entryOfATracedTaskHasTheTrace() {
        let trace = TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let text = CurrentTrace.$value.withValue(trace) { line(.text, ["a": "b"]) }
        let field = "trace_id=4bf92f3577b34da6a3ce929d0e0e4736"
        expectEqual(text, "17:10:05 info   started a=b \(field)\n")
        let own = CurrentTrace.$value.withValue(trace) { line(.text, ["trace_id": "own"]) }
        expectEqual(own, "17:10:05 info   started trace_id=own\n")
    }

    // MARK: Text

    @Test func textBeginsWithTimeAndLevel() {
        expectEqual(line(.text), "17:10:05 info   started\n")
        expectEqual(line(.text, .warning), "17:10:05 warning started\n")
    }

    @Test func fieldsFollowInTheOrderOfTheirNames() {
        expectEqual(
            line(.text, own: ["b": "own", "c": "own"], ["a": "given", "c": "given"]),
            "17:10:05 info   started a=given b=own c=given\n"
        )
    }

    @Test(arguments: [
        ("plain", "plain"), ("", #""""#), ("two words", #""two words""#),
        (#"a "word""#, #""a \"word\"""#), ("Tromsø", "Tromsø"), ("a=b", "a=b"),
    ])
    func valueThatIsNoWordIsQuoted(value: String, shown: String) {
        expectEqual(line(.text, ["a": "\(value)"]), "17:10:05 info   started a=\(shown)\n")
    }

    @Test func numbersAreNumbersInJSON() {
        let metadata: Logger.Metadata = [
            "code": .stringConvertible(3008), "reason": "3008",
            "ratio": .stringConvertible(0.5),
        ]
        expect(line(.json, metadata).hasSuffix(#""code":3008,"ratio":0.5,"reason":"3008"}"# + "\n"))
        // JSON has no infinity (RFC 8259 §6).
        let endless: Logger.Metadata = ["ratio": .stringConvertible(Double.infinity)]
        expect(line(.json, endless).hasSuffix(#""ratio":"inf"}"# + "\n"))
        expect(line(.text, metadata).hasSuffix("code=3008 ratio=0.5 reason=3008\n"))
    }

    /// A peer's text must not look like an entry of its own, nor steer a terminal.
    @Test(arguments: ["one\n17:10:05 info   two", "one\r\ntwo", "\u{1B}[2J", "\u{9B}2J", "a\u{0}b"])
    func entryIsOneLineOfVisibleText(text: String) {
        let lines = [
            line(.text, .info, text), line(.text, ["a": "\(text)"]), line(.json, .info, text),
        ]
        for line in lines {
            expectEqual(line.utf8.count { $0 == UInt8(ascii: "\n") }, 1)
            expect(line.hasSuffix("\n"))
            expect(line.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 })
        }
        for line in lines.prefix(2) {
            expect(!line.unicodeScalars.contains("\u{9B}"))
        }
    }

    /// A peer's text must not turn the direction of the rest of the line either.
    @Test(arguments: ["a\u{202E}b", "a\u{2028}b", "a\u{2066}b", "\u{E0041}", "a\u{200B}b"])
    func nothingInALineIsHidden(text: String) {
        let lines = [
            line(.text, .info, text), line(.text, ["a": "\(text)"]), line(.text, ["\(text)": "a"]),
            line(.json, .info, text), line(.json, ["a": "\(text)"]),
        ]
        for line in lines {
            expect(!line.dropLast().unicodeScalars.contains { LogText.isHidden($0) })
        }
    }

    private func line(_ format: Service.LogFormat, _ metadata: Logger.Metadata) -> String {
        line(format, .info, "started", metadata)
    }

    // MARK: JSON

    @Test func jsonHasTimeLevelMessageAndFields() throws {
        let line = line(.json, .error, "it \"broke\"", ["feed": "swpc.kp", "attempts": "3"])
        expect(line.hasSuffix("}\n"))
        let fields = try JSONReader.fields(of: Array(line.utf8)[...])
        expectEqual(fields.map(\.key), ["ts", "level", "msg", "attempts", "feed"])
        expectEqual(
            fields.map { JSONReader.string($0.value) },
            [
                "2024-12-09T17:10:05.250Z", "error", "it \"broke\"", "3", "swpc.kp",
            ]
        )
    }

    // MARK: The handler

    @Test func linesOfPeersHaveARateAndOthersHaveNone() throws {
        let (reading, writing) = try pipe()
        let writer = LogWriter(descriptor: writing)
        let logger = Logger(label: "varde.tests") { _ in
            LineLogHandler(format: .text, writer: writer)
        }
        for number in 0..<LogRate.linesMax + 5 {
            logger.warning("of a peer", metadata: ["n": "\(number)"], source: LogSource.peer)
            logger.warning("of ours", metadata: ["n": "\(number)"])
        }
        expect(writer.flush(within: .seconds(30)))
        close(writing)
        let file = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
        let text = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        let lines = text.split(separator: "\n")
        expectEqual(lines.count { $0.contains("of a peer") }, LogRate.linesMax)
        expectEqual(lines.count { $0.contains("of ours") }, LogRate.linesMax + 5)
    }

    private func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        try require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func suppressedLinesAreToldAsAnEntry() {
        let lines = LogRate.Suppressed(level: .warning, message: "publishing failed", count: 1781)
        let text = LineLogHandler.suppressedLine(lines, .text, now: now)
        expectEqual(
            String(decoding: text, as: UTF8.self),
            "17:10:05 warning similar log lines suppressed count=1781"
                + " like=\"publishing failed\"\n"
        )
    }

    @Test func levelAndMetadataBelongToTheLogger() {
        var logger = makeLogger(label: "varde.tests", level: .warning, format: .text)
        expectEqual(logger.logLevel, .warning)
        logger[metadataKey: "a"] = "1"
        expectEqual(logger[metadataKey: "a"], "1")
        var copy = logger
        copy[metadataKey: "a"] = "2"
        expectEqual(logger[metadataKey: "a"], "1", "a copy does not write into its original")
    }
}
