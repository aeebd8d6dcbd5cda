/// One named step of the schema, run once in each file.
///
/// A file lists the steps that were run in it, so a step needs no number, and several domains can
/// add steps independently of each other. A released step keeps its name and is never edited.
package struct Migration: Sendable {
    /// The relation of a step in PostgreSQL to running nodes of the release before. A file has one
    /// hub, which runs every step at its start.
    package enum Phase: Sendable {
        /// Needs that no other node runs.
        case alone
        /// Adds something that the release before does not notice, such as a table or a column with
        /// a default. Runs while its nodes run, and they can start again.
        case expand
        /// Removes what the release before needs, and this one does not: runs at the first start
        /// at which every running node has the step. Until then the hub works without it.
        case contract
    }

    /// The domain and the step's place among the domain's steps: `notes.1`. Unique among all steps.
    package let name: String
    /// One or more statements. They use only tables that earlier steps of the same domain, or of
    /// the core, have created.
    package let sql: String
    /// The first numbered version of the schema that contained the step: files of it and of later
    /// numbered versions have run the step, although they list no names. Nil for a step that was
    /// added after the numbers.
    package let sinceVersion: Int?
    /// The same step for PostgreSQL, in words that `PostgresDialect` can translate; nil if it can
    /// translate `sql`.
    package let postgres: String?
    package let phase: Phase

    package init(
        _ name: String,
        sql: String,
        sinceVersion: Int? = nil,
        postgres: String? = nil,
        phase: Phase = .alone
    ) {
        precondition(!name.isEmpty, "a migration without a name")
        if let sinceVersion {
            precondition(Schema.numberedVersions.contains(sinceVersion), "no numbered version")
        }
        self.name = name
        self.sql = sql
        self.sinceVersion = sinceVersion
        self.postgres = postgres
        self.phase = phase
    }

    /// The domain of a step with this name.
    static func domain(of name: String) -> Substring {
        name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex)
    }
}
