import DomainKit

extension NewsSection {
    /// Sets the keys of a writer and of sources without one from the environment, if it has them.
    package mutating func read(
        _ environment: [String: String],
        _ reader: inout ConfigurationReader
    ) {
        writer?.readKey(at: NewsSection.writerPath, environment, &reader)
        for index in sources.indices {
            sources[index].readKey(at: NewsSection.sourcePath(index), environment, &reader)
        }
    }

    package func exposures(in loaded: LoadedConfiguration) -> [ConfigurationExposure] {
        let sources = self.sources.enumerated().map { index, source in
            source.exposureOfKey(at: NewsSection.sourcePath(index), in: loaded)
        }
        return (sources + [writer?.exposureOfKey(at: NewsSection.writerPath, in: loaded)])
            .compactMap(\.self)
    }

    static func sourcePath(_ index: Int) -> String { "\(key).sources[\(index)]" }
}
