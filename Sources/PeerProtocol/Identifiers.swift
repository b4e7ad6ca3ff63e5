package import Basics

/// One connection; counted from 1 by the driver and not reused while the driver lives.
package typealias LinkID = ID<LinkTag>

/// One attempt to connect; chosen by its requester and not reused while the driver lives.
package typealias DialID = ID<DialTag>

/// One invitation, sent or received; chosen by the driver for those it sends, random for those it receives.
package typealias InvitationID = ID<InvitationTag>

/// One wait for acknowledgement; chosen by the driver.
package typealias AcknowledgementID = ID<AcknowledgementTag>

/// One wait until a member hosts; chosen by the driver.
package typealias HostWaitID = ID<HostWaitTag>

/// One drag of this node; counted by the node and not reused.
package typealias DragID = ID<DragTag>

/// One request about ownership; chosen by the requester's driver.
package typealias OwnershipRequestID = ID<OwnershipRequestTag>

/// One question to an owner; counted by the node that is asked.
package typealias OwnershipQuestionID = ID<OwnershipQuestionTag>

package enum LinkTag: IDTag { package static var noun: String { "link" } }
package enum DialTag: IDTag { package static var noun: String { "dial" } }
package enum InvitationTag: IDTag { package static var noun: String { "invitation" } }
package enum AcknowledgementTag: IDTag { package static var noun: String { "acknowledgement" } }
package enum HostWaitTag: IDTag { package static var noun: String { "host wait" } }
package enum DragTag: IDTag { package static var noun: String { "drag" } }
package enum OwnershipRequestTag: IDTag { package static var noun: String { "ownership request" } }
package enum OwnershipQuestionTag: IDTag { package static var noun: String { "ownership question" } }
