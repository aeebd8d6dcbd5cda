import CDocuments

/// A file of protocol/openapi or protocol/schemas, or of the page that shows them, embedded in the
/// program.
package struct EmbeddedDocument: Sendable {
    /// Below protocol/, such as `openapi/hub.json`.
    package let path: String
    private let index: UInt

    /// All documents. Only paths are read here, so that the memory pages with the contents stay on
    /// disk until they are requested.
    package static let all: [EmbeddedDocument] = {
        var found: [EmbeddedDocument] = []
        while let document = varde_document_at(UInt(found.count)) {
            found.append(
                EmbeddedDocument(
                    path: String(cString: document.pointee.path),
                    index: UInt(found.count)
                )
            )
        }
        return found
    }()

    private init(path: String, index: UInt) {
        self.path = path
        self.index = index
    }

    package var bytes: [UInt8] {
        guard let document = varde_document_at(index)?.pointee else { return [] }
        return Array(UnsafeRawBufferPointer(start: document.bytes, count: Int(document.length)))
    }
}
