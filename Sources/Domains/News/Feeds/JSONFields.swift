/// The fields of an object, each read when it is asked for.
struct JSONFields {
    private let fields: [(key: String, value: ArraySlice<UInt8>)]

    init(_ fields: [(key: String, value: ArraySlice<UInt8>)]) { self.fields = fields }

    /// Nil for values that are not objects.
    init?(_ value: ArraySlice<UInt8>) {
        guard let fields = try? JSONReader.fields(of: value) else { return nil }
        self.fields = fields
    }

    func value(_ key: String) -> ArraySlice<UInt8>? {
        fields.first { $0.key == key }?.value
    }

    func text(_ key: String) -> String? { value(key).flatMap(JSONReader.shownText) }

    func number(_ key: String) -> String? {
        value(key).flatMap { Double(String(decoding: $0, as: UTF8.self)) == nil ? nil : $0 }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    func object(_ key: String) -> JSONFields? { value(key).flatMap { JSONFields($0) } }

    /// Nil for values that are not arrays.
    func array(_ key: String) -> [ArraySlice<UInt8>]? {
        value(key).flatMap { try? JSONReader.elements(of: $0) }
    }

    func elements(_ key: String) -> [ArraySlice<UInt8>] { array(key) ?? [] }
}
