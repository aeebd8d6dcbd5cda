/// The limits on answers of providers.
package enum ProviderLimits {
    /// Bytes of an answer. An answer of an AI provider has some kilobytes.
    package static let answerBytesMax = 1 << 20
    /// Characters of a name, such as that of a model.
    package static let nameLengthMax = 200
}
