import Expectations

@testable import Base

@Suite("AES-256-GCM", .timeLimit(.minutes(10)))
struct SealingTests {
    private let key = [UInt8](repeating: 7, count: Sealing.keyLength)
    private let context = Array("wh_1 secret".utf8)
    private let text = Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8)

    private func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).map { offset in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)!
        }
    }

    /// McGrew and Viega, "The Galois/Counter Mode of Operation", test case 16.
    @Test func publishedVectorIsMet() {
        let key = bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let nonce = bytes("cafebabefacedbaddecaf888")
        let text = bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                + "b16aedf5aa0de657ba637b39"
        )
        let context = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let sealed = Sealing.seal(text, key: key, context: context, nonce: nonce)
        let expected =
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
            + "c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"
        expectEqual(sealed, nonce + bytes(expected))
        expectEqual(Sealing.open(sealed, key: key, context: context), text)
    }

    @Test func sealedTextIsReadOnlyWithItsKeyAndContext() {
        let sealed = Sealing.seal(text, key: key, context: context)
        expectEqual(Sealing.open(sealed, key: key, context: context), text)
        let other = [UInt8](repeating: 8, count: Sealing.keyLength)
        expectNil(Sealing.open(sealed, key: other, context: context))
        expectNil(Sealing.open(sealed, key: key, context: Array("wh_2 secret".utf8)))
    }

    @Test func noByteCanBeChangedAndNoneLeftOut() {
        let sealed = Sealing.seal(text, key: key, context: context)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            expectNil(Sealing.open(changed, key: key, context: context), "byte \(index)")
            expectNil(Sealing.open(Array(sealed.prefix(index)), key: key, context: context))
        }
    }

    @Test func emptyTextCanBeSealed() {
        let sealed = Sealing.seal([], key: key, context: [])
        expectEqual(sealed.count, Sealing.nonceLength + Sealing.tagLength)
        expectEqual(Sealing.open(sealed, key: key, context: []), [])
    }

    @Test func sameTextIsSealedInAnotherWayEachTime() {
        let one = Sealing.seal(text, key: key, context: context)
        expect(one != Sealing.seal(text, key: key, context: context))
    }
}
