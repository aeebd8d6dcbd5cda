extension Configuration {
    /// The page for developers and operators.
    package struct Console: Equatable, Sendable {
        package var enabled = false
        package var directory: String?

        package init() {}
    }
}

extension Configuration.Console: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Console>] {
        [
            .scalar(
                "enabled",
                \.enabled,
                .flag,
                reload: .restart,
                meaning: """
                    Whether `/console/` shows the hub to holders of a key of `api.keys`; on the \
                    listeners of `admin.listen` if there are any. With `development` it always does.
                    """
            ),
            .optional(
                "directory",
                \.directory,
                .file("console"),
                reload: .restart,
                meaning: """
                    A folder whose files are served instead of those in the program, read again for \
                    each request: for work on the console.
                    """
            ),
        ]
    }
}
