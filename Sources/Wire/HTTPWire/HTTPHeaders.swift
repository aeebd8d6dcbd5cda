// HTTPWire: HTTP/1.1 (RFC 9110, RFC 9112) requests and responses, bytes to values and back, for the
// server and the client, without I/O. Start with HTTPRequestParser.

/// The fields of a message in the order they were sent; names are compared without case (RFC 9110 §5.1).
///
/// The spelling of a name is kept for sending. Lookup walks the fields, which is faster than hashing
/// for the ten to twenty that a request has. Values are checked when they are read from a peer and
/// again when they are written, so a value made by the program may hold anything.
package struct HTTPHeaders: Sendable, Equatable {
    private struct Field: Sendable, Equatable {
        var name: String
        var value: String

        static func == (left: Field, right: Field) -> Bool {
            equalsIgnoringCase(left.name, right.name) && left.value == right.value
        }
    }

    private var fields: [Field] = []

    package init() {}

    /// The number of fields, each line counted.
    package var count: Int { fields.count }

    package var isEmpty: Bool { fields.isEmpty }

    /// The value of the first field of that name.
    package func first(_ name: String) -> String? {
        fields.first { equalsIgnoringCase($0.name, name) }?.value
    }

    /// The values of all fields of that name, in order.
    package func all(_ name: String) -> [String] {
        fields.filter { equalsIgnoringCase($0.name, name) }.map(\.value)
    }

    package func contains(_ name: String) -> Bool {
        fields.contains { equalsIgnoringCase($0.name, name) }
    }

    /// Adds a field after all others, also when there is one of that name.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Leaves exactly one field of that name: in the place of the first one, or else at the end.
    package mutating func replace(_ name: String, with value: String) {
        guard let index = fields.firstIndex(where: { equalsIgnoringCase($0.name, name) }) else {
            return append(name, value)
        }
        fields[index] = Field(name: name, value: value)
        var isLater = false
        fields.removeAll { field in
            guard equalsIgnoringCase(field.name, name) else { return false }
            defer { isLater = true }
            return isLater
        }
    }

    /// Removes all fields of that name.
    package mutating func remove(_ name: String) {
        fields.removeAll { equalsIgnoringCase($0.name, name) }
    }

    mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(count)
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Keeps the order of the literal; a name may occur more than once.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}

extension HTTPHeaders: Sequence {
    package struct Iterator: IteratorProtocol {
        private var fields: IndexingIterator<[Field]>

        fileprivate init(_ headers: HTTPHeaders) {
            fields = headers.fields.makeIterator()
        }

        package mutating func next() -> (name: String, value: String)? {
            fields.next().map { ($0.name, $0.value) }
        }
    }

    package func makeIterator() -> Iterator {
        Iterator(self)
    }

    package var underestimatedCount: Int { count }
}
