// The model's types are part of this module's surface: an app imports SharedWorld alone.
@_exported public import WorldModel
