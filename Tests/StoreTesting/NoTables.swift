import Store

/// For changes that are made on the writer's queue and need no table.
package struct NoTables: DomainTables {
    package init(_: SQLSession, path _: String) {}
}
