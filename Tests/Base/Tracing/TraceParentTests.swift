import Testing

@testable import Base

/// The example of the specification.
private let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

@Suite("W3C Trace Context §3.2: traceparent", .timeLimit(.minutes(10)))
struct TraceParentTests {
    @Test func headerIsReadAndWrittenAsItWas() throws {
        let trace = try #require(TraceParent(example))
        #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(trace.parentID == "00f067aa0ba902b7")
        #expect(trace.isSampled)
        #expect(trace.description == example)
        #expect(trace.description.utf8.count == TraceParent.length)
    }

    @Test func leadingZerosOfIDsAreKept() throws {
        let text = "00-00000000000000000000000000000001-0000000000000001-00"
        #expect(try #require(TraceParent(text)).description == text)
        let high = "00-10000000000000000000000000000000-1000000000000000-00"
        #expect(try #require(TraceParent(high)).description == high)
    }

    @Test func partOfAHeaderIsNone() {
        for count in 0..<example.count {
            #expect(TraceParent(example.prefix(count)) == nil, "\(count) characters")
        }
    }

    /// One character less, one more, and each character replaced.
    @Test func headerOfVersion00HasExactlyItsLength() {
        for more in ["-", "-00", "0", " ", "\n"] { #expect(TraceParent(example + more) == nil) }
        for less in [" ", "0", "-"] { #expect(TraceParent(less + example) == nil) }
    }

    @Test(arguments: Array("gGA /:`@Z"))
    func everyCharacterButDashesIsALowerCaseDigit(wrong: Character) {
        for index in example.indices {
            var text = example
            text.replaceSubrange(index...index, with: [wrong])
            #expect(TraceParent(text) == nil, "\(text)")
        }
    }

    @Test func dashStandsOnlyBetweenTheFields() {
        for (place, index) in example.indices.enumerated() {
            var text = example
            text.replaceSubrange(index...index, with: example[index] == "-" ? "0" : "-")
            #expect(TraceParent(text) == nil, "place \(place)")
        }
    }

    @Test func idsOfZeroAreRefused() {
        let (trace, parent) = (String(repeating: "0", count: 32), String(repeating: "0", count: 16))
        #expect(TraceParent("00-\(trace)-00f067aa0ba902b7-01") == nil)
        #expect(TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-\(parent)-01") == nil)
    }

    /// §3.2.4: a later version is read as far as version 00 goes, if it goes on behind a dash.
    @Test(arguments: ["", "-", "-what-comes-later", "-é"])
    func laterVersionIsReadAsVersion00(rest: String) throws {
        for version in ["01", "cc", "fe"] {
            let text = version + example.dropFirst(2) + rest
            #expect(try #require(TraceParent(text)).description == example)
        }
    }

    @Test func laterVersionThatGoesOnOtherwiseIsRefused() {
        for rest in ["0", ".", " -", "é"] {
            #expect(TraceParent("cc" + example.dropFirst(2) + rest) == nil)
        }
        for version in ["ff", "FE", "0x", "0"] {
            #expect(TraceParent(version + example.dropFirst(2)) == nil, "\(version)")
        }
    }

    /// §3.2.2.5.2: other flags are set to zero.
    @Test(arguments: [
        ("00", "00"), ("01", "01"), ("02", "02"), ("03", "03"), ("ff", "03"), ("fc", "00"),
    ])
    func onlyKnownFlagsArePassedOn(given: String, passedOn: String) throws {
        let trace = try #require(TraceParent(example.dropLast(2) + given))
        #expect(trace.description == example.dropLast(2) + passedOn)
    }

    @Test func childHasTheSameTraceAndFlagsAndAnotherSpan() throws {
        let trace = try #require(TraceParent(example))
        let child = trace.child(random: 0xAB)
        #expect(child.description == "00-\(trace.traceID)-00000000000000ab-01")
        #expect(trace.child(random: 0).parentID == "0000000000000001", "no id of zero")
    }

    @Test func newTraceHasNoIDOfZero() {
        let trace = TraceParent.beginning(random: (0, 0, 0), isSampled: false)
        #expect(TraceParent(trace.description) == trace)
        #expect(!trace.isSampled)
        let other = TraceParent.beginning(random: (1, 2, 3), isSampled: true)
        #expect(other.description == "00-00000000000000010000000000000002-0000000000000003-01")
    }
}

@Suite("The trace of a task", .timeLimit(.minutes(10)))
struct CurrentTraceTests {
    @Test func traceIsContinuedOrBegun() async throws {
        #expect(CurrentTrace.child() == nil)
        await CurrentTrace.continued(isSampled: true) {
            let outer = CurrentTrace.value
            #expect(outer?.isSampled == true)
            #expect(CurrentTrace.child()?.traceID == outer?.traceID)
            #expect(CurrentTrace.child()?.parentID != outer?.parentID)
            await CurrentTrace.continued(isSampled: false) {
                #expect(CurrentTrace.value == outer)
            }
        }
        #expect(CurrentTrace.value == nil)
    }
}
