import Expectations

@testable import Service

@Suite("UUID version 4: RFC 9562 §5.4", .timeLimit(.minutes(10)))
struct UUIDv4Tests {
    @Test func versionAndVariantReplaceTheirBitsAndNoOthers() {
        expectEqual(
            uuidVersion4([UInt8](repeating: 0x00, count: 16)),
            "00000000-0000-4000-8000-000000000000"
        )
        expectEqual(
            uuidVersion4([UInt8](repeating: 0xFF, count: 16)),
            "ffffffff-ffff-4fff-bfff-ffffffffffff"
        )
        expectEqual(uuidVersion4(Array(0x00...0x0F)), "00010203-0405-4607-8809-0a0b0c0d0e0f")
    }
}
