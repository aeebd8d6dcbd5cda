// The modules that this module exports: its files and its importers need not import them.

@_exported import ClientWire
@_exported import Configuration
@_exported import Duties
@_exported import Loops
@_exported import Reactor
@_exported import Service
@_exported import Upstream
