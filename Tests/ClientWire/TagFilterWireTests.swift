import Expectations

@testable import ClientWire

@Suite("Tag filters on the wire", .timeLimit(.minutes(10)))
struct TagFilterWireTests {
    private static func filter(_ json: String) throws -> TagFilter? {
        let command = try CentrifugeCommand(
            Array(#"{"id":1,"subscribe":{"channel":"a","tf":\#(json)}}"#.utf8)[...],
            encoding: .json
        )
        guard case .subscribe(let fields) = command.method, let node = fields.filter else {
            return nil
        }
        return try TagFilter(node)
    }

    @Test(
        arguments: [
            ("eq", .equal("5")), ("neq", .notEqual("5")), ("sw", .hasPrefix("5")),
            ("ew", .hasSuffix("5")), ("ct", .contains("5")), ("lt", .lessThan("5")),
            ("lte", .lessOrEqual("5")), ("gt", .greaterThan("5")), ("gte", .greaterOrEqual("5")),
        ] as [(String, TagFilter.Comparison)]
    )
    func comparisonWithAValue(name: String, comparison: TagFilter.Comparison) throws {
        let filter = try Self.filter(#"{"key":"k","cmp":"\#(name)","val":"5"}"#)
        expectEqual(filter, .compare(key: "k", comparison))
        let error = TagFilterError.wrongValues(comparison: name)
        #expect(throws: error) { try Self.filter(#"{"key":"k","cmp":"\#(name)"}"#) }
        #expect(throws: error) {
            try Self.filter(#"{"key":"k","cmp":"\#(name)","val":"5","vals":["5"]}"#)
        }
        #expect(throws: TagFilterError.noKey) {
            try Self.filter(#"{"cmp":"\#(name)","val":"5"}"#)
        }
    }

    @Test(
        arguments: [
            ("in", .isIn(["5", ""])), ("nin", .isNotIn(["5", ""])),
        ] as [(String, TagFilter.Comparison)]
    )
    func comparisonWithValues(name: String, comparison: TagFilter.Comparison) throws {
        let filter = try Self.filter(#"{"key":"k","cmp":"\#(name)","vals":["5",""]}"#)
        expectEqual(filter, .compare(key: "k", comparison))
        let error = TagFilterError.wrongValues(comparison: name)
        #expect(throws: error) { try Self.filter(#"{"key":"k","cmp":"\#(name)","vals":[]}"#) }
        #expect(throws: error) {
            try Self.filter(#"{"key":"k","cmp":"\#(name)","vals":["5"],"val":"5"}"#)
        }
    }

    @Test(
        arguments: [
            ("ex", .exists), ("nex", .doesNotExist),
        ] as [(String, TagFilter.Comparison)]
    )
    func comparisonWithoutAValue(name: String, comparison: TagFilter.Comparison) throws {
        let filter = try Self.filter(#"{"key":"k","cmp":"\#(name)"}"#)
        expectEqual(filter, .compare(key: "k", comparison))
        for values in [#""val":"5""#, #""vals":["5"]"#] {
            #expect(throws: TagFilterError.wrongValues(comparison: name)) {
                try Self.filter(#"{"key":"k","cmp":"\#(name)",\#(values)}"#)
            }
        }
    }

    @Test func combinationsAreReadWithTheirChildren() throws {
        let leaf = #"{"key":"k","cmp":"ex"}"#
        let exists = TagFilter.compare(key: "k", .exists)
        try expectEqual(Self.filter(#"{"op":"and","nodes":[\#(leaf)]}"#), .all([exists]))
        try expectEqual(
            Self.filter(#"{"op":"or","nodes":[\#(leaf),\#(leaf)]}"#),
            .any([exists, exists])
        )
        try expectEqual(Self.filter(#"{"op":"not","nodes":[\#(leaf)]}"#), .not(exists))
    }

    @Test(
        arguments: [
            (#"{}"#, .unknownComparison("")),
            (#"{"key":"k","cmp":"above","val":"5"}"#, .unknownComparison("above")),
            (#"{"op":"xor","nodes":[{"key":"k","cmp":"ex"}]}"#, .unknownOperation("xor")),
            (#"{"op":"and"}"#, .wrongNodes(operation: "and")),
            (#"{"op":"or","nodes":[]}"#, .wrongNodes(operation: "or")),
            (#"{"op":"not"}"#, .wrongNodes(operation: "not")),
            (
                #"{"op":"not","nodes":[{"key":"k","cmp":"ex"},{"key":"l","cmp":"ex"}]}"#,
                .wrongNodes(operation: "not")
            ),
            (#"{"op":"or","nodes":[{"key":"k","cmp":"ex"},{"cmp":"ex"}]}"#, .noKey),
        ] as [(String, TagFilterError)]
    )
    func whatIsNoFilterIsRefused(json: String, error: TagFilterError) {
        #expect(throws: error) { try Self.filter(json) }
    }

    @Test(arguments: [#"[]"#, #"{"op":1}"#, #"{"vals":["a",1]}"#, #"{"nodes":[1]}"#])
    func fieldOfTheWrongTypeIsNoCommand(json: String) {
        #expect(throws: CommandError.self) { try Self.filter(json) }
    }

    @Test func depthIsLimited() throws {
        func nested(_ depth: Int) -> String {
            depth == 1
                ? #"{"key":"k","cmp":"ex"}"# : #"{"op":"not","nodes":[\#(nested(depth - 1))]}"#
        }
        #expect(throws: Never.self) { try Self.filter(nested(8)) }
        #expect(throws: TagFilterError.tooDeep) { try Self.filter(nested(9)) }
    }

    @Test func nodesAreLimited() throws {
        func wide(_ count: Int) -> String {
            let leaves = [String](repeating: #"{"key":"k","cmp":"ex"}"#, count: count - 1)
            return #"{"op":"or","nodes":[\#(leaves.joined(separator: ","))]}"#
        }
        #expect(throws: Never.self) { try Self.filter(wide(64)) }
        #expect(throws: TagFilterError.tooManyNodes) { try Self.filter(wide(65)) }
    }
}
