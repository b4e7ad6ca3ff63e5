/* SharedWorld for C: what happens in a session. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_EVENTS_H
#define SHAREDWORLD_EVENTS_H

#include "contents.h"
#include "streams.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What happened. The comment names the fields of sw_event that are set; the others are zero or NULL. Later versions may
 * add values and set more fields of those that are here: pass over what you do not know.
 */
enum {
  SW_EVENT_CANDIDATE_FOUND = 1,        /* text: the candidate's id; name: what it calls itself, or NULL; recognition
                                          SW_RECOGNITION_KNOWN and peer: the known peer that it seems to be */
  SW_EVENT_CANDIDATE_LOST = 2,         /* text, name */
  SW_EVENT_DISCOVERY_AVAILABLE = 3,    /* text: the back-end */
  SW_EVENT_DISCOVERY_UNAVAILABLE = 4,  /* text: why */
  SW_EVENT_INVITATION = 5,             /* operation: its number, for the answer, peer, name, data: the context, untrusted;
                                          recognition */
  SW_EVENT_INVITATION_ENDED = 6,       /* operation: the number of an invitation that needs no answer any more, peer, name */
  SW_EVENT_PEER_JOINED = 7, SW_EVENT_PEER_RECONNECTING = 8, /* peer, name */
  SW_EVENT_PEER_LEFT = 9,              /* peer, name, text: why */
  SW_EVENT_HOST_CHANGED = 10,          /* peer: the host or nobody, name, epoch, text: why */
  SW_EVENT_MAP_PROGRESS = 11,          /* peer: who sends, name, map, done and total (bytes) */
  SW_EVENT_MAP_RECEIVED = 12,          /* peer: who shared it, name, map, done and total (bytes) */
  SW_EVENT_MAP_FAILED = 13,            /* status, text */
  SW_EVENT_ANCHOR_ADDED = 14,          /* anchor, text: its origin (local, remote, map or merge); data, content_type: its payload;
                                          content: its kind and payload; as of the next two and of 27 */
  SW_EVENT_ANCHOR_UPDATED = 15,        /* anchor, text */
  SW_EVENT_ANCHOR_REMOVED = 16,        /* anchor: its last state, text */
  SW_EVENT_EDIT_SUPERSEDED = 17,       /* anchor.id: a peer removed what this one edited; the rest as for 26 */
  SW_EVENT_MESSAGE = 18,               /* peer, name, data; of an unreliable one text: its key */
  SW_EVENT_PROBLEM = 19,               /* status, text: something that ends neither session nor data */
  SW_EVENT_ENDED = 20,                 /* text: why; nothing follows */
  SW_EVENT_SESSION_MERGED = 21,        /* peer: the host, name, epoch 0, total: the peers of both sides, this one included */
  SW_EVENT_LOCKED = 22, SW_EVENT_UNLOCKED = 23, /* nothing: the session takes no newcomers any more; it takes them again */
  SW_EVENT_PEER_MAP_CHANGED = 24,      /* peer, name, map: the one it has or fetches, or none, stage, percent */
  SW_EVENT_SYNCHRONIZED = 25,          /* digest: all is here that the connected peers had */
  SW_EVENT_FIELD_OVERWRITTEN = 26,     /* anchor.id, peer: whose edit stands or nobody, name, field, and what was
                                          lost: see there */
  SW_EVENT_ANCHOR_RESTORED = 27,       /* anchor, other: the removed one that it brings back */
  SW_EVENT_OWNERSHIP_CHANGED = 28,     /* anchor.id, peer: the owner or nobody, name */
  SW_EVENT_ANCHOR_DRAGGED = 29,        /* anchor.id, anchor.transform, peer: who drags it, name, time, sequence */
  SW_EVENT_DRAG_ENDED = 30,            /* anchor.id, peer, name */
  SW_EVENT_PARTICIPANT_MOVED = 31,     /* anchor.id, anchor.transform, peer: whose device it is, name, time, sequence */
  SW_EVENT_PARTICIPANT_GONE = 32,      /* peer, name */
  SW_EVENT_NEW_DEVICE = 33,            /* peer, name, data: the key (32 bytes) of the known peer of that name, which differs */
  SW_EVENT_CODE = 34,                  /* operation: its number, for the answer, peer, name, text: six digits that two people
                                          compare; recognition */
  SW_EVENT_CODE_ENDED = 35,            /* operation: the number of the code, peer, name, flags: 1 if both users have confirmed */
  SW_EVENT_MESSAGES_FAILED = 36,       /* peer: the receiver, name, text: why, total: how many, data: their numbers (uint64_t
                                          each) */
  SW_EVENT_MESSAGE_RETURNED = 37,      /* peer: the receiver, name, text: why, sequence: its number; objects of Swift apps alone */
  SW_EVENT_PEER_RECONNECTED = 38,      /* peer, name: it was told of as reconnecting, and can be reached again */
  SW_EVENT_NOBODY_FOUND = 39,          /* for 10 s; text: what may be the cause and what to do */
  SW_EVENT_ALIGNMENT_CHANGED = 40,     /* peer, name, text: unaligned, aligning, aligned or lost, residual, observations, and
                                          anchor.transform if has_transform; anchors have moved, come or gone */
  SW_EVENT_GROUPS_CHANGED = 41,        /* peer, name, text: the groups it is in now, one a line */
  /* Resources: peer, peer_name, digest (its id), done and total (bytes), text (name, path, or why), flags: 1 if sent. Of
     progress rate; of those to this peer name, which is text for people and never a path. */
  SW_EVENT_RESOURCE_OFFERED = 44, SW_EVENT_RESOURCE_PROGRESS = 45, SW_EVENT_RESOURCE_RECEIVED = 46,
  SW_EVENT_RESOURCE_FAILED = 47, SW_EVENT_RESOURCE_SETTLED = 48,
  SW_EVENT_ATTACHMENT_CHANGED = 49,    /* peer: who attached it, peer_name, digest, total, name, flags: SW_ATTACHMENT_..., text: the
                                          path of what is here, or why it failed, or NULL */
  SW_EVENT_DONE = 60,                  /* operation, status, text: why it failed; the function that began it names the rest */
  SW_EVENT_OBJECT = 61,                /* operation: the subscription, peer, name; of the object: see below */
  SW_EVENT_REQUEST = 62,               /* operation: the number for an answer, peer, name; of the question: see below */
  SW_EVENT_REQUEST_WITHDRAWN = 63,     /* operation: the number of a request whose sender does not wait any more */
  SW_EVENT_INVITATION_FAILED = 64,     /* name: the target, status, text, flags: 1 if it is repeated */
  SW_EVENT_HOST_REQUESTED = 65,        /* operation: the question, peer, name: a member that wants to host */
  SW_EVENT_OWNERSHIP_REQUESTED = 66,   /* operation: the question, peer, name: a member that wants what this peer owns; anchor.id */
  SW_EVENT_STREAM = 67,                /* operation: the subscription, peer, peer_name, name: of the stream, and stream; or status and text
                                          when this process has no descriptor left for it */
  SW_EVENT_ROOM = 68,                  /* nothing: a message or an object that was refused with SW_WOULD_BLOCK may fit now */
  SW_EVENT_ROLE_CHANGED = 69,          /* peer, name, text: creator, moderator, publisher, member, guest, or empty: no longer admitted */
  SW_EVENT_LOG = 70                    /* text: a line for people, name: the part of the library, flags: SW_LOG_..., total: how many
                                          more of its kind were left out; 64 wait to be read, older ones go first */
  /* Of an object: endpoint, object_type, content_type, data, fields, and anchor.transform, in this peer's frame, if has_transform. */
};
/* Which part of an anchor an edit wrote. The comment names where a lost edit's value is. */
enum {
  SW_FIELD_NONE = 0,
  SW_FIELD_TRANSFORM = 1, /* anchor.transform */
  SW_FIELD_NAME = 2,      /* text */
  SW_FIELD_PAYLOAD = 3,   /* text: its content type, or NULL for no payload; data */
  SW_FIELD_FLAGS = 4,     /* flags */
  SW_FIELD_OWNERSHIP = 5, /* nowhere */
  SW_FIELD_KIND = 6       /* nowhere */
};

