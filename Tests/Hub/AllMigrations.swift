import AllDomains

/// The steps that a hub with all domains adds to the schema, in their order.
let allMigrations: [Migration] =
    AccountTables.migrations + allDomains.flatMap { $0.manifest.migrations }
