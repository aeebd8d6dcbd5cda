import Base

/// The fields of a JSON object by name.
struct Fields {
    private let fields: [(key: String, value: ArraySlice<UInt8>)]

    init?(_ object: ArraySlice<UInt8>) {
        guard let fields = try? JSONReader.fields(of: object) else { return nil }
        self.fields = fields
    }

    var isEmpty: Bool { fields.isEmpty }

    subscript(name: String) -> ArraySlice<UInt8>? { fields.last { $0.key == name }?.value }

    func object(_ name: String) -> Fields? { self[name].flatMap { Fields($0) } }

    func elements(_ name: String) -> [ArraySlice<UInt8>] {
        self[name].flatMap { try? JSONReader.elements(of: $0) } ?? []
    }

    func string(_ name: String) -> String { self[name].flatMap(JSONReader.string) ?? "" }

    func integer(_ name: String) -> UInt64 { self[name].flatMap(JSONReader.integer) ?? 0 }

    func isTrue(_ name: String) -> Bool { self[name]?.elementsEqual("true".utf8) == true }
}
