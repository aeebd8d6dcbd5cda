import Configuration
import ProviderCalls

extension NewsSection {
    /// Gives a writer and sources that name no key those of the environment that are meant for them.
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
