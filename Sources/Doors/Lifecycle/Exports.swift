// The modules that this module exports: its files and its importers need not import them.

@_exported import DomainKit
