/* SharedWorld for C: the version, statuses, and ids. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_BASE_H
#define SHAREDWORLD_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It changes only when a program must be compiled again. */
#define SW_ABI_VERSION 1

/* The SW_ABI_VERSION of the library that is loaded; compare it before anything else. */
uint32_t sw_abi_version(void);

/* What came of a call. Later versions may add values. */
typedef int32_t sw_status;
enum {
  SW_OK = 0,
  SW_DECLINED = 1,               /* the other side declined the invitation */
  SW_INVITATION_TIMED_OUT = 2,   /* somebody is there and did not answer the invitation in time */
  SW_CANCELLED = 3,              /* the caller gave up */
  SW_UNKNOWN_PEER = 4,           /* no peer or candidate has this id */
  SW_UNKNOWN_ANCHOR = 5,         /* no anchor has this id, or it was removed */
  SW_INVALID_ARGUMENT = 6,       /* an argument is NULL or outside its documented range */
  SW_VERSION_MISMATCH = 7,       /* the peer speaks no version of the protocol that we speak */
  SW_IDENTITY_MISMATCH = 8,      /* a peer is not who it claims to be */
  SW_CORRUPT_IDENTITY = 9,       /* the identity file cannot be read as one */
  SW_INSECURE_IDENTITY = 10,     /* others on this machine may use the identity file */
  SW_CORRUPT_DATA = 11,          /* data of a peer or a file is damaged */
  SW_NOT_CONNECTED = 12,         /* there is no connection to this peer */
  SW_LIMIT_EXCEEDED = 13,        /* a limit would be exceeded */
  SW_DISCOVERY_UNAVAILABLE = 14, /* peers cannot be discovered on this network now */
  SW_ADDRESS_IN_USE = 15,        /* another program listens on this port */
  SW_IO = 16,                    /* the operating system refused a file or a socket */
  SW_ENDED = 17,                 /* the session has ended */
  SW_OTHER_SERVICE = 18,         /* the other side uses another service type */
  SW_CONSUMER_TOO_SLOW = 19,     /* events were not read fast enough, changes of anchors were dropped */
  SW_DIVERGENCE = 20,            /* two peers held different anchors under one history; they are merging */
  SW_NO_MAP = 21,                /* the session has no complete map yet */
  SW_NOT_PERMITTED = 22,         /* the session's rules do not allow it */
  SW_LOCKED = 23,                /* the session takes no newcomers now */
  SW_NOT_HOST = 24,              /* only the host may do this */
  SW_DRAG_ENDED = 25,            /* the drag has ended, or a later one of the same anchor took its place */
  SW_NOT_OWNER = 26,             /* only the owner of an anchor may do this */
  SW_NOT_ACKNOWLEDGED = 27,      /* nobody answered in time */
  SW_UNREACHABLE = 28,           /* nobody answers at the address */
  SW_INSECURE_FILE = 29,         /* others on this machine may use a file of the session, or it is a link */
  SW_IDENTITY_IN_USE = 30,       /* two processes run with one identity */
  SW_PASSCODE_REQUIRED = 31,     /* one of two peers has a passcode, and the other has none */
  SW_PASSCODE_REFUSED = 32,      /* the passcodes of two peers differ */
  SW_PASSCODE_LOCKED = 33,       /* too many passcodes were wrong */
  SW_CODE_REQUIRED = 34,         /* a peer asks for a comparison of codes, and one of the two cannot show a code */
  SW_CODE_REFUSED = 35,          /* the code was not confirmed on both screens */
  SW_CODE_BUSY = 36,             /* too many codes are being compared, or a comparison failed a short time ago */
  SW_WOULD_BLOCK = 37,           /* too many messages are on their way to a receiver, or in all */
  SW_DISK_FULL = 38,             /* a disk is full */
  SW_UNKNOWN_RESOURCE = 39,      /* no such resource is offered, or it is not any more */
  SW_MESSAGE_STOPPED = 40,       /* the app of a peer stopped an answer on its way; no session of this library does */
  SW_REQUEST_TIMED_OUT = 41,     /* a request was not answered in time */
  SW_UNHANDLED = 42,             /* nothing at the peer answers such requests */
  SW_UNDECODABLE = 43,           /* the peer cannot read a request */
  SW_REQUEST_FAILED = 44,        /* the peer's program answered with an error */
  SW_NOT_DELIVERED = 45,         /* a request is not known to have reached the peer */
  SW_MAP_NOT_READY = 46,         /* the place is not mapped well enough to be captured or shared */
  SW_NOT_RELOCALIZED = 47,       /* a scan was not found in the session's map, or not surely: look around and try again */
  SW_NOT_DETERMINED = 48,        /* a turn between two frames is still open: observe more, at other places */
  SW_NO_POSE = 49,               /* a device tells no pose by which it could be found */
  SW_DRIVER_REQUIRED = 50,       /* one of two peers has a driver of its app, and the other has none */
  SW_AUTHENTICATION_FAILED = 51, /* the drivers of two peers did not authenticate each other */
  SW_STREAM_RESET = 52,          /* one side has ended a stream before its end; the message has its reason */
  SW_MISSING_TRAIT = 53,         /* the library was built without what this needs; the message names the trait */
  SW_PASSCODE_WAIT = 54,         /* a passcode was wrong before; the message names the time after which one is taken */
  SW_OTHER_ERROR = 99            /* none of these; the message says more */
};

/* The message of the calling thread's last failure, "" before the first. Valid until the thread's next failure. */
const char *sw_last_error_message(void);

/* The name of a status, such as "unknown-anchor"; "other" for a value this version does not know. Lives for ever. */
const char *sw_status_name(sw_status status);

/* Who a peer is: the SHA-256 of its public key. All zero means nobody. */
typedef struct sw_peer_id { uint8_t bytes[32]; } sw_peer_id;

/* Which anchor: the 16 bytes of a version-4 UUID. */
typedef struct sw_anchor_id { uint8_t bytes[16]; } sw_anchor_id;

/* A key and a value, both text: a header field of an object, or an entry of an advertisement. */
typedef struct sw_pair {
  const char *key;
  const char *value;
} sw_pair;

/* Which revision of a map: the SHA-256 of its manifest. All zero means none. */
typedef struct sw_map_id { uint8_t bytes[32]; } sw_map_id;

/* A hash of the replicated anchors: equal on all peers that hold the same. */
typedef struct sw_digest { uint8_t bytes[32]; } sw_digest;

/* Gives back a text that a function has handed out through a `char **`. */
void sw_text_destroy(char *text);

#ifdef __cplusplus
}
#endif
#endif
