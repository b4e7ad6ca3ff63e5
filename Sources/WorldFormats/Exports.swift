// A program that only reads and writes files imports WorldFormats alone, without the networking of SharedWorld.
@_exported public import Basics
@_exported public import WorldModel
