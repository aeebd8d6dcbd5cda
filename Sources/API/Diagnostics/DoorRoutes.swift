import Service

/// `GET /api/doors`: the doors of this node, with tables of their state. protocol/console.md.
package struct DoorRoutes: Sendable {
    package typealias Doors = @Sendable () async -> [(name: String, tables: [StateTable])]

    private let doors: Doors

    package init(doors: @escaping Doors) { self.doors = doors }

    package static let prefixes = RoutePrefixes(.messageAndCode, "/api/doors")

    package func add(to routes: inout Routes) {
        routes.backends(below: "/api/doors")
        routes.get("/api/doors", scope: "apps") { _ in
            let doors = await doors()
            var json = JSONWriter()
            json.object { json in
                json.array("doors") { array in
                    for door in doors {
                        array.object {
                            $0.field("name", door.name)
                            $0.array("tables") { array in
                                for table in door.tables {
                                    array.object { table.write(to: &$0) }
                                }
                            }
                        }
                    }
                }
            }
            return .uncached(json.bytes)
        }
        routes.errors(DoorRoutes.prefixes)
    }
}
