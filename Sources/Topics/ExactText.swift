/// A text from outside as a key: equal to another only when their bytes are.
///
/// `==` of strings also holds for texts that only look alike, such as `é` in its two spellings, or `K` and
/// U+212A, the Kelvin sign. As a key of a dictionary one user would be taken for another, and one
/// publication for the repetition of another.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: ExactText, other: ExactText) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
