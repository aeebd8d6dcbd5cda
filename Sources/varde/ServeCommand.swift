import AllDomains
import ArgumentParser
import CommandKit
import Configuration
import Foundation
import HubServer
import LogOutput
import Logging
import Reactor
import Shards

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the hub.",
        discussion: "Every key of the configuration file: docs/reference/configuration.md."
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Also serve /echo, a WebSocket that sends back what it gets.")
    var echo = false

    func run() async throws {
        // Before anything that has to end properly.
        let interruption = await Interruption()
        keepMemoryLow()
        let environment = ProcessInfo.processInfo.environment
        // From the start: a hangup that comes early must not end the hub.
        let hangups = await Hangups()
        let loaded = try options.load(environment: environment, domains: allDomains)
        let configuration = loaded.configuration
        let threshold = LogThreshold(configuration.logLevel.level)
        let logger = makeLogger(
            label: "varde",
            threshold: threshold,
            format: configuration.logFormat == .json ? .json : .text
        )
        interruption.limit(to: StopDeadlines(configuration.drain).total) { overrun(logger) }
        if configuration.tls != nil {
            let isUsed = TLSMemory.use()
            assert(isUsed, "OpenSSL has allocated before it was told where")
        }
        let hub = try await start(loaded, environment: environment, logger, threshold)
        let settling = Task { try await forgetStart() }
        let source = options.source(environment: environment, domains: allDomains)
        let reloading = Task {
            for await _ in hangups.stream {
                await hub.reload(from: source)
                interruption.limit(to: await hub.stopDeadlines.total) { overrun(logger) }
            }
        }
        let signal = await interruption.wait()
        reloading.cancel()
        settling.cancel()
        logger.info("stopping", metadata: ["signal": "\(signal)"])
        await stop(hub, logger)
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
                offersEcho: echo,
                environment: environment,
                logger: logger,
                threshold: threshold,
                domains: allDomains
            )
        } catch {
            flushLog(within: StopDeadlines.log)
            throw Failure("cannot start: \(error)")
        }
        for listener in hub.listeners { log(listener, logger) }
        if hub.clock.domain.isRecording {
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

    private func stop(_ hub: HubService, _ logger: Logger) async {
        let isProper = await hub.stop()
        if isProper {
            logger.info("stopped")
        } else {
            logger.error("stopped; not everything ended properly")
        }
        flushLog(within: StopDeadlines.log)
        // Not by returning: what did not end in time may hold up the end of the process, too.
        if !isProper { _exit(1) }
    }
}

/// The last line of a shutdown that no deadline of its own could end.
private func overrun(_ logger: Logger) {
    logger.critical("shutdown did not end in time; the process ends at once")
    flushLog(within: StopDeadlines.log)
}
