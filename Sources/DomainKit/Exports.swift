// What files of this module and of its importers see without an import.

@_exported import ClientWire
@_exported import Configuration
@_exported import Duties
@_exported import Loops
@_exported import Reactor
@_exported import Service
@_exported import Upstream