/* How far a peer has come with the session's map. */
enum {
  SW_MAP_NONE = 0,         /* it has none */
  SW_MAP_TRANSFERRING = 1, /* it has verified `percent` of it */
  SW_MAP_RECEIVED = 2,     /* it has it */
  SW_MAP_RELOCALIZED = 3,  /* it has it and has measured where it is in it */
  SW_MAP_CLAIMED = 4       /* it has it and its program says that it knows where it is in it */
};

/* Something that happened in a session. */
typedef struct sw_event {
  uint32_t type;    /* SW_EVENT_... */
  sw_status status; /* of a problem */
  sw_peer_id peer;
  sw_map_id map;
  uint64_t epoch;
  uint64_t done;
  uint64_t total;
  const char *name; /* of the peer or candidate, or as the comment of the event says */
  const char *text;
  const uint8_t *data;
  size_t data_size; /* bytes */
  sw_anchor anchor; /* its name is NULL in an event without an anchor, or with no more than its id */
  sw_anchor_id other;
  sw_digest digest;
  uint64_t time;     /* session time (milliseconds) of a live pose */
  uint64_t sequence; /* counts the live poses of a peer; a higher one is newer */
  uint32_t field;    /* SW_FIELD_... */
  uint32_t flags;
  uint32_t stage;   /* SW_MAP_... */
  uint32_t percent; /* 0-100 */
  uint32_t recognition; /* SW_RECOGNITION_... */
  uint32_t reserved;    /* zero */
  uint64_t operation;       /* the number of an operation, a subscription, a request or a question */
  const char *endpoint;     /* the place that an object was sent to */
  const char *object_type;  /* the name of its type */
  const char *content_type; /* the media type of `data` */
  const sw_pair *fields;    /* its header fields, in the order of their keys */
  size_t field_count;
  double residual;          /* of an alignment (metres) */
  uint64_t rate;            /* of a resource on its way (bytes a second), 0 while it is not known */
  uint32_t observations;    /* behind an alignment */
  uint32_t has_transform;   /* 1 when anchor.transform is set though there is no anchor */
  sw_stream *stream;        /* belongs to the event until sw_event_take_stream */
  const char *peer_name;    /* of the peer, in events whose name is a resource's or a stream's */
  const sw_anchor_content *content; /* kind and payload of the anchor, in the events that have one; else NULL */
} sw_event;

