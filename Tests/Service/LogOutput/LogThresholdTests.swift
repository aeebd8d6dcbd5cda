import Expectations

@testable import Service

@Suite("Log threshold", .timeLimit(.minutes(10)))
struct LogThresholdTests {
    @Test(arguments: Logger.Level.allCases)
    func everyLevelIsTheOneThatWasSet(level: Logger.Level) {
        expectEqual(LogThreshold(level).level, level)
        let threshold = LogThreshold(.info)
        threshold.use(level)
        expectEqual(threshold.level, level)
    }

    @Test func everyCopyOfALoggerFollowsTheThreshold() {
        let threshold = LogThreshold(.warning)
        let logger = makeLogger(label: "test", threshold: threshold, format: .text)
        let copy = logger
        expectEqual(copy.logLevel, .warning)
        threshold.use(.debug)
        expectEqual(logger.logLevel, .debug)
        expectEqual(copy.logLevel, .debug)
    }

    @Test func loggerWithALevelOfItsOwnKeepsIt() {
        let threshold = LogThreshold(.warning)
        var own = makeLogger(label: "test", threshold: threshold, format: .text)
        let other = own
        own.logLevel = .error
        threshold.use(.debug)
        expectEqual(own.logLevel, .error)
        expectEqual(other.logLevel, .debug)
    }

    @Test func loggerWithAFixedLevelHasIt() {
        expectEqual(makeLogger(label: "test", level: .notice, format: .json).logLevel, .notice)
    }
}
