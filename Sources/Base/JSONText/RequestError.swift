/// The reason why a request to a route is refused: the field, the value seen, and the value
/// expected.
package enum RequestError: Error, Equatable, CustomStringConvertible {
    case notUTF8
    case notJSON(JSONError)
    case notAnObject(found: String)
    case missing(field: String, expected: String)
    /// Also a number out of its range, and a word that is not in the list.
    case unexpected(field: String, expected: String, found: String)
    /// Nothing, or nothing that shows: space, joiners, fillers.
    case empty(field: String)
    case tooLong(field: String, length: Int, unit: String, limit: Int)
    /// The index counts Unicode scalars.
    case controlCharacter(field: String, scalar: UInt32, index: Int)

    package var description: String {
        switch self {
        case .notUTF8:
            "body is not UTF-8"
        case .notJSON(let error):
            "body is not JSON: \(error)"
        case .notAnObject(let found):
            "body is \(found), expected an object"
        case .missing(let field, let expected):
            "\(field) is missing, expected \(expected)"
        case .unexpected(let field, let expected, let found):
            "\(field) is \(found), expected \(expected)"
        case .empty(let field):
            "\(field) is empty"
        case .tooLong(let field, let length, let unit, let limit):
            "\(field) has \(length) \(unit), over limit \(limit)"
        case .controlCharacter(let field, let scalar, let index):
            "\(field) has the control character 0x\(String(scalar, radix: 16)) at index \(index)"
        }
    }

    /// Nil when it is the body as a whole.
    package var field: String? {
        switch self {
        case .notUTF8, .notJSON, .notAnObject: nil
        case .missing(let field, _), .unexpected(let field, _, _), .empty(let field),
            .tooLong(let field, _, _, _), .controlCharacter(let field, _, _):
            field
        }
    }

    /// The expected value.
    package var expected: String {
        switch self {
        case .notUTF8: "UTF-8"
        case .notJSON, .notAnObject: "a JSON object"
        case .missing(_, let expected), .unexpected(_, let expected, _): expected
        case .empty: "at least one character"
        case .tooLong(_, _, let unit, let limit): "at most \(limit) \(unit)"
        case .controlCharacter: "no control character"
        }
    }

    /// The value found; nil if there was none.
    package var found: String? {
        switch self {
        case .notUTF8, .missing: nil
        case .notJSON(let error): error.description
        case .notAnObject(let found), .unexpected(_, _, let found): found
        case .empty: #""""#
        case .tooLong(_, let length, let unit, _): "\(length) \(unit)"
        case .controlCharacter(_, let scalar, let index):
            "0x\(String(scalar, radix: 16)) at index \(index)"
        }
    }

    /// The value found, cut if it is long: an answer must not send a whole body back.
    package static func excerpt(_ value: some Collection<UInt8>) -> String {
        let charactersMax = 40
        let text = String(decoding: value.prefix(charactersMax * 4 + 1), as: UTF8.self)
        return text.count > charactersMax ? text.prefix(charactersMax) + "…" : text
    }
}
