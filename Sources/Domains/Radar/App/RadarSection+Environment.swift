import Configuration

/// Keys at providers that the environment has, and those that the file shows.
extension RadarSection {
    /// Gives the sources that name no key the one of the environment that is meant for them.
    package mutating func read(
        _ environment: [String: String],
        _ reader: inout ConfigurationReader
    ) {
        for index in sources.indices where sources[index].keySource == nil {
            guard let name = sources[index].keyVariable, let text = environment[name],
                !text.isEmpty
            else { continue }
            let path = "\(Self.key).sources[\(index)].key"
            sources[index].key = reader.variable(name, text, path, .providerKey)
        }
    }

    package func exposures(in loaded: LoadedConfiguration) -> [ConfigurationExposure] {
        sources.indices.compactMap { index in
            guard sources[index].key != nil else { return nil }
            return loaded.exposure(
                ofSecretAt: "\(Self.key).sources[\(index)].key",
                instead: "use key_file or key_env"
            )
        }
    }
}
