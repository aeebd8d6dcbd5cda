import DomainKit

/// Keys at providers that the environment has, and those that the file shows.
extension RadarSection {
    /// Gives the sources that name no key the one of the environment that is meant for them.
    package mutating func read(
        _ environment: [String: String],
        _ reader: inout ConfigurationReader
    ) {
        for index in sources.indices {
            sources[index].readKey(at: Self.path(ofSource: index), environment, &reader)
        }
    }

    package func exposures(in loaded: LoadedConfiguration) -> [ConfigurationExposure] {
        sources.indices.compactMap { index in
            sources[index].exposureOfKey(at: Self.path(ofSource: index), in: loaded)
        }
    }

    private static func path(ofSource index: Int) -> String { "\(key).sources[\(index)]" }
}
