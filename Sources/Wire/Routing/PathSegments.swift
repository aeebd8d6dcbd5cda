/// The segments of a path as they were sent, without empty ones.
///
/// Any code that classifies paths must use these segments: for the table, `//a/b/` is `/a/b`.
package struct PathSegments: Sequence, IteratorProtocol {
    private var rest: Substring.UTF8View

    package init(_ path: String) {
        rest = path[...].utf8
    }

    package mutating func next() -> Substring? {
        let slash = UInt8(ascii: "/")
        guard let start = rest.firstIndex(where: { $0 != slash }) else { return nil }
        rest = rest[start...]
        let end = rest.firstIndex(of: slash) ?? rest.endIndex
        defer { rest = rest[end...] }
        return Substring(rest[..<end])
    }
}
