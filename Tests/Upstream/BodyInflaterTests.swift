import CZlib
import Expectations
import SeededRandom
import Upstream

@Suite("RFC 9110 §8.4 content codings removed", .timeLimit(.minutes(10)))
struct BodyInflaterTests {
    private static let text = Array(
        "Sø, what? ".utf8 + (0..<40).flatMap { "the wind was \($0) m/s, ".utf8 }
    )

    private static let contents: [[UInt8]] = [
        [], [0], Array("hello".utf8), text, [UInt8](repeating: 7, count: 5000),
        random(count: 3000, seed: 1),
    ]

    private static func random(count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Whole, byte by byte, cut at every place, and in random pieces, some of them empty.
    private func expectInflated(
        _ coding: ContentCoding,
        _ coded: [UInt8],
        lengthMax: Int = 1 << 20,
        _ expected: Inflation,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        func check(_ pieces: [[UInt8]]) {
            let found = Inflation(coding, pieces, lengthMax: lengthMax)
            expectEqual(found, expected, "cut in \(pieces.count)", sourceLocation: sourceLocation)
        }
        check([coded])
        check(coded.map { [$0] })
        let step = max(1, coded.count / 300)
        for cut in stride(from: 0, through: coded.count, by: step) {
            check([Array(coded[..<cut]), Array(coded[cut...])])
        }
        var generator = SeededGenerator(seed: 9)
        var pieces: [[UInt8]] = []
        var rest = coded[...]
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(Int.random(in: 0...40, using: &generator))))
            rest = rest.dropFirst(pieces[pieces.count - 1].count)
        }
        check(pieces)
    }

    // MARK: Content

    @Test(arguments: Compression.Format.allCases, contents)
    func contentIsInflated(_ format: Compression.Format, _ content: [UInt8]) {
        for level: Int32 in [0, 1, 9] {
            let coded = Compression.compressed(content, format, level: level)
            expectInflated(format.coding, coded, Inflation(content))
        }
    }

    @Test func contentLongerThanTheWindowIsInflated() {
        let noise = Self.random(count: 40_000, seed: 2)
        let content = noise + noise.prefix(30_000) + [UInt8](repeating: 1, count: 300_000)
        for format in Compression.Format.allCases {
            let coded = Compression.compressed(content, format)
            let pieces = stride(from: 0, to: coded.count, by: 1000).map {
                Array(coded[$0..<min($0 + 1000, coded.count)])
            }
            expectEqual(Inflation(format.coding, [coded]), Inflation(content))
            expectEqual(Inflation(format.coding, pieces), Inflation(content))
        }
    }

    @Test(arguments: [ContentCoding.gzip, .deflate])
    func contentWithoutAnyByteIsAllowed(_ coding: ContentCoding) {
        expectEqual(Inflation(coding, []), Inflation([]))
        expectEqual(Inflation(coding, [[]]), Inflation([]))
        expectEqual(Inflation(coding, [[], []], lengthMax: 0), Inflation([]))
    }

    @Test func outputIsAppended() throws {
        var inflater = BodyInflater(coding: .gzip)
        var output = Array("before ".utf8)
        let coded = Compression.compressed(Array("after".utf8), .gzip)
        try inflater.inflate(coded.span, into: &output, lengthMax: 12)
        expectEqual(output, Array("before after".utf8))
    }

    @Test func contentArrivesWithItsPieces() throws {
        let coded = Compression.compressed(Self.random(count: 3000, seed: 3), .gzip, level: 0)
        var inflater = BodyInflater(coding: .gzip)
        var output: [UInt8] = []
        let piece = coded.prefix(1015)
        try inflater.inflate(piece.span, into: &output, lengthMax: 3000)
        expectEqual(output, Array(Self.random(count: 3000, seed: 3).prefix(1000)))
    }

    // MARK: gzip

    @Test func membersAreJoined() {
        let parts = [Self.text, [], [1], [], Array("end".utf8)]
        let coded = parts.flatMap { Compression.compressed($0, .gzip) }
        expectInflated(.gzip, coded, Inflation(parts.flatMap(\.self)))
    }

    @Test func limitIsThatOfAllMembers() {
        let coded = [[1, 2], [], [3]].flatMap { Compression.compressed($0, .gzip) }
        expectInflated(.gzip, coded, lengthMax: 3, Inflation([1, 2, 3]))
        expectInflated(.gzip, coded, lengthMax: 2, Inflation([1, 2], .tooLarge(limit: 2)))
        expectInflated(.gzip, coded, lengthMax: 1, Inflation([1], .tooLarge(limit: 1)))
    }

    @Test func everyFieldOfAHeaderIsRead() {
        let member = Compression.memberWithAllFields(Self.text)
        expectInflated(.gzip, member, Inflation(Self.text))
        expectInflated(.gzip, member + member, Inflation(Self.text + Self.text))
    }

    @Test func bytesBehindAMemberAreRefused() {
        let member = Compression.compressed([1, 2], .gzip)
        for bytes: [UInt8] in [[0], [0, 0, 0], [0x1E], [0x8B], [0x78, 0x9C], Array("\r\n".utf8)] {
            expectInflated(.gzip, member + bytes, Inflation([1, 2], .trailingBytes))
            expectInflated(.gzip, member + member + bytes, Inflation([1, 2, 1, 2], .trailingBytes))
        }
        expectInflated(.gzip, member + [0x1F], Inflation([1, 2], .truncated))
        expectInflated(.gzip, member + [0x1F, 0x8C], Inflation([1, 2], .malformed))
        expectInflated(.gzip, member + [0x1F, 0x8B, 9, 0], Inflation([1, 2], .malformed))
        expectInflated(.gzip, member + member.dropLast(), Inflation([1, 2, 1, 2], .truncated))
    }

    @Test(
        arguments: [
            Array("hello, this is not compressed".utf8), [0, 0], [0x1F, 0x8C], [0x8B, 0x1F],
            [0x1F, 0x8B, 7, 0], [0x1F, 0x8B, 8, 0xE0], [0x78, 0x9C, 3, 0, 0, 0, 0, 1],
        ] as [[UInt8]]
    )
    func whatIsNotGzipIsRefused(_ bytes: [UInt8]) {
        expectInflated(.gzip, bytes, Inflation([], .malformed))
    }

    // MARK: deflate

    @Test func windowsOfEverySizeAreTaken() {
        for windowBits: Int32 in 9...15 {
            for sign: Int32 in [1, -1] {
                var stream = z_stream()
                let size = Int32(MemoryLayout<z_stream>.size)
                deflateInit2_(&stream, 9, Z_DEFLATED, sign * windowBits, 8, 0, ZLIB_VERSION, size)
                defer { deflateEnd(&stream) }
                var input = Self.text
                var coded = [UInt8](repeating: 0, count: 4096)
                input.withUnsafeMutableBufferPointer { input in
                    coded.withUnsafeMutableBufferPointer { output in
                        stream.next_in = input.baseAddress
                        stream.avail_in = UInt32(input.count)
                        stream.next_out = output.baseAddress
                        stream.avail_out = UInt32(output.count)
                        expectEqual(deflate(&stream, Z_FINISH), Z_STREAM_END)
                    }
                }
                coded.removeLast(Int(stream.avail_out))
                expectInflated(.deflate, coded, Inflation(Self.text))
            }
        }
    }

    @Test func bytesBehindAStreamAreRefused() {
        for format in [Compression.Format.zlib, .raw] {
            let coded = Compression.compressed([1, 2], format)
            for bytes: [UInt8] in [[0], [0x1F], [0x78, 0x9C], coded] {
                expectInflated(.deflate, coded + bytes, Inflation([1, 2], .trailingBytes))
            }
        }
    }

    @Test func zlibStreamWithADictionaryIsRefused() {
        let coded = Compression.compressed(Self.text, .zlib, dictionary: Array("the wind".utf8))
        expect(coded[1] & 0x20 != 0, "FDICT")
        expectInflated(.deflate, coded, Inflation([], .malformed))
    }

    @Test(
        arguments: [
            // Block type 3; a stored block whose lengths disagree, behind bytes that almost are a zlib header.
            ([0x07, 0x00], .malformed), ([0x06, 0x00, 0x00], .malformed),
            ([0x78, 0x9D, 0x00, 0x00, 0x00], .malformed), ([0x79, 0x9C, 0, 0, 0], .malformed),
            ([0x88, 0x1C, 0, 0, 0], .malformed), ([0x1F, 0x8B, 8, 0], .malformed),
            // Bytes that begin a stream, and no more.
            ([0x78], .truncated), ([0x78, 0x9C], .truncated), ([0x07], .truncated),
            ([0x00], .truncated),
            ([0x00, 0x00], .truncated), ([0x08, 0x1D], .truncated), ([0x08], .truncated),
        ] as [([UInt8], BodyInflaterError)]
    )
    func whatIsNotDeflateIsRefused(_ bytes: [UInt8], _ expected: BodyInflaterError) {
        expectInflated(.deflate, bytes, Inflation([], expected))
    }

    @Test func methodEightWithALargerWindowIsNoZlibHeader() {
        // A multiple of 31 with method 8; as DEFLATE data the begin of a stored block of 28 bytes.
        expectEqual((0x88 << 8 | 0x1C) % 31, 0)
        let block: [UInt8] = [0x88, 0x1C, 0x00, 0xE3, 0xFF] + [UInt8](repeating: 5, count: 28)
        expectInflated(.deflate, block + [0x03, 0x00], Inflation([UInt8](repeating: 5, count: 28)))
        // A window that zlib streams may have, but no multiple of 31: a stored block, too.
        let other: [UInt8] = [0x78, 0x02, 0x00, 0xFD, 0xFF, 5, 5]
        expectInflated(.deflate, other + [0x03, 0x00], Inflation([5, 5]))
    }

    // MARK: Damage

    @Test(arguments: Compression.Format.allCases)
    func contentThatEndsTooEarlyIsTruncated(_ format: Compression.Format) {
        let coded = Compression.compressed(Self.text, format)
        for count in 1..<coded.count {
            let found = Inflation(format.coding, [Array(coded.prefix(count))])
            expectEqual(found.error, .truncated, "after \(count)")
            expect(Self.text.starts(with: found.output))
            expectEqual(Inflation(format.coding, coded.prefix(count).map { [$0] }), found)
        }
        let member = Compression.memberWithAllFields(Self.text)
        for count in 1..<member.count {
            expectEqual(Inflation(.gzip, [Array(member.prefix(count))]).error, .truncated)
        }
    }

    @Test(arguments: [Compression.Format.gzip, .zlib])
    func everyFlippedBitIsNoticed(_ format: Compression.Format) {
        let content = Array(Self.text.prefix(120))
        let coded = Compression.compressed(content, format)
        for bit in 0..<coded.count * 8 {
            var damaged = coded
            damaged[bit / 8] ^= 1 << (bit % 8)
            let found = Inflation(format.coding, [damaged])
            // No checksum covers FTEXT, MTIME, XFL and OS (RFC 1952 §2.3.1), which say nothing of the content,
            // nor the padding between the last block and the checksum.
            let isHeader = format == .gzip && (bit == 24 || (32..<80).contains(bit))
            let isLastByte = bit / 8 == coded.count - (format == .gzip ? 9 : 5)
            if isHeader || isLastByte && found.error == nil {
                expectEqual(found, Inflation(content), "bit \(bit)")
            } else {
                expect(found.error != nil, "bit \(bit)")
            }
            expectEqual(Inflation(format.coding, damaged.map { [$0] }), found, "bit \(bit)")
        }
    }

    @Test func wrongChecksumAndLengthAreRefused() {
        let member = Compression.compressed(Self.text, .gzip)
        for index in member.count - 8..<member.count {
            var damaged = member
            damaged[index] &+= 1
            expectInflated(.gzip, damaged, Inflation(Self.text, .malformed))
        }
        var stream = Compression.compressed(Self.text, .zlib)
        stream[stream.count - 1] &+= 1
        expectInflated(.deflate, stream, Inflation(Self.text, .malformed))
    }

    @Test func afterAnErrorEveryCallThrowsIt() {
        let member = Compression.compressed([1, 2, 3], .gzip)
        let cases: [([UInt8], Int, BodyInflaterError)] = [
            (member, 2, .tooLarge(limit: 2)), (member + [0], 3, .trailingBytes),
            (Array("hello".utf8), 3, .malformed),
        ]
        for (bytes, lengthMax, expected) in cases {
            var inflater = BodyInflater(coding: .gzip)
            var output: [UInt8] = []
            for input in [bytes, member, [0]] {
                #expect(throws: expected) {
                    try inflater.inflate(input.span, into: &output, lengthMax: lengthMax)
                }
            }
            #expect(throws: expected) { try inflater.finish() }
            #expect(throws: expected) { try inflater.finish() }
            expect(output.count <= lengthMax)
        }
        var inflater = BodyInflater(coding: .gzip)
        var output: [UInt8] = []
        let (beginning, rest) = (member.prefix(20), member.dropFirst(20))
        #expect(throws: Never.self) {
            try inflater.inflate(beginning.span, into: &output, lengthMax: 9)
        }
        #expect(throws: BodyInflaterError.truncated) { try inflater.finish() }
        #expect(throws: BodyInflaterError.truncated) {
            try inflater.inflate(rest.span, into: &output, lengthMax: 9)
        }
        #expect(throws: BodyInflaterError.truncated) { try inflater.finish() }
    }

    // MARK: Limits

    @Test(arguments: Compression.Format.allCases, [1, 2, 100, 4095, 4096, 4097, 9000])
    func limitIsExact(_ format: Compression.Format, _ length: Int) {
        for content in [
            [UInt8](repeating: 7, count: length), Self.random(count: length, seed: 4),
        ] {
            let coded = Compression.compressed(content, format)
            let coding = format.coding
            expectInflated(coding, coded, lengthMax: length, Inflation(content))
            let cut = Inflation(Array(content.dropLast()), .tooLarge(limit: length - 1))
            expectInflated(coding, coded, lengthMax: length - 1, cut)
            expectInflated(coding, coded, lengthMax: 0, Inflation([], .tooLarge(limit: 0)))
        }
    }

    @Test func emptyContentFitsALimitOfZero() {
        for format in Compression.Format.allCases {
            expectInflated(
                format.coding,
                Compression.compressed([], format),
                lengthMax: 0,
                Inflation([])
            )
        }
    }

    @Test func damageBehindTheLimitIsTooLarge() {
        var coded = Compression.compressed(Self.text, .gzip, level: 0)
        coded[coded.count - 1] &+= 1
        let count = Self.text.count
        expectInflated(.gzip, coded, lengthMax: count, Inflation(Self.text, .malformed))
        let cut = Inflation(Array(Self.text.dropLast()), .tooLarge(limit: count - 1))
        expectInflated(.gzip, coded, lengthMax: count - 1, cut)
    }

    @Test(arguments: Compression.Format.allCases)
    func bombStopsAtTheLimitAndTakesNoMoreMemory(_ format: Compression.Format) {
        let bomb = Compression.compressed([UInt8](repeating: 0, count: 16 << 20), format, level: 9)
        expect(bomb.count < 20_000)
        for pieceLength in [bomb.count, 1000, 7, 1] {
            var inflater = BodyInflater(coding: format.coding)
            var output: [UInt8] = []
            let lengthMax = 1_000_001
            var error: BodyInflaterError?
            var position = 0
            while position < bomb.count, error == nil {
                let piece = bomb[position..<min(position + pieceLength, bomb.count)]
                position += pieceLength
                do throws(BodyInflaterError) {
                    try inflater.inflate(piece.span, into: &output, lengthMax: lengthMax)
                } catch let thrown {
                    error = thrown
                }
                // What an allocation is rounded up to.
                expect(output.capacity <= min(2 * output.count, lengthMax) + 8192)
            }
            expectEqual(error, .tooLarge(limit: lengthMax))
            expectEqual(output.count, lengthMax)
            expect(position < bomb.count / 8 || pieceLength == bomb.count, "it stops early")
        }
    }

    @Test func bombOfEmptyMembersYieldsNothing() {
        let member = Compression.compressed([], .gzip)
        let coded = Array(repeatElement(member, count: 5000).joined())
        expectEqual(Inflation(.gzip, [coded], lengthMax: 0), Inflation([]))
    }

    @Test func roomOfTheCallerIsNotExceeded() throws {
        var output: [UInt8] = []
        output.reserveCapacity(10_000)
        let coded = Compression.compressed([UInt8](repeating: 7, count: 5001), .gzip)
        var inflater = BodyInflater(coding: .gzip)
        #expect(throws: BodyInflaterError.tooLarge(limit: 5000)) {
            try inflater.inflate(coded.span, into: &output, lengthMax: 5000)
        }
        expectEqual(output.count, 5000)
    }

    @Test func errorsAreOneLine() {
        let limit = BodyInflaterError.tooLarge(limit: 5)
        expectEqual("\(limit)", "decompressed content over limit 5 bytes")
        let errors: [BodyInflaterError] = [limit, .malformed, .truncated, .trailingBytes]
        expectEqual(Set(errors.map(\.description)).count, errors.count)
    }
}
