import Testing

@testable import Service

@Suite("Log threshold", .timeLimit(.minutes(10)))
struct LogThresholdTests {
    @Test(arguments: Logger.Level.allCases)
    func everyLevelIsTheOneThatWasSet(level: Logger.Level) {
        #expect(LogThreshold(level).level == level)
        let threshold = LogThreshold(.info)
        threshold.use(level)
        #expect(threshold.level == level)
    }

    @Test func everyCopyOfALoggerFollowsTheThreshold() {
        let threshold = LogThreshold(.warning)
        let logger = makeLogger(label: "test", threshold: threshold, format: .text)
        let copy = logger
        #expect(copy.logLevel == .warning)
        threshold.use(.debug)
        #expect(logger.logLevel == .debug)
        #expect(copy.logLevel == .debug)
    }

    @Test func loggerWithALevelOfItsOwnKeepsIt() {
        let threshold = LogThreshold(.warning)
        var own = makeLogger(label: "test", threshold: threshold, format: .text)
        let other = own
        own.logLevel = .error
        threshold.use(.debug)
        #expect(own.logLevel == .error)
        #expect(other.logLevel == .debug)
    }

    @Test func loggerWithAFixedLevelHasIt() {
        #expect(makeLogger(label: "test", level: .notice, format: .json).logLevel == .notice)
    }
}
