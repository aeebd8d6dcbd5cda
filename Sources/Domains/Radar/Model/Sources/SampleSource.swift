/// Invented opinions, for trying a radar out without a provider.
///
/// They follow from the topic and the period: a topic leans one way, and its periods vary about that, so
/// that positions and trends have something to show.
package struct SampleSource: OpinionSource {
    package let name: String
    package let trust: Double
    package let localPeriod: Duration

    package init(
        name: String = "sample",
        trust: Double = 1,
        period: Duration = .seconds(86_400)
    ) {
        self.name = name
        self.trust = trust
        localPeriod = period
    }

    /// As author and model of its opinions, so that nothing passes for more than it is.
    package static let author = "sample"

    package var provider: String { Self.author }
    package var model: String { Self.author }
    package var promptVersion: String { "sample-1" }
    package var tokensMax: Int { 0 }

    package func stanceRequest(topic: String) -> ProviderRequest? { nil }

    package func stances(from response: ProviderResponse) -> ProviderAnswer<StanceSamples> {
        .failure(.permanent(reason: "\(name) answers by itself"))
    }

    package func localStances(topic: String, period: Int) -> [StanceSample]? {
        let lean = Self.fraction("\(topic)\n")
        let mood = Self.fraction("\(topic)\n\(period)")
        // Two thirds the topic, one third the period.
        let side = (2 * lean + mood) / 3
        let stance: Stance = side < 0.4 ? .against : side < 0.6 ? .neutral : .for
        // Steps of a hundredth, from 0.3 to 0.9.
        let confidence = Double(30 + Int(mood * 60)) / 100
        return [
            StanceSample(
                author: Self.author,
                model: Self.author,
                content: "Sample opinion, invented by this hub for trials.",
                stance: stance,
                confidence: confidence,
                reasoning: "Derived from the letters of the topic and the date."
            )
        ]
    }

    /// In 0..<1, the same for the same text everywhere.
    private static func fraction(_ text: String) -> Double {
        let digest = sha256(text.utf8)
        return Double(UInt32(digest[0]) << 8 | UInt32(digest[1])) / 65_536
    }
}
