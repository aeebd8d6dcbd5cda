import Expectations

/// A message is a constant, so that entries of one kind can be found and counted; values are metadata.
@Suite("Style: messages of log entries", .timeLimit(.minutes(10)))
struct LogMessageTests {
    @Test func everyMessageIsAConstant() throws {
        let files = try SourceTree.read().files.filter(\.isSwift)
        let calls = files.flatMap { file in LogCall.all(in: file.text).map { (file.path, $0) } }
        expect(calls.count > 100, "calls were found")
        for (path, call) in calls where !call.isConstant {
            Issue.record("\(path):\(call.line): \(call.message)")
        }
    }

    @Test(arguments: [
        (#"logger.info("started")"#, true), (#"logger?.notice("a \"b\"", metadata: [:])"#, true),
        (#"logger.log(level: level, "a, b", metadata: ["a": "\(b)"])"#, true),
        ("hub.logger.error(\n    \"a\",\n    metadata: [:]\n)", true),
        (#"logger.warning(isOne ? "one" : "other", metadata: [:])"#, true),
        (#"logger.log(level: level, message)"#, true),
        (#"logger.info("feed \(name)")"#, false), (#"logger.info("\(text)")"#, false),
        (#"logger.debug("a: " + text)"#, false), (#"logger.info(text)"#, false),
        (#"logger.log(level: .info, "a \(b)")"#, false),
        ("logger.info(\n    \"\"\"\n    a\n    \"\"\"\n)", false),
        (#"logger.info(isOne ? "one" : "other \(b)")"#, false),
    ])
    func constantIsToldFromOtherMessages(text: String, isConstant: Bool) throws {
        let call = try require(LogCall.all(in: text).first)
        expectEqual(call.isConstant, isConstant)
    }

    @Test func fieldsAreThoseOfTheCall() throws {
        let call =
            #"logger.log(level: .info, "a (b), c", metadata: ["d": "\(e[1, 2])", "f": g()], h: i)"#
        let found = try require(LogCall.all(in: call).first)
        expectEqual(found.texts, ["a (b), c"])
        expectEqual(found.level, ".info")
        expectEqual(found.fields, ["d", "f"])
        expectEqual(LogCall.all(in: #"logger.info("a")"#).first?.fields, [])
        expectNil(LogCall.all(in: #"logger.info("a", metadata: b)"#).first?.fields)
    }

    @Test(arguments: ["let logger = makeLogger()", "logger.logLevel = .info", "log.add(1)"])
    func otherUseOfALoggerIsNoCall(text: String) {
        expect(LogCall.all(in: text).isEmpty)
    }
}
