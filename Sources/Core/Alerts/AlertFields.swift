/// The newest published values of a subject, by dotted path: `score`, `slope.direction`.
///
/// The events of a subject contain different parts of it. A part in an event replaces the stored
/// part, including the parts below it; the others stay.
package struct AlertFields: Sendable, Equatable {
    /// The limits on the values of one subject; values beyond them are skipped.
    package static let countMax = 128
    package static let textLengthMax = 256
    package static let nameLengthMax = 128
    package static let depthMax = 4

    package private(set) var values: [String: AlertValue]

    package init(_ values: [String: AlertValue] = [:]) {
        self.values = values
    }

    /// Adds the data of an event. Data that are not an object are ignored.
    ///
    /// Numbers are numbers, texts are texts, `true` and `false` are the texts of that name. `null`
    /// is a missing value. Lists are skipped.
    ///
    /// - Parameter names: the fields to read; nil for all of them.
    package mutating func take(_ data: [UInt8], only names: AlertFieldNames? = nil) {
        guard let members = try? JSONReader.fields(of: data[...]) else { return }
        guard let names else {
            for (name, value) in members { replace(name, value, nil) }
            return
        }
        // The last of members with one name counts; only it is read, however many there are.
        var newest: [String: ArraySlice<UInt8>] = [:]
        for (name, value) in members where names.leads(to: name) { newest[name] = value }
        for (name, value) in newest.sorted(by: { $0.key < $1.key }) { replace(name, value, names) }
    }

    /// Removes the fields that no rule names any more.
    package mutating func keep(only names: AlertFieldNames) {
        guard values.keys.contains(where: { !names.contains($0) }) else { return }
        values = values.filter { names.contains($0.key) }
    }

    private mutating func replace(
        _ name: String,
        _ value: ArraySlice<UInt8>,
        _ names: AlertFieldNames?
    ) {
        forget(name)
        take(value, name, names, depth: 1)
    }

    private mutating func forget(_ name: String) {
        values[name] = nil
        let prefix = name + "."
        for key in values.keys where key.hasPrefix(prefix) { values[key] = nil }
    }

    private mutating func take(
        _ value: ArraySlice<UInt8>,
        _ name: String,
        _ names: AlertFieldNames? = nil,
        depth: Int
    ) {
        guard name.utf8.count <= AlertFields.nameLengthMax, names?.leads(to: name) ?? true else {
            return
        }
        switch value.first {
        case UInt8(ascii: "{"):
            guard depth < AlertFields.depthMax, let members = try? JSONReader.fields(of: value)
            else { return }
            for (inner, value) in members {
                take(value, "\(name).\(inner)", names, depth: depth + 1)
            }
        case UInt8(ascii: "["), UInt8(ascii: "n"), nil: break
        case UInt8(ascii: "\""):
            guard value.count <= AlertFields.textLengthMax, let text = JSONReader.shownText(value)
            else { return }
            put(.text(text), name, names)
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            put(.text(String(decoding: value, as: UTF8.self)), name, names)
        default:
            let text = String(decoding: value, as: UTF8.self)
            // A longer number has more digits than can be held.
            let long = Double(text).flatMap { $0.isFinite ? AlertValue.number($0) : nil }
            guard let number = AlertValue(number: text) ?? long else { return }
            put(number, name, names)
        }
    }

    private mutating func put(_ value: AlertValue, _ name: String, _ names: AlertFieldNames?) {
        guard names?.contains(name) ?? true,
            values[name] != nil || values.count < AlertFields.countMax
        else { return }
        values[name] = value
    }

    // MARK: Storage

    /// One object whose keys are the paths.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                switch value {
                case .number(let number): json.field(name, number)
                case .integer(let integer): json.raw(name, integer.description.utf8)
                case .text(let text): json.field(name, text)
                }
            }
        }
        return json.bytes
    }

    /// Nil for text that `json` has not written.
    package init?(json: [UInt8]) {
        guard let members = try? JSONReader.fields(of: json[...]) else { return nil }
        self.init()
        for (name, value) in members { take(value, name, depth: AlertFields.depthMax) }
    }
}
