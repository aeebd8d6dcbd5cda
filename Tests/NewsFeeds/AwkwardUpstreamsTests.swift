import Expectations
import SeededRandom

@testable import NewsFeeds

@Suite("Feeds: awkward upstreams", .timeLimit(.minutes(10)))
struct AwkwardUpstreamsTests {
    private func feed(_ titles: [[UInt8]], label: String?) -> [UInt8] {
        let declaration = label.map { "<?xml version=\"1.0\" encoding=\"\($0)\"?>" } ?? ""
        let items = titles.flatMap {
            Array("<item><title>".utf8) + $0 + Array("</title><guid>1</guid></item>".utf8)
        }
        return Array((declaration + "<rss><channel>").utf8) + items
            + Array("</channel></rss>".utf8)
    }

    private func titles(_ bytes: [UInt8], charset: String? = nil) throws -> [String] {
        try FeedReader().read(bytes, charset: charset).items.map(\.title.text)
    }

    @Test func everyEncodingIsReadByItsDeclarationAndByTheTransport() throws {
        for word in AwkwardUpstreams.encodings {
            for label in [word.label, word.label.uppercased(), " \(word.label) "] {
                let declared = try titles(feed([word.bytes], label: label))
                expectEqual(declared, [word.text], "declared \(label)")
                let sent = try titles(feed([word.bytes], label: nil), charset: label)
                expectEqual(sent, [word.text], "sent as \(label)")
            }
        }
    }

    @Test func badByteIsReplacedAndTheRestIsAsItIs() throws {
        for word in AwkwardUpstreams.encodings where !word.bad.isEmpty {
            for charset in [nil, word.label] {
                let bytes = feed([word.bytes, Array("A ".utf8) + word.bad], label: word.label)
                let document = try FeedReader().read(bytes, charset: charset)
                let read = document.items.map(\.title.text)
                expectEqual(read.first, word.text, "\(word.label)")
                expectEqual(read.last, "A \u{FFFD}", "\(word.label)")
                expect(document.isDamaged, "\(word.label)")
            }
        }
    }

    @Test func textInHiddenEncodingsIsNoFeed() {
        for label in ["hz-gb-2312", "iso-2022-kr", "replacement"] {
            #expect(throws: FeedError.self) { try titles(feed([[0x41]], label: label)) }
        }
    }

    @Test func utf8ThatDeclaresItselfIsUTF8WhateverTheTransportSends() throws {
        let words = [Array("日本語".utf8), Array("A ".utf8) + [0xE6]]
        let read = try titles(feed(words, label: "utf-8"), charset: "iso-8859-1")
        expectEqual(read, ["日本語", "A \u{FFFD}"])
        let latin = try titles(feed([[0x41, 0xE6]], label: "utf-8"), charset: "iso-8859-1")
        expectEqual(latin, ["Aæ"])
    }

    /// A random byte changes nothing behind the end of its title.
    @Test(arguments: UInt64(1)...4)
    func brokenTitleLeavesTheOthersAlone(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for word in AwkwardUpstreams.encodings {
            // An escape sequence that is broken leaves a mode on.
            guard word.label != "iso-2022-jp" else { continue }
            for _ in 0..<20 {
                var broken = word.bytes + word.bytes
                let byte = UInt8.random(in: 0x80...0xFF, using: &generator)
                broken.insert(byte, at: .random(in: 0...broken.count, using: &generator))
                let bytes = feed(
                    [word.bytes, broken + Array(" B".utf8), word.bytes],
                    label: word.label
                )
                let read = try titles(bytes)
                expectEqual(read.first, word.text, "seed \(seed), \(word.label), \(broken)")
                expectEqual(read.last, word.text, "seed \(seed), \(word.label), \(broken)")
            }
        }
    }
}
