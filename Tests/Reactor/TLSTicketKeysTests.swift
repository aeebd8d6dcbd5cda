import Expectations

@testable import Reactor

@Suite("TLS ticket keys: their lives", .timeLimit(.minutes(10)))
struct TLSTicketKeysTests {
    private let start = MonotonicInstant(nanoseconds: 5_000_000_000)
    private let nanosecond = Duration.nanoseconds(1)

    @Test func newRingNeedsAKeyBeforeItSeals() {
        var ring = TLSTicketKeyRing()
        expect(ring.needsKey(now: start))
        expectNil(ring.sealingKey(now: start))
        let first = key(1)
        ring.add(first, now: start)
        expect(!ring.needsKey(now: start))
        expect(ring.sealingKey(now: start) === first)
    }

    @Test func keySealsForOnePeriod() {
        var ring = TLSTicketKeyRing()
        let first = key(1)
        ring.add(first, now: start)
        let end = start + TLSTicketKeyRing.period
        expect(ring.sealingKey(now: end - nanosecond) === first)
        expectNil(ring.sealingKey(now: end))
        expect(ring.needsKey(now: end))
    }

    @Test func lastTicketOfAKeyOpensForItsWholeLife() {
        var ring = TLSTicketKeyRing()
        let first = key(1)
        ring.add(first, now: start)
        let change = start + TLSTicketKeyRing.period
        let second = key(2)
        ring.add(second, now: change)
        expect(ring.sealingKey(now: change) === second)
        let end = change + TLSTicketKeyRing.period
        expect(ring.openingKey(named: first.name, now: end - nanosecond) === first)
        expectNil(ring.openingKey(named: first.name, now: end))
        expect(ring.openingKey(named: second.name, now: end) === second)
    }

    @Test func keyThatNobodyReplacedEndsToo() {
        var ring = TLSTicketKeyRing()
        let first = key(1)
        ring.add(first, now: start)
        let end = start + TLSTicketKeyRing.period + TLSTicketKeyRing.period
        expect(ring.openingKey(named: first.name, now: end - nanosecond) === first)
        expectNil(ring.openingKey(named: first.name, now: end))
    }

    @Test func thirdKeyDropsTheFirst() {
        var ring = TLSTicketKeyRing()
        let keys = [key(1), key(2), key(3)]
        for key in keys { ring.add(key, now: start) }
        expectNil(ring.openingKey(named: keys[0].name, now: start))
        expect(ring.openingKey(named: keys[1].name, now: start) === keys[1])
        expect(ring.openingKey(named: keys[2].name, now: start) === keys[2])
    }

    @Test func unknownNameOpensNothing() {
        var ring = TLSTicketKeyRing()
        ring.add(key(1), now: start)
        expectNil(ring.openingKey(named: key(2).name, now: start))
    }

    @Test func secretIsDividedIntoNameAndKeys() {
        let bytes = (0..<UInt8(TLSTicketKey.length)).map { $0 }
        let key = bytes.withUnsafeBytes { TLSTicketKey(secret: $0) }
        expectEqual(Array(key.name), Array(0..<16))
        expectEqual(Array(key.cipherKey), Array(16..<48))
        expectEqual(Array(key.authenticationKey), Array(48..<80))
    }

    private func key(_ byte: UInt8) -> TLSTicketKey {
        [UInt8](repeating: byte, count: TLSTicketKey.length).withUnsafeBytes {
            TLSTicketKey(secret: $0)
        }
    }
}

private func - (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
    instant + (.zero - duration)
}
