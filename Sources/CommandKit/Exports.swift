// What files of this module and of its importers see without an import.

@_exported import ArgumentParser
@_exported import DomainKit
