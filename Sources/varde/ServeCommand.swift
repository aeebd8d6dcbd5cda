import ArgumentParser
import Foundation
import HubServer
import Logging
import Reactor
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the hub.",
        discussion: "Every key of the configuration file: docs/CONFIGURATION.md."
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Also serve /echo, a WebSocket that sends back what it gets.")
    var echo = false

    func run() async throws {
        // Before anything that has to end properly.
        let interruption = await Interruption()
        keepMemoryLow()
        let environment = ProcessInfo.processInfo.environment
        let loaded = try options.load(environment: environment)
        let configuration = loaded.configuration
        let logger = makeLogger(
            label: "varde",
            level: Logger.Level(rawValue: configuration.logLevel.rawValue) ?? .info,
            format: configuration.logFormat == .json ? .json : .text
        )
        if configuration.tls != nil {
            let isUsed = TLSMemory.use()
            assert(isUsed, "OpenSSL has allocated before it was told where")
        }
        // Without certificates there is nothing to load anew, and a hangup means what it means to
        // others: the terminal is gone.
        let hangups =
            configuration.tls == nil ? nil : await UnixSignalsSequence(trapping: .sighup)
        let hub: HubService
        do {
            hub = try await HubService.start(
                loaded,
                offersEcho: echo,
                environment: environment,
                logger: logger
            )
        } catch {
            flushLog()
            throw Failure("cannot start: \(error)")
        }
        let scheme = configuration.tls == nil ? "http" : "https"
        for address in hub.addresses {
            logger.info("listening", metadata: ["address": "\(scheme)://\(address)"])
        }
        if hub.clock.domain.isRecording {
            logger.notice(
                "the data are a replay, not live",
                metadata: ["clock": "\(hub.clock.now.iso8601Seconds)"]
            )
        }
        let reloading = Task {
            guard let hangups else { return }
            for await _ in hangups { await hub.reloadCertificates() }
        }
        let signal = await interruption.wait()
        reloading.cancel()
        logger.info("stopping", metadata: ["signal": "\(signal)"])
        await hub.stop()
        logger.info("stopped")
        flushLog()
    }
}

/// An error whose text is all there is to say.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
