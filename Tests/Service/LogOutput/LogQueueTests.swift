import Expectations
import Foundation
import Glibc

@testable import Service

@Suite("Log lines that wait", .timeLimit(.minutes(10)))
struct LogQueueTests {
    private static func line(_ length: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "x"), count: length - 1) + [UInt8(ascii: "\n")]
    }

    @Test func lineThatDoesNotFitIsDroppedAndCounted() {
        var queue = LogQueue(bytesMax: 10)
        queue.add(Self.line(6))
        queue.add(Self.line(5))
        expectEqual(queue.bytes, Self.line(6))
        queue.add(Self.line(4))
        expectEqual(queue.bytes.count, 10, "a shorter line still fits")
        queue.add(Self.line(1))
        let (bytes, dropped) = queue.take()
        expectEqual(bytes, Self.line(6) + Self.line(4))
        expectEqual(dropped, 2)
    }

    @Test func takenQueueHasRoomAgainAndKeepsTheTotal() {
        var queue = LogQueue(bytesMax: 4)
        queue.add(Self.line(5))
        expect(!queue.isEmpty, "nothing waits, but a line was dropped")
        _ = queue.take()
        expect(queue.isEmpty)
        queue.add(Self.line(4))
        queue.add(Self.line(1))
        let (bytes, dropped) = queue.take()
        expectEqual(bytes, Self.line(4))
        expectEqual(dropped, 1)
        expectEqual(queue.droppedTotal, 2)
    }
}

/// The writer of the log, on a pipe that the test reads or leaves alone.
@Suite("The log's writer", .timeLimit(.minutes(10)))
struct LogWriterTests {
    /// A pipe holds 64 KiB.
    private static let moreThanAPipe = 100_000

    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
        }

        /// Everything until the other end is closed, in lines.
        func lines() -> [Substring] {
            let file = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
            let text = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
            return text.split(separator: "\n")
        }
    }

    @Test func flushReturnsWhenAllIsWritten() throws {
        let pipe = try Pipe()
        let writer = LogWriter(descriptor: pipe.writing)
        writer.write(Array("one\n".utf8), .text)
        writer.write(Array("two\n".utf8), .text)
        expect(writer.flush(within: .seconds(30)))
        close(pipe.writing)
        expectEqual(pipe.lines(), ["one", "two"])
    }

    @Test func flushOfAPipeThatNobodyReadsEnds() throws {
        // As every hub has it.
        signal(SIGPIPE, SIG_IGN)
        let pipe = try Pipe()
        let writer = LogWriter(descriptor: pipe.writing)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: Self.moreThanAPipe)
        writer.write(line + [UInt8(ascii: "\n")], .text)
        expect(!writer.flush(within: .milliseconds(1)))
        expectEqual(fcntl(pipe.writing, F_GETFL) & O_NONBLOCK, 0, "others may have the descriptor")
        // The thread of the writer ends, too.
        close(pipe.reading)
        expect(writer.flush(within: .seconds(30)))
        close(pipe.writing)
    }

    /// As with a disk that is full.
    @Test func linesThatCannotBeWrittenAreCounted() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try require(full >= 0)
        defer { close(full) }
        let writer = LogWriter(descriptor: full)
        for count in 1...3 {
            writer.write(Array("a\nb\n".utf8), .text)
            expect(writer.flush(within: .seconds(30)))
            expectEqual(writer.droppedTotal, UInt64(2 * count))
        }
    }

    /// The next line begins on a line of its own.
    @Test func lineThatWasWrittenInPartIsEnded() throws {
        let pipe = try Pipe()
        let target = dup(pipe.writing)
        try require(target >= 0)
        fcntl(target, F_SETFL, O_NONBLOCK)
        let writer = LogWriter(descriptor: target)
        let part = [UInt8](repeating: UInt8(ascii: "x"), count: Self.moreThanAPipe)
        writer.write(part + [UInt8(ascii: "\n")], .text)
        var first = [UInt8](repeating: 0, count: 1)
        expectEqual(read(pipe.reading, &first, 1), 1, "a part is written")
        // As if the disk were full behind it.
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try require(full >= 0)
        dup2(full, target)
        var rest = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(pipe.reading, &rest, rest.count)
        expect(count > 0)
        expect(writer.flush(within: .seconds(30)))
        dup2(pipe.writing, target)
        writer.write(Array("whole\n".utf8), .text)
        expect(writer.flush(within: .seconds(30)))
        for descriptor in [pipe.writing, target, full] { close(descriptor) }
        let lines = pipe.lines()
        expectEqual(lines.dropLast().last, "whole")
        expectEqual(lines.last?.hasSuffix("log lines dropped count=1"), true)
    }

    @Test func linesThatWereNotWrittenAreReportedOnceTheDescriptorTakesLines() throws {
        let pipe = try Pipe()
        let target = dup(pipe.writing)
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try require(full >= 0 && target >= 0)
        // The same descriptor, which leads to another place after each `dup2`.
        dup2(full, target)
        let writer = LogWriter(descriptor: target)
        for _ in 0..<3 { writer.write(Array("lost\n".utf8), .text) }
        expect(writer.flush(within: .seconds(30)))
        dup2(pipe.writing, target)
        writer.write(Array("written\n".utf8), .text)
        expect(writer.flush(within: .seconds(30)))
        for descriptor in [pipe.writing, target, full] { close(descriptor) }
        let lines = pipe.lines()
        expectEqual(lines.first, "written")
        expect(lines.count == 2 && lines[1].hasSuffix("log lines dropped count=3"))
        expectEqual(writer.droppedTotal, 3)
    }

    @Test(arguments: [Service.LogFormat.text, .json])
    func oneLineSaysHowManyWereDroppedOnceThePipeIsRead(format: Service.LogFormat) throws {
        let pipe = try Pipe()
        let writer = LogWriter(descriptor: pipe.writing)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: Self.moreThanAPipe)
        writer.write(line + [UInt8(ascii: "\n")], format)
        var byte: UInt8 = 0
        expectEqual(read(pipe.reading, &byte, 1), 1, "the first line fills the pipe")
        let waiting = LogWriter.waitingBytesMax / (line.count + 1)
        for _ in 0..<waiting + 2 { writer.write(line + [UInt8(ascii: "\n")], format) }
        expectEqual(writer.droppedTotal, 2)
        let reader = Thread { [writer] in
            _ = writer.flush(within: .seconds(30))
            close(pipe.writing)
        }
        reader.start()
        let lines = pipe.lines()
        expectEqual(lines.count, 1 + waiting + 1)
        let last = try require(lines.last)
        switch format {
        case .text: expect(last.hasSuffix("warning log lines dropped count=2"))
        case .json: expect(last.hasSuffix(#""msg":"log lines dropped","count":2}"#))
        }
    }
}
