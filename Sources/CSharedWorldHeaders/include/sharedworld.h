/*
 * SharedWorld for C: peers on a local network share a world map and keep anchors the same everywhere, without a server.
 *
 * Conventions of every function here:
 *
 * - Status. A function that can fail returns a sw_status; SW_OK is 0. After any other value sw_last_error_message() has
 *   a sentence for people, for the calling thread. Outputs are written only on success.
 * - NULL. A pointer that must not be NULL but is gives SW_INVALID_ARGUMENT, never a crash. An output that is marked
 *   "may be NULL" is skipped. Destroying NULL does nothing.
 * - Handles. A pointer to a structure without members, such as sw_session, is a number that the library looks up at each
 *   call. One that was destroyed, that is of another type or that was never handed out gives SW_INVALID_ARGUMENT, or what a
 *   function without status returns for NULL; it is never followed.
 * - Ownership. What a function hands out through a pointer to a pointer belongs to the caller, who gives it back to the
 *   matching ..._destroy function, once. Pointers inside such an object live as long as it does. What is passed in is
 *   copied before the function returns.
 * - Threads. Every function may be called from any thread, several at once on one object. Destroy or stop an object only
 *   when no other thread uses it. No function calls back. Functions marked "waits" block the calling thread; all others
 *   return within the time of one turn of the session.
 * - Operations. A function whose last parameter is `operation` begins something and returns at once. The number that it hands
 *   out comes back in one SW_EVENT_DONE with the status and the text of a failure; the function's comment says which other
 *   members of the event are set. Events that come before it, such as SW_EVENT_PEER_JOINED, may be those of its success.
 *   sw_session_wait waits for the end, and sw_session_cancel gives the operation up. At most 256 are open or have an unread
 *   result at a time, else SW_LIMIT_EXCEEDED; when the session ends, those that are open end with SW_ENDED before
 *   SW_EVENT_ENDED. `operation` may be NULL.
 * - Without a session. sw_session_start_async and sw_diagnose_async, which have no session, hand out a handle with a
 *   descriptor instead. Once that is readable, ..._finish takes the result and gives the handle back; ..._cancel gives up.
 * - Signals. The threads of the library block all signals that are sent to the process; only `ends_on_signals` takes any. Text is UTF-8, ended by a zero byte.
 * - Space. Lengths are metres in a right-handed frame with y up. A transform is 16 floats, column-major: columns 0-2
 *   are the local x, y and z axes in the world, column 3 is the position. It must be rigid (rotation and translation).
 * - Growth. Structures only ever grow at their end. Those the caller allocates carry their size; those the library
 *   allocates are reached through functions, so an older program works with a newer library.
 */
#ifndef SHAREDWORLD_H
#define SHAREDWORLD_H

#include "sharedworld/base.h"
#include "sharedworld/identity.h"
#include "sharedworld/session.h"
#include "sharedworld/trust.h"
#include "sharedworld/roles.h"
#include "sharedworld/invitations.h"
#include "sharedworld/discovery.h"
#include "sharedworld/messages.h"
#include "sharedworld/objects.h"
#include "sharedworld/resources.h"
#include "sharedworld/streams.h"
#include "sharedworld/peers.h"
#include "sharedworld/anchors.h"
#include "sharedworld/contents.h"
#include "sharedworld/history.h"
#include "sharedworld/live.h"
#include "sharedworld/maps.h"
#include "sharedworld/frames.h"
#include "sharedworld/snapshot.h"
#include "sharedworld/statistics.h"
#include "sharedworld/events.h"

#endif
