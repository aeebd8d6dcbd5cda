import Expectations

@testable import Store

@Suite("The seal of a backup", .timeLimit(.minutes(10)))
struct BackupSealTests {
    private let seal = BackupSeal(length: 4096, digest: Array(0..<32))

    @Test func sealIsReadBack() throws {
        expectEqual(seal.bytes.count, BackupSeal.size)
        expect(seal.digest.hasPrefix("000102"))
        try expectEqual(require(BackupSeal(seal.bytes)), seal)
    }

    @Test func anyOtherByteIsRefusedOrIsAnotherSeal() {
        for index in seal.bytes.indices {
            var bytes = seal.bytes
            bytes[index] ^= 1
            expect(BackupSeal(bytes) != seal, "byte \(index)")
        }
    }

    @Test func otherLengthsAreRefused() {
        expectNil(BackupSeal([]))
        expectNil(BackupSeal(Array(seal.bytes.dropLast())))
        expectNil(BackupSeal(seal.bytes + [0]))
    }
}
