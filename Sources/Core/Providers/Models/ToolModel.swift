/// A model of an AI provider that is made to answer by calling one tool.
///
/// A model sends nothing. Send the request when `SourceMachine` admits it, and pass the response to
/// `answer`. Do not follow redirects, and do not read a body over `ProviderLimits.answerBytesMax`.
package protocol ToolModel: Sendable {
    /// The configured name. The provider may answer with a longer one, such as a dated name.
    var name: String { get }

    func request(_ prompt: ToolPrompt) -> ProviderRequest

    /// Reads the arguments of the one call of `tool`.
    ///
    /// - Parameter decode: makes a value of the arguments. They need not have the form of the
    ///   tool's schema. `model` is the name that the provider answered with, else `name`.
    func answer<Value: Sendable & Equatable>(
        _ response: ProviderResponse,
        calling tool: String,
        _ decode: (_ arguments: JSONObject, _ model: String) -> Result<Value, NoAnswer>
    ) -> ProviderAnswer<Value>
}
