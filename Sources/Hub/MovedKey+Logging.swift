extension [MovedKey] {
    /// Logs one warning for each key.
    func log(to logger: Logger) {
        for key in self {
            logger.warning(
                "configuration key has moved, former name works until the next version",
                metadata: [
                    "former": "\(key.former)", "key": "\(key.path)", "place": "\(key.origin)",
                ]
            )
        }
    }
}

extension [ReplacedSecrets] {
    /// Logs one warning for each list.
    func log(to logger: Logger) {
        for secrets in self {
            logger.warning(
                "secrets of the configuration file are not accepted, the environment replaces them",
                metadata: [
                    "key": "\(secrets.path)", "variable": "\(secrets.variable)",
                    "count": .stringConvertible(secrets.count), "place": "\(secrets.origin)",
                ]
            )
        }
    }
}

extension [ConfigurationWarning] {
    /// Logs each warning.
    func log(to logger: Logger) {
        for warning in self {
            logger.warning(
                "configured filter or rule never matches",
                metadata: ["key": "\(warning.path)", "reason": "\(warning.message)"]
            )
        }
    }
}
