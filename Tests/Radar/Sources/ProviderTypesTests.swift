import Expectations
import Foundation

@testable import Radar

/// Puts every wrong type into every field of the answers that hold something.
@Suite("Providers: fields of wrong types", .timeLimit(.minutes(10)))
struct ProviderTypesTests {
    private static let vectors = ProviderVector.all.filter {
        $0.outcome.kind == "value" && !$0.name.contains("stream")
    }
    private static var replacements: [Any] {
        [
            NSNull(), true, -1, 0.25, 7, 1e300, "", "x", "{\"stance\":", [Any](), [NSNull()],
            [String: Any](), ["a": ["b": [1]]],
        ]
    }

    @Test(arguments: vectors)
    func fieldOfAnotherTypeMakesNoOtherOpinion(_ vector: ProviderVector) throws {
        let tree = try JSONSerialization.jsonObject(with: Data(vector.body.utf8))
        let whole = vector.source.stances(from: vector.response)
        var count = 0
        for path in paths(of: tree) {
            for replacement in Self.replacements {
                let changed = replacing(tree, at: path[...], with: replacement)
                guard JSONSerialization.isValidJSONObject(changed) else { continue }
                let body = Array(try JSONSerialization.data(withJSONObject: changed))
                check(vector, path, body, whole: whole)
                count += 1
            }
        }
        expect(count > 200, "the fields were found")
    }

    /// What is read all the same differs at most in the field itself, and is in its range.
    private func check(
        _ vector: ProviderVector,
        _ path: [String],
        _ body: [UInt8],
        whole: ProviderAnswer<StanceSamples>
    ) {
        let place = Comment("\(vector.name), \(path.joined(separator: "."))")
        _ = vector.answer(to: vector.response(body: body))
        guard
            case .value(let changed, _) = vector.source.stances(from: vector.response(body: body)),
            case .value(let original, _) = whole, let sample = changed.samples.first,
            let expected = original.samples.first
        else { return }
        expect((0...1).contains(sample.confidence), place)
        expect(!sample.content.isEmpty, place)
        expectEqual(sample.stance, expected.stance, place)
        expect(sample.confidence == expected.confidence || path.last == "confidence", place)
        expect(sample.content == expected.content || path.last == "content", place)
        expect(sample.reasoning == expected.reasoning || path.last == "reasoning", place)
    }

    private func paths(of tree: Any) -> [[String]] {
        if let object = tree as? [String: Any] {
            return object.keys.sorted().flatMap { key in
                [[key]] + paths(of: object[key] as Any).map { [key] + $0 }
            }
        }
        guard let array = tree as? [Any] else { return [] }
        return array.indices.flatMap { index in
            [["\(index)"]] + paths(of: array[index]).map { ["\(index)"] + $0 }
        }
    }

    private func replacing(_ tree: Any, at path: ArraySlice<String>, with value: Any) -> Any {
        guard let name = path.first else { return value }
        if var object = tree as? [String: Any] {
            object[name] = replacing(object[name] as Any, at: path.dropFirst(), with: value)
            return object
        }
        guard var array = tree as? [Any], let index = Int(name) else { return tree }
        array[index] = replacing(array[index], at: path.dropFirst(), with: value)
        return array
    }
}
