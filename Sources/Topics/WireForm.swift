/// The number of an encoding. Subscribers of one form get the same bytes for a publication, so that
/// it is encoded once per form and topic.
///
/// The encodings themselves belong to the modules above; they name their numbers there.
package struct WireForm: RawRepresentable, Hashable, Sendable {
    /// Every topic has a list of subscribers for each form, so there are few.
    package static let countMax = 16

    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        precondition(rawValue < Self.countMax)
        self.rawValue = rawValue
    }
}
