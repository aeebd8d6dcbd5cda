import Expectations

@Suite("Style: how long a function is", .timeLimit(.minutes(10)))
struct FunctionLengthTests {
    private func lengths(_ text: String) -> [String] {
        FunctionLength.all(in: text).map { "\($0.name) \($0.line) \($0.lineCount)" }
    }

    @Test(arguments: [58, 59])
    func everyLineOfTheBodyCounts(count: Int) {
        let body = String(repeating: "    a()\n", count: count)
        expectEqual(lengths("import A\n\nfunc f() {\n\(body)}\n"), ["f 3 \(count + 2)"])
    }

    @Test func everyKindOfFunctionIsFound() {
        let text = """
            struct S {
                init() {
                }
                init?<T>(_ t: T) where T: P { return nil }
                deinit { }
                var a: Int { 1 }
                var b: [String: () -> Void] {
                    get { [:] }
                    set { }
                }
                subscript(i: Int) -> Int {
                    i
                }
                static func == (left: S, right: S) -> Bool { true }
                func `default`() async throws(E) -> @Sendable () -> Void { { } }
            }
            """
        expectEqual(
            lengths(text),
            [
                "init 2 2", "init 4 1", "deinit 5 1", "a 6 1", "b 7 4", "subscript 11 3", "= 14 1",
                "default 15 1",
            ]
        )
    }

    @Test func signatureOfSeveralLinesCounts() {
        let text = """
            func f(
                a: [Int] = [1].map { $0 },
                b: () -> Void = { }
            )
                async throws -> (Int, Int)
            where A: B {
                a
            }
            var c:
                Int
            { 1 }
            """
        expectEqual(lengths(text), ["f 1 8", "c 9 3"])
    }

    @Test func functionsAndClosuresInOneAnotherEndWhereTheyEnd() {
        let text = """
            func outer() {
                list.map { a in
                    if a { b() } else { c() }
                }
                func inner() {
                    { }()
                }
                let x = Y { var z: Int { 1 } }
            }
            """
        expectEqual(lengths(text), ["outer 1 9", "inner 5 3", "z 8 1"])
    }

    @Test func bracesInTextsAndCommentsDoNotCount() {
        let text = ##"""
            func a() {
                let b = "}" + "\" }" + "\("}" + f("{)"))" + #"\"}"#
                // }
                /* } /* } */ } */
                let c = """
                    } \(d { "}" }) "
                    """
                let e = #"""
                    } \#(x) \(
                    """#
                let f = text.contains(/}[\/"]\/}/)
                let g = a / b / c
                #if DEBUG
                #endif
            }
            func last() { }
            """##
        expectEqual(lengths(text).last, "last 16 1")
        expectEqual(lengths(text).first, "a 1 15")
    }

    @Test(arguments: [
        "protocol P {\n    func f()\n    var a: Int { get }\n}\nstruct S { }",
        "protocol P {\n    func f() -> A\n    init(a: A)\n}\nstruct S { }",
        "protocol P {\n    func f()\n    associatedtype A\n}\nextension P { }",
    ])
    func requirementHasNoBody(text: String) {
        expect(FunctionLength.all(in: text).allSatisfy { $0.name == "a" && $0.lineCount == 1 })
    }

    @Test(arguments: [
        "var a: Int\nif b { }", "var a = 1\nif b { }", "let a: Int = b { }",
        "a.map(Float.init) { }",
        "for var a in b { }", "if var a = b { }", "self.init(a) { }", "var a: Int = { 1 }()",
        "let c = a.var { }",
    ])
    func otherBlocksAreNoFunctions(text: String) {
        expectEqual(lengths(text), [])
    }
}
