import Expectations
import Reactor

@testable import Service

@Suite("The rate of lines that peers cause", .timeLimit(.minutes(10)))
struct LogRateTests {
    private let kind = LogRate.Kind(file: "a.swift", line: 1)
    private let other = LogRate.Kind(file: "a.swift", line: 2)

    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func linesBeyondTheRateAreCountedAndToldOnce() {
        var rate = LogRate()
        var allowed = 0
        for number in 0..<1801 {
            let isAllowed = rate.allows(kind, .warning, "failed \(number)", now: instant(100))
            if isAllowed { allowed += 1 }
        }
        expectEqual(allowed, LogRate.linesMax)
        let early = rate.takeEnded(now: instant(109))
        expect(early.isEmpty, "the interval is not over")
        let told = rate.takeEnded(now: instant(110))
        expectEqual(
            told,
            [
                .init(level: .warning, message: "failed 1800", count: 1801 - LogRate.linesMax)
            ]
        )
        let again = rate.takeEnded(now: instant(200))
        expect(again.isEmpty)
        let isAllowed = rate.allows(kind, .warning, "failed", now: instant(200))
        expect(isAllowed)
    }

    @Test func oneKindDoesNotSilenceAnother() {
        var rate = LogRate()
        for _ in 0...LogRate.linesMax { _ = rate.allows(kind, .info, "one", now: instant(1)) }
        let (one, another) = (
            rate.allows(kind, .info, "one", now: instant(5)),
            rate.allows(other, .info, "other", now: instant(5))
        )
        expect(!one && another)
        let told = rate.takeEnded(now: instant(11))
        expectEqual(told.map(\.message), ["one"])
        let later = rate.takeEnded(now: instant(15))
        expect(later.isEmpty, "nothing of the other was suppressed")
    }

    @Test func fewLinesAreNeverToldAsSuppressed() {
        var rate = LogRate()
        for second in 0..<100 {
            let now = instant(Int64(second))
            let told = rate.takeEnded(now: now)
            let isAllowed = rate.allows(kind, .info, "one", now: now)
            expect(told.isEmpty && isAllowed, "at \(second) s")
        }
    }
}

@Suite("Text of peers in the log", .timeLimit(.minutes(10)))
struct LogTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("Tromsø 🌌", "Tromsø 🌌"), ("a\u{202E}b", #"a\u{202E}b"#),
        ("a\u{2028}b\u{2029}", #"a\u{2028}b\u{2029}"#), ("\u{1B}[2J", #"\u{1B}[2J"#),
        ("a\r\nb", #"a\u{D}\u{A}b"#), ("\u{7F}\u{85}", #"\u{7F}\u{85}"#),
        ("\u{2066}\u{200B}\u{FEFF}\u{AD}", #"\u{2066}\u{200B}\u{FEFF}\u{AD}"#),
        ("\u{E0041}", #"\u{E0041}"#),
    ])
    func hiddenScalarsAreEscaped(text: String, shown: String) {
        expectEqual(LogText.visible(text), shown)
    }

    @Test(arguments: [
        (#"{"a":"ø"}"#, #"{"a":"ø"}"#), ("{\"a\":\"\u{202E}\"}", #"{"a":"\u202E"}"#),
        ("\"\u{85}\"", #""\u0085""#), ("\"\u{E0041}\"", #""\uDB40\uDC41""#),
        ("\"\u{7F}\"", #""\u007F""#),
    ])
    func hiddenScalarsOfJSONReadBackAsTheSameText(line: String, shown: String) {
        expectEqual(String(decoding: LogText.visible(json: Array(line.utf8)), as: UTF8.self), shown)
    }
}
