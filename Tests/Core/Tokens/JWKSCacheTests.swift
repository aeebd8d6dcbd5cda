import Core
import Expectations

@Suite("Tokens: when published keys are fetched", .timeLimit(.minutes(10)))
struct JWKSCacheTests {
    private let start = Timestamp(milliseconds: 1_780_000_000_000)

    private func after(_ seconds: Int64) -> Timestamp { start + .seconds(seconds) }

    private func document(kid: String = "a") -> [UInt8] {
        Array(#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"eA","kid":"\#(kid)"}]}"#.utf8)
    }

    private func key(_ kid: String = "a") -> JSONWebKey {
        JSONWebKey(id: kid, material: .ed25519(x: "eA"))
    }

    /// A cache that got a document at `start`, fresh for an hour.
    private func filled() -> JWKSCache {
        var cache = JWKSCache(now: start)
        cache.start(now: start)
        _ = cache.finish(.document(document(), maxAge: .seconds(3600)), now: start, random: 0)
        return cache
    }

    @Test func firstFetchIsAtOnce() {
        var cache = JWKSCache(now: start)
        expectEqual(cache.wait(now: start), .zero)
        cache.start(now: start)
        expectNil(cache.wait(now: start), "one fetch at a time")
    }

    @Test func documentReplacesTheKeys() {
        var cache = filled()
        expectEqual(cache.keys, [key()])
        expectEqual(cache.lastSuccess, start)
        cache.start(now: after(3600))
        let outcome = cache.finish(
            .document(document(kid: "b"), maxAge: nil),
            now: after(3601),
            random: 0
        )
        expectEqual(outcome, .replaced([key("b")]))
        expectEqual(cache.keys, [key("b")])
    }

    @Test func sameDocumentChangesNothing() {
        var cache = filled()
        cache.start(now: after(3600))
        let outcome = cache.finish(.document(document(), maxAge: nil), now: after(3600), random: 0)
        expectEqual(outcome, .unchanged)
        expectEqual(cache.lastSuccess, after(3600))
    }

    @Test(
        arguments: [
            (nil, 600), (0, 300), (299, 300), (301, 301), (3599, 3599), (3601, 3600), (-1, 300),
            (Int64.max / 1_000_000, 3600),
        ] as [(Int64?, Int64)]
    )
    func documentIsFreshForItsMaxAgeWithinBounds(maxAge: Int64?, expected: Int64) {
        var cache = JWKSCache(now: start)
        cache.start(now: start)
        let age = maxAge.map { Duration.seconds($0) }
        _ = cache.finish(.document(document(), maxAge: age), now: start, random: 0.5)
        expectEqual(cache.wait(now: start), .seconds(expected))
        expectEqual(cache.wait(now: after(expected)), .zero)
        expectEqual(cache.wait(now: after(expected + 1)), .zero)
    }

    @Test func unknownKeyBringsTheNextFetchForward() {
        var cache = filled()
        let isEarlier = cache.keyWasUnknown(now: after(10))
        expect(isEarlier)
        expectEqual(cache.wait(now: after(10)), .seconds(20), "30 seconds after the last")
        let isEarlierStill = cache.keyWasUnknown(now: after(11))
        expect(!isEarlierStill, "it is due already")
        expectEqual(cache.wait(now: after(30)), .zero)
    }

    @Test func unknownKeyLongAfterTheLastFetchIsLookedForAtOnce() {
        var cache = filled()
        let isEarlier = cache.keyWasUnknown(now: after(100))
        expect(isEarlier)
        expectEqual(cache.wait(now: after(100)), .zero)
    }

    /// Whoever makes up names of keys gets the hub to fetch every 30 seconds and not oftener.
    @Test func floodOfUnknownKeysIsBounded() {
        var cache = JWKSCache(now: start)
        var fetches = 0
        for tick in 0..<6000 {
            let now = start + .milliseconds(Int64(tick) * 100)
            if cache.wait(now: now) == .zero {
                fetches += 1
                cache.start(now: now)
                _ = cache.finish(.document(document(), maxAge: nil), now: now, random: 0)
            }
            _ = cache.keyWasUnknown(now: now)
        }
        expectEqual(fetches, 20, "in ten minutes")
    }

    @Test func unknownKeyDuringAFetchChangesNothing() {
        var cache = JWKSCache(now: start)
        let isEarlierBefore = cache.keyWasUnknown(now: start)
        expect(!isEarlierBefore, "the first fetch is due")
        cache.start(now: start)
        let isEarlierDuring = cache.keyWasUnknown(now: start)
        expect(!isEarlierDuring)
        expectNil(cache.wait(now: start))
    }

    @Test func failureKeepsTheKeysAndWaitsLongerEachTime() {
        var cache = filled()
        var now = after(3600)
        let waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { Duration.seconds($0) }
        for (index, expected) in waits.enumerated() {
            cache.start(now: now)
            let outcome = cache.finish(.failed, now: now, random: 0)
            expectEqual(outcome, .failed(nil))
            expectEqual(cache.failureCount, index + 1)
            expectEqual(cache.wait(now: now), expected / 2, "at the least")
            now = now + expected
        }
        expectEqual(cache.keys, [key()])
        expectEqual(cache.lastSuccess, start)
    }

    @Test func waitAfterAFailureIsSpread() throws {
        for (random, expected) in [(0.0, 500), (0.5, 750), (0.999, 999)] as [(Double, Int64)] {
            var cache = JWKSCache(now: start)
            cache.start(now: start)
            _ = cache.finish(.failed, now: start, random: random)
            let wait = try require(cache.wait(now: start))
            expect(abs(wait.wholeMilliseconds - expected) <= 1)
        }
    }

    @Test func unknownKeyDoesNotShortenTheWaitAfterAFailure() {
        var cache = filled()
        var now = after(3600)
        for _ in 0..<10 {
            cache.start(now: now)
            _ = cache.finish(.failed, now: now, random: 0)
            now = now + .seconds(60)
            let isEarlier = cache.keyWasUnknown(now: now)
            expect(!isEarlier)
        }
        expectEqual(cache.wait(now: now), .seconds(90), "of 150, 60 have passed")
    }

    @Test func documentThatCannotBeUsedIsAFailure() {
        var cache = filled()
        cache.start(now: after(3600))
        let empty = JWKSCache.Result.document(Array(#"{"keys":[]}"#.utf8), maxAge: nil)
        let withoutKeys = cache.finish(empty, now: after(3600), random: 0)
        expectEqual(withoutKeys, .failed(.noUsableKey))
        expectEqual(cache.keys, [key()])
        cache.start(now: after(3601))
        let page = JWKSCache.Result.document(Array("<html>".utf8), maxAge: nil)
        let withoutSet = cache.finish(page, now: after(3601), random: 0)
        expectEqual(withoutSet, .failed(.notAKeySet))
        expectEqual(cache.failureCount, 2)
    }

    @Test func successEndsTheRowOfFailures() {
        var cache = filled()
        cache.start(now: after(3600))
        _ = cache.finish(.failed, now: after(3600), random: 0)
        cache.start(now: after(3601))
        _ = cache.finish(.document(document(), maxAge: nil), now: after(3601), random: 0)
        expectEqual(cache.failureCount, 0)
        expectEqual(cache.wait(now: after(3601)), JWKSCache.freshnessDefault)
    }

    @Test func clockThatIsSetBackDoesNotStretchTheWait() {
        let cache = filled()
        expectEqual(cache.wait(now: start - .seconds(86_400)), .seconds(3600))
    }

    @Test func inputsInAWrongOrderTrap() async {
        await #expect(processExitsWith: .failure) {
            var cache = JWKSCache(now: Timestamp(milliseconds: 0))
            _ = cache.finish(.failed, now: Timestamp(milliseconds: 0), random: 0)
        }
        await #expect(processExitsWith: .failure) {
            var cache = JWKSCache(now: Timestamp(milliseconds: 0))
            cache.start(now: Timestamp(milliseconds: 0))
            cache.start(now: Timestamp(milliseconds: 0))
        }
        await #expect(processExitsWith: .failure) {
            var cache = JWKSCache(now: Timestamp(milliseconds: 0))
            cache.start(now: Timestamp(milliseconds: 0))
            _ = cache.finish(.failed, now: Timestamp(milliseconds: 0), random: 1)
        }
    }
}