/*
 * A descriptor that poll(2) reports as readable while events wait, and for ever after the end; -1 for NULL. It belongs
 * to the session: wait for it, but neither read nor close it.
 */
int sw_session_events_fd(const sw_session *session);

/*
 * Takes the next event, in order; `event` becomes NULL when none waits. Never blocks. Events are bounded: unread
 * updates of one anchor become one, and a program that does not read for long loses changes of anchors and is told by
 * SW_EVENT_PROBLEM with SW_CONSUMER_TOO_SLOW. SW_ENDED after SW_EVENT_ENDED was taken.
 */
sw_status sw_session_next_event(sw_session *session, sw_event **event);

/* Takes the next event as sw_session_next_event does, but waits until there is one: for programs without a loop of their own. */
sw_status sw_session_await_event(sw_session *session, sw_event **event);

/*
 * Waits until an operation has ended, takes its SW_EVENT_DONE, which sw_session_next_event does not hand out then, and returns
 * its status, with its text as sw_last_error_message. `done`, which may be NULL, receives the event, that of a failure too; NULL
 * when there is none. Other events may stay unread. The wait is as long as the operation: sw_session_cancel and the end of the
 * session end both. SW_INVALID_ARGUMENT, and no event, for a number that is not that of an operation, for one whose event was
 * taken before, and while another thread waits for it.
 */
sw_status sw_session_wait(sw_session *session, uint64_t operation, sw_event **done);

/* Takes the stream out of an event, for sw_stream_destroy. SW_INVALID_ARGUMENT when it has none (any more). */
sw_status sw_event_take_stream(sw_event *event, sw_stream **stream);

/* Gives an event back, and with it a stream that was not taken. */
void sw_event_destroy(sw_event *event);

#ifdef __cplusplus
}
#endif
#endif
