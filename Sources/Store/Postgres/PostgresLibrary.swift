import Glibc

/// The functions of libpq (PostgreSQL's "libpq - C Library", chapter 34), which is loaded when it
/// is first needed.
///
/// A hub on SQLite neither needs the library nor takes memory for it, so the program is not linked
/// with it. The types below are those of `libpq-fe.h`; libpq 5 keeps them, whatever the version of
/// the server.
///
/// `@unchecked Sendable`: addresses of functions, which never change.
struct PostgresLibrary: @unchecked Sendable {
    /// All functions except `finish` accept nil, which is a lost connection for them.
    typealias Connection = OpaquePointer
    typealias Result = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Values = UnsafePointer<Text?>

    let connect: @convention(c) (Values, Values, Int32) -> Connection?
    let connectStart: @convention(c) (Values, Values, Int32) -> Connection?
    let connectPoll: @convention(c) (Connection?) -> Int32
    let ping: @convention(c) (Values, Values, Int32) -> Int32
    /// Returns an array of `PQconninfoOption`, which ends with one without a keyword.
    let parse:
        @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?)
            -> UnsafeMutableRawPointer?
    let parseFree: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let finish: @convention(c) (Connection?) -> Void
    let host: @convention(c) (Connection?) -> Text?
    let hostAddress: @convention(c) (Connection?) -> Text?
    let port: @convention(c) (Connection?) -> Text?
    let status: @convention(c) (Connection?) -> Int32
    let errorMessage: @convention(c) (Connection?) -> Text?
    let serverVersion: @convention(c) (Connection?) -> Int32
    let transactionStatus: @convention(c) (Connection?) -> Int32
    let socket: @convention(c) (Connection?) -> Int32
    let setNoticeReceiver:
        @convention(c) (
            Connection?, @convention(c) (UnsafeMutableRawPointer?, Result?) -> Void,
            UnsafeMutableRawPointer?
        ) -> UnsafeRawPointer?

    let execute: @convention(c) (Connection?, Text) -> Result?
    let prepare: @convention(c) (Connection?, Text, Text, Int32, UnsafePointer<UInt32>?) -> Result?
    let executePrepared:
        @convention(c) (
            Connection?, Text, Int32, Values?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
        ) -> Result?

    let enterPipeline: @convention(c) (Connection?) -> Int32
    let exitPipeline: @convention(c) (Connection?) -> Int32
    let sync: @convention(c) (Connection?) -> Int32
    let sendPrepared:
        @convention(c) (
            Connection?, Text, Int32, Values?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
        ) -> Int32
    let nextResult: @convention(c) (Connection?) -> Result?
    let sendQuery: @convention(c) (Connection?, Text) -> Int32
    let isBusy: @convention(c) (Connection?) -> Int32

    let putCopyData: @convention(c) (Connection?, UnsafePointer<UInt8>, Int32) -> Int32
    let putCopyEnd: @convention(c) (Connection?, Text?) -> Int32
    let getCopyData:
        @convention(c) (Connection?, UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32

    let consumeInput: @convention(c) (Connection?) -> Int32
    let notification: @convention(c) (Connection?) -> UnsafeMutableRawPointer?
    let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

    let resultStatus: @convention(c) (Result?) -> Int32
    let resultErrorField: @convention(c) (Result, Int32) -> Text?
    let clear: @convention(c) (Result) -> Void
    let rowCount: @convention(c) (Result) -> Int32
    let columnCount: @convention(c) (Result) -> Int32
    let columnType: @convention(c) (Result, Int32) -> UInt32
    let isNull: @convention(c) (Result, Int32, Int32) -> Int32
    let length: @convention(c) (Result, Int32, Int32) -> Int32
    let value: @convention(c) (Result, Int32, Int32) -> UnsafePointer<UInt8>?
    let commandRows: @convention(c) (Result) -> Text?
    let commandTag: @convention(c) (Result) -> Text?

    private static let name = "libpq.so.5"
    private static let loading = Swift.Result<PostgresLibrary, PostgresError> {
        () throws(PostgresError) in try PostgresLibrary()
    }

    /// The library, loaded by the first call.
    ///
    /// - Throws: what is missing; each call throws it.
    static func loaded() throws(PostgresError) -> PostgresLibrary { try loading.get() }

    private init() throws(PostgresError) {
        let symbols = try Symbols(Self.name)
        connect = try symbols["PQconnectdbParams"]
        connectStart = try symbols["PQconnectStartParams"]
        connectPoll = try symbols["PQconnectPoll"]
        ping = try symbols["PQpingParams"]
        parse = try symbols["PQconninfoParse"]
        parseFree = try symbols["PQconninfoFree"]
        finish = try symbols["PQfinish"]
        host = try symbols["PQhost"]
        hostAddress = try symbols["PQhostaddr"]
        port = try symbols["PQport"]
        status = try symbols["PQstatus"]
        errorMessage = try symbols["PQerrorMessage"]
        serverVersion = try symbols["PQserverVersion"]
        transactionStatus = try symbols["PQtransactionStatus"]
        socket = try symbols["PQsocket"]
        setNoticeReceiver = try symbols["PQsetNoticeReceiver"]
        execute = try symbols["PQexec"]
        prepare = try symbols["PQprepare"]
        executePrepared = try symbols["PQexecPrepared"]
        enterPipeline = try symbols["PQenterPipelineMode"]
        exitPipeline = try symbols["PQexitPipelineMode"]
        sync = try symbols["PQpipelineSync"]
        sendPrepared = try symbols["PQsendQueryPrepared"]
        nextResult = try symbols["PQgetResult"]
        sendQuery = try symbols["PQsendQuery"]
        isBusy = try symbols["PQisBusy"]
        putCopyData = try symbols["PQputCopyData"]
        putCopyEnd = try symbols["PQputCopyEnd"]
        getCopyData = try symbols["PQgetCopyData"]
        consumeInput = try symbols["PQconsumeInput"]
        notification = try symbols["PQnotifies"]
        free = try symbols["PQfreemem"]
        resultStatus = try symbols["PQresultStatus"]
        resultErrorField = try symbols["PQresultErrorField"]
        clear = try symbols["PQclear"]
        rowCount = try symbols["PQntuples"]
        columnCount = try symbols["PQnfields"]
        columnType = try symbols["PQftype"]
        isNull = try symbols["PQgetisnull"]
        length = try symbols["PQgetlength"]
        value = try symbols["PQgetvalue"]
        commandRows = try symbols["PQcmdTuples"]
        commandTag = try symbols["PQcmdStatus"]
    }

    /// The addresses in a shared library that is never unloaded.
    private struct Symbols {
        private let name: String
        private let handle: UnsafeMutableRawPointer

        init(_ name: String) throws(PostgresError) {
            guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
                let reason = dlerror().map { String(cString: $0) } ?? "not found"
                throw PostgresError(
                    .noLibrary,
                    "cannot load PostgreSQL's client library (Debian package libpq5): \(reason)"
                )
            }
            self.name = name
            self.handle = handle
        }

        subscript<Function>(symbol: String) -> Function {
            get throws(PostgresError) {
                guard let address = dlsym(handle, symbol) else {
                    throw PostgresError(
                        .noLibrary,
                        "\(name) has no \(symbol): libpq 14 or later is needed"
                    )
                }
                return unsafeBitCast(address, to: Function.self)
            }
        }
    }
}

/// The numbers of `libpq-fe.h` that this module uses.
extension PostgresLibrary {
    static let connectionOK: Int32 = 0
    static let connectionBad: Int32 = 1
    static let pollingReading: Int32 = 1
    static let pollingWriting: Int32 = 2
    static let pollingOK: Int32 = 3
    static let pingOK: Int32 = 0
    static let pingReject: Int32 = 1
    static let transactionIdle: Int32 = 0

    static let commandOK: Int32 = 1
    static let tuplesOK: Int32 = 2
    static let copyOut: Int32 = 3
    static let copyIn: Int32 = 4
    static let pipelineSync: Int32 = 10
    static let pipelineAborted: Int32 = 11

    static let fieldState = Int32(UInt8(ascii: "C"))
    static let fieldMessage = Int32(UInt8(ascii: "M"))
    static let fieldDetail = Int32(UInt8(ascii: "D"))
    static let fieldConstraint = Int32(UInt8(ascii: "n"))
}
