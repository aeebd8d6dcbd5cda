"""What processes have used of the machine, as the kernel counts it."""

import os
import re
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
# Of /proc/stat: user, nice, system, irq, softirq; what guests use is in the first two.
BUSY_FIELDS = (1, 2, 3, 6, 7)


def processor_seconds(pid):
    """User and system time of a process, all threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def machine_seconds():
    fields = Path("/proc/stat").read_text().split("\n")[0].split()
    return sum(int(fields[index]) for index in BUSY_FIELDS) / TICKS


def value(pid, file, name):
    """A number of a file of `/proc/PID`; KiB of `status`, bytes of `io`."""
    text = Path(f"/proc/{pid}/{file}").read_text()
    return int(re.search(rf"(?m)^{name}:\s*(\d+)", text)[1])


class Usage:
    """Processor time by name, bytes that the hub wrote, and its memory at that instant."""

    def __init__(self, seconds, machine, written, resident, resident_peak):
        self.seconds, self.machine, self.written = seconds, machine, written
        self.resident, self.resident_peak = resident, resident_peak

    @classmethod
    def read(cls, pids):
        hub = pids["hub"]
        return cls(
            {name: processor_seconds(pid) for name, pid in pids.items()},
            machine_seconds(),
            value(hub, "io", "write_bytes"),
            value(hub, "status", "VmRSS") * 1024,
            value(hub, "status", "VmHWM") * 1024,
        )

    def __sub__(self, earlier):
        """Between two instants; memory is that of the later one."""
        seconds = {name: self.seconds[name] - earlier.seconds.get(name, 0) for name in self.seconds}
        return Usage(
            seconds,
            self.machine - earlier.machine,
            self.written - earlier.written,
            self.resident,
            self.resident_peak,
        )

    @property
    def others(self):
        """Processor time of everything that is no part of the run."""
        return max(0.0, self.machine - sum(self.seconds.values()))
