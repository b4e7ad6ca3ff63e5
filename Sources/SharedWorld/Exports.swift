// The model's types are part of this module's surface, and so are those that they are made of (a digest, the reason why
// bytes cannot be decoded): an app imports SharedWorld alone.
@_exported public import Basics
@_exported public import WorldModel

// A word that the app and the layers below share is one type, declared where it is made.
@_exported public import struct Authentication.Passcode
@_exported public import enum AnchorReplication.AnchorOrigin
@_exported public import enum PeerProtocol.HostChangeReason
@_exported public import enum PeerProtocol.InvitationDecision
@_exported public import enum PeerProtocol.MapProviders
@_exported public import struct PeerProtocol.MapStatus
@_exported public import enum PeerProtocol.MessageFailureReason
@_exported public import struct PeerProtocol.MessageID
@_exported public import enum PeerProtocol.MessageMode
@_exported public import struct PeerProtocol.PeerAlignment
@_exported public import enum PeerProtocol.ResourceFailure
@_exported public import struct PeerProtocol.ResourceID
@_exported public import enum ServiceDiscovery.DiscoveryMode
