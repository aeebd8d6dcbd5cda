import AllDomains
import Foundation
import Hub

/// A hub as a process: it runs until a signal ends it, and a hangup reloads its configuration.
struct HubProcess {
    private let offersEcho: Bool
    private let interruption: Interruption
    private let hangups: Hangups

    /// Installs the signal handlers, before any part that must be stopped in order. An early hangup
    /// must not end the hub.
    init(offersEcho: Bool = false) async {
        self.offersEcho = offersEcho
        interruption = await Interruption()
        keepMemoryLow()
        hangups = await Hangups()
    }

    /// Runs the hub until the first signal.
    ///
    /// - Parameters:
    ///   - reloading: the source that a hangup reads; nil for a configuration that is not in a
    ///     file.
    ///   - started: called when the hub listens.
    func run(
        _ loaded: LoadedConfiguration,
        environment: [String: String],
        reloading source: ConfigurationSource?,
        started: (HubService) -> Void = { _ in }
    ) async throws {
        let configuration = loaded.configuration
        let threshold = LogThreshold(configuration.logLevel.level)
        let logger = makeLogger(
            label: "varde",
            threshold: threshold,
            format: configuration.logFormat == .json ? .json : .text
        )
        interruption.limit(to: StopDeadlines(configuration.drain).total) { overrun(logger) }
        if configuration.tls != nil, !TLSMemory.use() {
            logger.warning("OpenSSL keeps its buffers in the heap")
        }
        let manager = ServiceManager(environment)
        try adoptListeners(environment, logger, configuration.logFormat)
        let hub = try await start(loaded, environment: environment, logger, threshold)
        let serving = "serving \(hub.addresses.map { "\($0)" }.joined(separator: ", "))"
        manager.report(.ready(status: serving))
        started(hub)
        let watching = Task { await manager.watch(hub) }
        let settling = Task { try await forgetStart() }
        let reloading = Task { [hangups, interruption] in
            for await _ in hangups.stream {
                guard let source else { continue }
                manager.reportReloading()
                let outcome = await hub.reload(from: source)
                manager.report(.ready(status: "\(serving); \(outcome.status)"))
                interruption.limit(to: await hub.stopDeadlines.total) { overrun(logger) }
            }
        }
        let restarting = Task { [interruption] in
            for await reason in hub.restarts {
                logger.critical(
                    "the hub ends, to be started again",
                    metadata: ["reason": "\(reason)"]
                )
                interruption.end(because: "none")
                return true
            }
            return false
        }
        let signal = await interruption.wait()
        restarting.cancel()
        reloading.cancel()
        settling.cancel()
        watching.cancel()
        manager.report(.stopping)
        logger.info("stopping", metadata: ["signal": "\(signal)"])
        await stop(hub, logger, needsRestart: await restarting.value)
    }

    /// Adopts the sockets of a service manager.
    private func adoptListeners(
        _ environment: [String: String],
        _ logger: Logger,
        _ format: Configuration.LogFormat
    ) throws {
        do { try InheritedListeners.adopt(environment) } catch {
            throw Self.refusal("\(error)", logger, format)
        }
    }

    /// Returns the error that ends a start with a configuration that is refused.
    static func refusal(
        of error: ConfigurationError,
        from source: ConfigurationSource
    ) -> any Error {
        let reason = "configuration refused:\n\(error)"
        guard source.namesJSONLog else { return Failure(reason) }
        let threshold = LogThreshold(.info)
        let logger = makeLogger(label: "varde", threshold: threshold, format: .json)
        return refusal(reason, logger, .json)
    }

    /// Returns the error that ends a start. A log in JSON has it as its last entry, because every line
    /// of standard error must be one.
    private static func refusal(
        _ reason: String,
        _ logger: Logger,
        _ format: Configuration.LogFormat
    ) -> any Error {
        guard format == .json else {
            flushLog(within: StopDeadlines.log)
            return Failure("cannot start: \(reason)")
        }
        logger.critical("cannot start", metadata: ["err": "\(reason)"])
        flushLog(within: StopDeadlines.log)
        return ExitCode.failure
    }

    private func start(
        _ loaded: LoadedConfiguration,
        environment: [String: String],
        _ logger: Logger,
        _ threshold: LogThreshold
    ) async throws -> HubService {
        let hub: HubService
        do {
            hub = try await HubService.start(
                loaded,
                offersEcho: offersEcho,
                environment: environment,
                logger: logger,
                threshold: threshold,
                domains: allDomains
            )
        } catch {
            let advice = (error as? SystemError)?.listeningAdvice.map { ": \($0)" } ?? ""
            throw Self.refusal("\(error)\(advice)", logger, loaded.configuration.logFormat)
        }
        for listener in hub.listeners { log(listener, logger) }
        if hub.clock.isRecording {
            logger.notice(
                "the data are a replay, not live",
                metadata: ["clock": "\(hub.clock.now.iso8601Seconds)"]
            )
        }
        return hub
    }

    private func log(_ listener: BoundListener, _ logger: Logger) {
        let scheme = listener.usesTLS ? "https://" : "http://"
        let address = listener.address
        var metadata: Logger.Metadata = ["address": "\(address.isUnix ? "" : scheme)\(address)"]
        if listener.kind == .admin { metadata["for"] = "admin" }
        logger.info("listening", metadata: metadata)
    }

    /// - Parameter needsRestart: whether a service manager must start the hub again: the exit status
    ///   is 1 then.
    private func stop(_ hub: HubService, _ logger: Logger, needsRestart: Bool) async {
        let isProper = await hub.stop()
        if isProper {
            logger.info("stopped")
        } else {
            logger.error("stopped; not everything ended properly")
        }
        flushLog(within: StopDeadlines.log)
        // Not by returning: a step that did not end in time may also delay the end of the process.
        if !isProper || needsRestart { _exit(1) }
    }
}

extension SystemError {
    /// Advice about an address that the hub cannot listen on; nil for other errors.
    var listeningAdvice: String? {
        guard operation == "listen on" else { return nil }
        let isUnix = context.hasPrefix("unix:")
        let choose = "choose another one, with --listen or the keys listen and admin.listen"
        return switch code {
        case EADDRINUSE: "another process listens there; stop it, or \(choose)"
        case EADDRNOTAVAIL: "no network interface of this machine has the address; \(choose)"
        case EACCES where isUnix:
            "a unix socket needs the right to write to its directory; grant it, or \(choose)"
        case EACCES:
            "ports below 1024 need the capability CAP_NET_BIND_SERVICE; grant it, or \(choose)"
        case ENOENT, ENOTDIR: "the directory of the socket does not exist; create it, or \(choose)"
        case EEXIST: "remove the file, or \(choose)"
        case EROFS: "the directory of the socket cannot be written to; \(choose)"
        case ENAMETOOLONG:
            "the path of a unix socket has at most \(UnixListener.pathBytesMax) bytes; \(choose)"
        default: nil
        }
    }
}

extension HubService.ReloadOutcome {
    /// The text for the service manager's status line.
    fileprivate var status: String {
        switch self {
        case .reloaded: "configuration reloaded"
        case .needsRestart: "configuration not reloaded: a restart is needed"
        case .refused: "configuration not reloaded: see the log"
        }
    }
}

/// Logs the last line of a shutdown that none of its own deadlines could end.
private func overrun(_ logger: Logger) {
    logger.critical("shutdown did not end in time; the process ends at once")
    flushLog(within: StopDeadlines.log)
}
