import Base
import Expectations

@Suite("RFC 9110 §10.2.3 Retry-After", .timeLimit(.minutes(10)))
struct RetryAfterTests {
    private let now = Timestamp(iso8601: "2025-01-01T12:00:00Z")!

    private func delay(_ text: String?) -> Duration? {
        retryDelay(text, now: now, waitMax: .seconds(3600))
    }

    @Test
    func secondsAndDatesAreRead() {
        expectEqual(delay("0"), .zero)
        expectEqual(delay("120"), .seconds(120))
        expectEqual(delay("Wed, 01 Jan 2025 12:02:00 GMT"), .seconds(120))
        expectEqual(delay("Wed, 01 Jan 2025 11:00:00 GMT"), .zero)
    }

    @Test
    func waitHasALimit() {
        expectEqual(delay("3600"), .seconds(3600))
        expectEqual(delay("3601"), .seconds(3600))
        expectEqual(delay("99999999999999999999999"), .seconds(3600))
        expectEqual(delay("Thu, 02 Jan 2025 12:00:00 GMT"), .seconds(3600))
    }

    @Test(arguments: [nil, "", "-1", "+1", "1.5", " 1", "soon", "2025-01-01T12:02:00Z"])
    func whatIsNeitherIsNothing(text: String?) {
        expectNil(delay(text))
    }

    @Test
    func secondsTooManyToHoldCountAsTwoToThe31() {
        expectEqual(deltaSeconds("2147483648"), 1 << 31)
        expectEqual(deltaSeconds("2147483649"), 1 << 31)
        expectEqual(deltaSeconds("99999999999999999999999"), 1 << 31)
    }
}
