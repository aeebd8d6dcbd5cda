import Expectations
import Foundation

@testable import Core

/// A file under Vectors/: Vectors/SOURCES.md says where each comes from.
enum VectorFile {
    static func json(_ name: String) throws -> Any {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Vectors").appending(path: name)
        return try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    }
}

/// A JWK out of a vector.
struct VectorKey {
    let fields: [String: Any]

    /// The key as a configuration would have it: a secret, or a public key out of a set; nil when no key
    /// of ours comes of it.
    func tokenKey() throws -> TokenKey? {
        if fields["kty"] as? String == "oct" {
            guard fields["alg"] == nil || fields["alg"] as? String == "HS256" else { return nil }
            let text = try require(fields["k"] as? String)
            let secret = try require(Base64URL.decodeNumber(text))
            return try? TokenKey.secret(secret, id: fields["kid"] as? String)
        }
        guard let set = try? Self.set([fields]) else { return nil }
        return TokenKey.published(set.keys).first
    }

    static func set(_ keys: [[String: Any]]) throws -> JSONWebKeySet {
        try JSONWebKeySet(
            document: Array(try JSONSerialization.data(withJSONObject: ["keys": keys]))
        )
    }
}

/// A file of Wycheproof's: keys, and what verifiers have to make of signatures by them.
struct Wycheproof {
    struct Group {
        let fields: [String: Any]
        let tests: [Case]
        var comment: String { fields["comment"] as? String ?? "" }
    }

    struct Case: CustomStringConvertible {
        let fields: [String: Any]
        var id: Int { fields["tcId"] as? Int ?? 0 }
        var isValid: Bool { fields["result"] as? String == "valid" }
        var description: String { "\(id) \(fields["comment"] ?? "")" }

        func text(_ name: String) throws -> String { try require(fields[name] as? String) }

        /// The bytes of a field in hexadecimal.
        func bytes(_ name: String) throws -> [UInt8] {
            try CoreTests.bytes(hexadecimal: text(name))
        }
    }

    let groups: [Group]

    /// - Parameter name: without `_test.json`.
    init(_ name: String) throws {
        let json = try VectorFile.json("wycheproof/\(name)_test.json") as? [String: Any]
        let list = try require(json?["testGroups"] as? [[String: Any]])
        groups = list.map { fields in
            let tests = fields["tests"] as? [[String: Any]] ?? []
            return Group(fields: fields, tests: tests.map { Case(fields: $0) })
        }
        // So that no case is lost unnoticed.
        let count = groups.reduce(0) { $0 + $1.tests.count }
        expectEqual(count, json?["numberOfTests"] as? Int)
    }
}

/// The bytes of a text in hexadecimal.
func bytes(hexadecimal text: String) throws -> [UInt8] {
    let digits = Array(text.utf8)
    return try stride(from: 0, to: digits.count, by: 2).map { index in
        let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
        return try require(UInt8(pair, radix: 16))
    }
}
