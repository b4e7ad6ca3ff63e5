#pragma once
// The types of avahi-core, and the functions that are called of it, found at run time: no program needs the library to start.
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/simple-watch.h>
#include <avahi-common/strlst.h>
#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>
#include <dlfcn.h>
#include <stddef.h>

#define AVAHI_CORE_LIBRARY "libavahi-core.so.7"
// libavahi-core needs it, and so does the library of the daemon's clients.
#define AVAHI_COMMON_LIBRARY "libavahi-common.so.3"

// Each name without its avahi_; the types come from Avahi's headers.
#define AVAHI_CORE_FUNCTIONS(F)                                                                                       \
  F(key_new) F(key_unref) F(rdata_serialize) F(record_new_full) F(record_unref) F(s_entry_group_commit)               \
  F(s_entry_group_is_empty) F(s_entry_group_new) F(s_entry_group_reset) F(s_record_browser_free)                      \
  F(s_record_browser_new) F(s_service_browser_new) F(server_add) F(server_add_address) F(server_config_free)          \
  F(server_config_init) F(server_errno) F(server_free) F(server_get_host_name_fqdn) F(server_new)                     \
  F(server_set_host_name) F(set_log_function) F(simple_poll_free) F(simple_poll_get) F(simple_poll_iterate)           \
  F(simple_poll_new) F(strdup) F(strerror) F(string_list_parse)

// The functions, under their names without avahi_.
struct avahi_core {
#define F(name) __typeof__(&avahi_##name) name;
  AVAHI_CORE_FUNCTIONS(F)
#undef F
};

// Loads the library, for good, and fills `functions`; returns NULL, or the name of what is missing.
static inline const char *avahi_core_load(struct avahi_core *functions) {
  void *library = dlopen(AVAHI_CORE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return AVAHI_CORE_LIBRARY;
#define F(name) \
  if ((functions->name = (__typeof__(&avahi_##name))dlsym(library, "avahi_" #name)) == NULL) return "avahi_" #name;
  AVAHI_CORE_FUNCTIONS(F)
#undef F
  return NULL;
}

// Sets the allocator of Avahi's libraries, for good; a no-op where they are not installed.
static inline void avahi_common_set_allocator(const AvahiAllocator *allocator) {
  void *library = dlopen(AVAHI_COMMON_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  __typeof__(&avahi_set_allocator) set = (__typeof__(&avahi_set_allocator))dlsym(library, "avahi_set_allocator");
  if (set != NULL) set(allocator);
}
