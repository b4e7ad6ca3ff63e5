#pragma once
#include <microhttpd.h>  // Debian: libmicrohttpd-dev

// Swift cannot call functions with a variable number of arguments.

/// Serves connections to `listener`, which it closes in the end, on a thread of its own; over TLS where there is a
/// `credential`, which holds a key and its certificate as PEM.
static inline struct MHD_Daemon *microhttpd_start(
    MHD_socket listener, const char *credential, unsigned int connections, unsigned int seconds, size_t memory,
    MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify,
    void *context) {
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)credential},
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)credential},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
  return MHD_start_daemon(
      MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | (credential ? MHD_USE_TLS : 0), 0, NULL, NULL, handler,
      context, MHD_OPTION_ARRAY, credential ? tls : none, MHD_OPTION_LISTEN_SOCKET, listener,
      MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED,
      completed, context, MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_END);
}

/// The socket of a connection.
static inline MHD_socket microhttpd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : MHD_INVALID_SOCKET;
}

/// Whether a connection begins; else it ends. Swift's name of the constant depends on the compiler's rules of prefixes.
static inline int microhttpd_begins(enum MHD_ConnectionNotificationCode event) {
  return event == MHD_CONNECTION_NOTIFY_STARTED;
}
