extension Recording {
    /// The maximum size of a file: seven days of `rtsw_wind_1m.json` would be 20 MB.
    static let fileBytesMax = 32 * 1024 * 1024

    /// Reads `replay.yaml` in `directory` and the files it names.
    package init(
        directory: String,
        upstreams: [any RecordedUpstream.Type]
    ) throws(RecordingError) {
        let path = "\(directory)/replay.yaml"
        let yaml = String(decoding: try Recording.read(path), as: UTF8.self)
        try self.init(yaml: yaml, path: path, upstreams: upstreams) {
            name throws(RecordingError) in
            try Recording.read("\(directory)/\(name)")
        }
    }

    private static func read(_ path: String) throws(RecordingError) -> [UInt8] {
        do { return try contents(ofFile: path, lengthMax: fileBytesMax) } catch {
            throw RecordingError(path: path, problem: error.problem)
        }
    }
}
