import ClientWire
import Expectations
import Foundation

/// The tables of protocol/close-codes.md are the lists in the code.
@Suite("protocol/close-codes.md", .timeLimit(.minutes(10)))
struct CloseCodesTests {
    /// The cells of the table under a heading, without its head.
    private func table(under heading: String) throws -> [[String]] {
        let url = Vectors.root.appending(path: "protocol/close-codes.md")
        let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        let start = try require(lines.firstIndex(of: "## " + heading))
        let rows = lines[start...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return rows.dropFirst(2).map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private func word(_ flag: Bool) -> String { flag ? "yes" : "no" }

    @Test func endsOfAConnectionAreTheList() throws {
        let rows = try table(under: "Ends of a connection")
        let expected = DisconnectCode.all.map {
            ["\($0.code)", $0.reason, word($0.reconnects), "\($0.webSocketCode)"]
        }
        expectEqual(rows.map { Array($0.prefix(4)) }, expected)
        expect(rows.allSatisfy { $0.count == 5 && $0[4].hasSuffix(".") }, "each has its cause")
    }

    @Test func endsOfASubscriptionAreTheList() throws {
        let rows = try table(under: "Ends of a subscription")
        let expected = UnsubscribeCode.all.map {
            ["\($0.code)", $0.reason, word($0.resubscribes)]
        }
        expectEqual(rows.map { Array($0.prefix(3)) }, expected)
        expect(rows.allSatisfy { $0.count == 4 && $0[3].hasSuffix(".") }, "each has its cause")
    }

    @Test func errorsAreTheList() throws {
        let rows = try table(under: "Errors")
        let expected = ProtocolError.all.map { ["\($0.code)", $0.message, word($0.isTemporary)] }
        expectEqual(rows.map { Array($0.prefix(3)) }, expected)
        expect(rows.allSatisfy { $0.count == 4 && $0[3].hasSuffix(".") }, "each has its cause")
    }

    @Test func codesAreInOrderAndOnce() {
        let codes = DisconnectCode.all.map(\.code)
        expectEqual(codes, Set(codes).sorted())
        let errors = ProtocolError.all.map(\.code)
        expectEqual(errors, Set(errors).sorted())
        let ends = UnsubscribeCode.all.map(\.code)
        expectEqual(ends, Set(ends).sorted())
    }

    /// RFC 6455 §7.4.1: 1004, 1005, 1006 and 1015 are never sent.
    @Test func plainCodesMayBeSent() {
        for code in DisconnectCode.all {
            expect((1000...1014).contains(code.webSocketCode))
            expect(![1004, 1005, 1006].contains(code.webSocketCode))
        }
    }

    @Test func disconnectPushCarriesCodeAndReason() {
        expectEqual(
            text(CentrifugePush.disconnect(.shutdown, encoding: .json)),
            #"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#
        )
    }

    @Test func wireFormsDiffer() {
        let forms: [WireForm] = [
            .centrifugeJSON, .eventStream, .centrifugeProtobuf, .jsonDeltaFirst, .jsonDelta,
            .protobufDeltaFirst, .protobufDelta, .jsonFiltered, .protobufFiltered, .cloudEvents,
            .plainText,
        ]
        let deflated = WireForm.sharedWindowBits.map {
            WireForm.centrifugeJSONDeflated(windowBits: $0)
        }
        expectEqual(Set(forms + deflated).count, forms.count + deflated.count)
    }
}
