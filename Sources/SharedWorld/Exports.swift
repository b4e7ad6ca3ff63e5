// The model's types are part of this module's surface, and so are those that they are made of (a digest, the reason why
// bytes cannot be decoded): an app imports SharedWorld alone.
@_exported public import Basics
@_exported public import WorldModel
