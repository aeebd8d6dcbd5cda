/// A question to a model, and the tool that the model has to call. The arguments of the call are
/// the answer.
package struct ToolPrompt: Sendable, Equatable {
    /// A function, from the model's point of view.
    package struct Tool: Sendable, Equatable {
        package let name: String
        package let description: String
        /// JSON Schema of its arguments.
        package let schema: String

        package init(name: String, description: String, schema: String) {
            self.name = name
            self.description = description
            self.schema = schema
        }
    }

    /// Changes with the texts, the text from outside excepted.
    package let version: String
    package let system: String
    package let question: String
    /// Bytes of `question` that come from outside, in any script. The rest is our own English text.
    package let outsideBytes: Int
    package let tool: Tool
    /// The most that the answer may have.
    package let outputTokensMax: Int

    package init(
        version: String,
        system: String,
        question: String,
        outsideBytes: Int,
        tool: Tool,
        outputTokensMax: Int
    ) {
        precondition((0...question.utf8.count).contains(outsideBytes))
        precondition(outputTokensMax > 0)
        self.version = version
        self.system = system
        self.question = question
        self.outsideBytes = outsideBytes
        self.tool = tool
        self.outputTokensMax = outputTokensMax
    }

    /// Everything that the model reads.
    package var texts: [String] { [system, question, tool.name, tool.description, tool.schema] }

    /// An upper bound of the cost of one request.
    ///
    /// English text has a token for about every four letters, other text at most one for every
    /// byte. Providers add some hundreds of tokens for a forced tool.
    package var tokensMax: Int {
        let bytesPerTokenMin = 3
        let providersOwnTokensMax = 600
        let ourBytes = texts.reduce(0) { $0 + $1.utf8.count } - outsideBytes
        return ourBytes / bytesPerTokenMin + outsideBytes + providersOwnTokensMax + outputTokensMax
    }
}
