import Expectations

@testable import Store

@Suite("Digests of copied tables", .timeLimit(.minutes(10)))
struct CopyDigestTests {
    private func digest(_ rows: [[CopyValue]]) -> CopyDigest {
        var stream = CopyDigestStream()
        for row in rows { stream.add(row) }
        return stream.finish()
    }

    @Test func everyValueHasADigestOfItsOwn() {
        let values: [CopyValue] = [
            .null, .integer(0), .integer(1), .integer(-1), .real(0), .real(1), .text([]),
            .text([0]), .text([49]), .blob([]), .blob([0]), .blob([49]),
        ]
        let digests = values.map { digest([[$0]]) }
        for (index, one) in digests.enumerated() {
            expect(!digests[(index + 1)...].contains(one), "\(values[index])")
        }
    }

    /// SQLite has only one zero.
    @Test func zerosAreEqual() {
        expectEqual(digest([[.real(0)]]), digest([[.real(-0.0)]]))
    }

    @Test func bytesDoNotMoveFromOneValueToTheNext() {
        expect(digest([[.text([1, 2]), .text([3])]]) != digest([[.text([1]), .text([2, 3])]]))
        expect(digest([[.blob([1])], [.blob([])]]) != digest([[.blob([])], [.blob([1])]]))
    }

    @Test func orderAndNumberOfRowsMatter() {
        let rows: [[CopyValue]] = [[.integer(1)], [.integer(2)]]
        expect(digest(rows) != digest(rows.reversed()))
        expectEqual(digest(rows).rows, 2)
        expect(digest(rows + [[.integer(2)]]) != digest(rows))
    }

    /// The value is that of `sha256sum`.
    @Test func digestIsSHA256() {
        expectEqual(
            digest([[.null, .text([97])]]).description,
            """
            1 rows with the SHA-256 \
            aadaf4125c30c5832288ca4c19f1be1cee97106fa0ca619324f6062ea2024338
            """
        )
    }

    /// More than the buffer holds, by one value and by many.
    @Test func longRowsAreDigestedWhole() {
        let long = [UInt8](repeating: 7, count: 1 << 18)
        var other = long
        other[other.count - 1] = 8
        expect(digest([[.blob(long)]]) != digest([[.blob(other)]]))
        let many = (0..<20_000).map { [CopyValue.integer(Int64($0))] }
        expectEqual(digest(many), digest(many))
        expect(digest(many) != digest(many.dropLast() + [[.integer(0)]]))
    }
}

@Suite("Plan of a copy", .timeLimit(.minutes(10)))
struct CopyPlanTests {
    private func table(_ name: String, _ columns: String..., key: [String] = ["id"]) -> CopyTable {
        CopyTable(name: name, columns: columns, key: key)
    }

    @Test func tablesAndColumnsOfTheStoreItselfAreLeft() throws {
        let plan = try CopyPlan(
            from: [
                table("hub", "id", "epoch", "unsynced_boot"), table("migration", "name"),
                table("delivery_tally", "status"), table("thing", "id", "name"),
                table("gone", "id"),
            ],
            to: [
                table("hub", "id", "epoch", "unsynced_boot", "system"), table("migration", "name"),
                table("thing", "name", "id", "more", key: ["name"]), table("new", "id"),
            ],
            path: "source"
        )
        expectEqual(
            plan.steps,
            [
                CopyStep(table: "hub", columns: ["id", "epoch"], key: ["id"]),
                CopyStep(table: "thing", columns: ["id", "name"], key: ["id"]),
            ]
        )
        expectEqual(plan.missing, [CopyStep(table: "gone", columns: ["id"], key: ["id"])])
    }

    @Test func columnThatTheTargetLacksIsAnError() {
        let error = #expect(throws: StoreError.self) {
            try CopyPlan(
                from: [table("thing", "id", "b", "a")],
                to: [table("thing", "id")],
                path: "source"
            )
        }
        expectEqual(error?.message, "the target's table thing lacks columns: a, b")
    }

    @Test func tableWithoutAKeyIsAnError() {
        let error = #expect(throws: StoreError.self) {
            try CopyPlan(from: [table("thing", "id", key: [])], to: [], path: "source")
        }
        expectEqual(error?.message.hasPrefix("table thing has no key"), true)
    }

    @Test func namesAreQuotedForBothEngines() {
        expectEqual(CopyTable.quoted(["user", "a\"b"]), "\"user\", \"a\"\"b\"")
    }

    @Test func keyInAnErrorIsShort() {
        let step = CopyStep(
            table: "t",
            columns: ["v", "a", "b", "c", "d"],
            key: ["a", "b", "c", "d"]
        )
        let row: [CopyValue] = [
            .null, .integer(-7), .real(0.5), .text(Array("é\n\"".utf8)),
            .blob([UInt8](repeating: 0xAB, count: 65)),
        ]
        let blob = String(repeating: "ab", count: 64)
        expectEqual(step.describeKey(of: row), "(a -7, b 0.5, c \"é\\n\\\"\", d x'\(blob)'…)")
    }
}

@Suite("Places of a copy", .timeLimit(.minutes(10)))
struct StoreLocationTests {
    @Test func pathsAndURLsAreRead() throws {
        try expectEqual(StoreLocation("a.sqlite"), .file("a.sqlite"))
        try expectEqual(StoreLocation("sqlite:/x/a.sqlite"), .file("/x/a.sqlite"))
        let target = try require(PostgresTarget("postgresql://ann:secret@db/hub?schema=night"))
        try expectEqual(
            StoreLocation("postgresql://ann:secret@db/hub?schema=night"),
            .postgres(target)
        )
        expectEqual(StoreLocation.postgres(target).name, "postgresql://ann@db/hub")
        let error = #expect(throws: StoreError.self) {
            try StoreLocation("postgresql://ann:secret@db/hub?schema=Night")
        }
        expectEqual(error?.description.contains("secret"), false)
        try expectEqual(StoreLocation("sqlite:a@b://c"), .file("a@b://c"))
    }

    @Test(arguments: ["postgres:/ann:secret@db/hub", "mysql://ann:secret@db/hub"])
    func mistakesDoNotShowPasswords(_ text: String) {
        let error = #expect(throws: StoreError.self) { try StoreLocation(text) }
        expectEqual(error?.description.contains("secret"), false)
        expectEqual(error?.message.hasPrefix("expected a path"), true)
    }

    @Test func serverThatIsAwayIsNamedWithoutThePassword() throws {
        let copy = StoreCopy(migrations: [], bootIdentifier: nil)
        let error = #expect(throws: StoreError.self) {
            try copy.copy(
                from: "postgresql://ann:secret@/hub?host=/nowhere",
                to: "/nowhere/varde.sqlite"
            )
        }
        expectEqual(error?.path, "postgresql://ann@/hub")
        expectEqual(error?.code, .cannotOpen)
        expectEqual(error?.description.contains("secret"), false)
    }
}
