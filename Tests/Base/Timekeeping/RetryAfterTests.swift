import Base
import Testing

@Suite("RFC 9110 §10.2.3 Retry-After", .timeLimit(.minutes(10)))
struct RetryAfterTests {
    private let now = Timestamp(iso8601: "2025-01-01T12:00:00Z")!

    private func delay(_ text: String?) -> Duration? {
        retryDelay(text, now: now, waitMax: .seconds(3600))
    }

    @Test
    func secondsAndDatesAreRead() {
        #expect(delay("0") == .zero)
        #expect(delay("120") == .seconds(120))
        #expect(delay("Wed, 01 Jan 2025 12:02:00 GMT") == .seconds(120))
        #expect(delay("Wed, 01 Jan 2025 11:00:00 GMT") == .zero)
    }

    @Test
    func waitHasALimit() {
        #expect(delay("3600") == .seconds(3600))
        #expect(delay("3601") == .seconds(3600))
        #expect(delay("99999999999999999999999") == .seconds(3600))
        #expect(delay("Thu, 02 Jan 2025 12:00:00 GMT") == .seconds(3600))
    }

    @Test(arguments: [nil, "", "-1", "+1", "1.5", " 1", "soon", "2025-01-01T12:02:00Z"])
    func whatIsNeitherIsNothing(text: String?) {
        #expect(delay(text) == nil)
    }

    @Test
    func secondsTooManyToHoldCountAsTwoToThe31() {
        #expect(deltaSeconds("2147483648") == 1 << 31)
        #expect(deltaSeconds("2147483649") == 1 << 31)
        #expect(deltaSeconds("99999999999999999999999") == 1 << 31)
    }
}
