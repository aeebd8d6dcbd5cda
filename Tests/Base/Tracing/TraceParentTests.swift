import Expectations

@testable import Base

/// The example of the specification.
private let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

@Suite("W3C Trace Context §3.2: traceparent", .timeLimit(.minutes(10)))
struct TraceParentTests {
    @Test func headerIsReadAndWrittenAsItWas() throws {
        let trace = try require(TraceParent(example))
        expectEqual(trace.traceID, "4bf92f3577b34da6a3ce929d0e0e4736")
        expectEqual(trace.parentID, "00f067aa0ba902b7")
        expect(trace.isSampled)
        expectEqual(trace.description, example)
        expectEqual(trace.description.utf8.count, TraceParent.length)
    }

    @Test func leadingZerosOfIDsAreKept() throws {
        let text = "00-00000000000000000000000000000001-0000000000000001-00"
        try expectEqual(require(TraceParent(text)).description, text)
        let high = "00-10000000000000000000000000000000-1000000000000000-00"
        try expectEqual(require(TraceParent(high)).description, high)
    }

    @Test func partOfAHeaderIsNone() {
        for count in 0..<example.count {
            expectNil(TraceParent(example.prefix(count)), "\(count) characters")
        }
    }

    /// One character less, one more, and each character replaced.
    @Test func headerOfVersion00HasExactlyItsLength() {
        for more in ["-", "-00", "0", " ", "\n"] { expectNil(TraceParent(example + more)) }
        for less in [" ", "0", "-"] { expectNil(TraceParent(less + example)) }
    }

    @Test(arguments: Array("gGA /:`@Z"))
    func everyCharacterButDashesIsALowerCaseDigit(wrong: Character) {
        for index in example.indices {
            var text = example
            text.replaceSubrange(index...index, with: [wrong])
            expectNil(TraceParent(text), "\(text)")
        }
    }

    @Test func dashStandsOnlyBetweenTheFields() {
        for (place, index) in example.indices.enumerated() {
            var text = example
            text.replaceSubrange(index...index, with: example[index] == "-" ? "0" : "-")
            expectNil(TraceParent(text), "place \(place)")
        }
    }

    @Test func idsOfZeroAreRefused() {
        let (trace, parent) = (String(repeating: "0", count: 32), String(repeating: "0", count: 16))
        expectNil(TraceParent("00-\(trace)-00f067aa0ba902b7-01"))
        expectNil(TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-\(parent)-01"))
    }

    /// §3.2.4: a later version is read as far as version 00 goes, if it goes on behind a dash.
    @Test(arguments: ["", "-", "-what-comes-later", "-é"])
    func laterVersionIsReadAsVersion00(rest: String) throws {
        for version in ["01", "cc", "fe"] {
            let text = version + example.dropFirst(2) + rest
            try expectEqual(require(TraceParent(text)).description, example)
        }
    }

    @Test func laterVersionThatGoesOnOtherwiseIsRefused() {
        for rest in ["0", ".", " -", "é"] {
            expectNil(TraceParent("cc" + example.dropFirst(2) + rest))
        }
        for version in ["ff", "FE", "0x", "0"] {
            expectNil(TraceParent(version + example.dropFirst(2)), "\(version)")
        }
    }

    /// §3.2.2.5.2: other flags are set to zero.
    @Test(arguments: [
        ("00", "00"), ("01", "01"), ("02", "02"), ("03", "03"), ("ff", "03"), ("fc", "00"),
    ])
    func onlyKnownFlagsArePassedOn(given: String, passedOn: String) throws {
        let trace = try require(TraceParent(example.dropLast(2) + given))
        expectEqual(trace.description, example.dropLast(2) + passedOn)
    }

    @Test func childHasTheSameTraceAndFlagsAndAnotherSpan() throws {
        let trace = try require(TraceParent(example))
        let child = trace.child(random: 0xAB)
        expectEqual(child.description, "00-\(trace.traceID)-00000000000000ab-01")
        expectEqual(trace.child(random: 0).parentID, "0000000000000001", "no id of zero")
    }

    @Test func newTraceHasNoIDOfZero() {
        let trace = TraceParent.beginning(random: (0, 0, 0), isSampled: false)
        expectEqual(TraceParent(trace.description), trace)
        expect(!trace.isSampled)
        let other = TraceParent.beginning(random: (1, 2, 3), isSampled: true)
        expectEqual(other.description, "00-00000000000000010000000000000002-0000000000000003-01")
    }
}

@Suite("The trace of a task", .timeLimit(.minutes(10)))
struct CurrentTraceTests {
    @Test func traceIsContinuedOrBegun() async throws {
        expectNil(CurrentTrace.child())
        await CurrentTrace.continued(isSampled: true) {
            let outer = CurrentTrace.value
            expectEqual(outer?.isSampled, true)
            expectEqual(CurrentTrace.child()?.traceID, outer?.traceID)
            expect(CurrentTrace.child()?.parentID != outer?.parentID)
            await CurrentTrace.continued(isSampled: false) {
                expectEqual(CurrentTrace.value, outer)
            }
        }
        expectNil(CurrentTrace.value)
    }
}
