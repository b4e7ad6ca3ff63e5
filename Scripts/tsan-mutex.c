// Preloaded where tests run under the thread sanitizer, which does not see into Swift's run-time library.
//
// The quick ways of Swift's Mutex are inlined atomics, which the sanitizer sees. Where threads meet, one takes the lock and
// another gives it back in libswiftSynchronization, which is not instrumented: here the sanitizer learns of both. The self of a
// method comes in the register of swiftself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Missing in the programs of the system, which the tests start too.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

/// Methods of `_MutexHandle` in the module Synchronization.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void lock_slow(uint32_t thread, SELF void *self);
typedef SWIFT bool try_lock_slow(SELF void *self);
typedef SWIFT void unlock_slow(SELF void *self);

SWIFT void sw_lock_slow(uint32_t thread, SELF void *self) __asm__(LOCK);
SWIFT bool sw_try_lock_slow(SELF void *self) __asm__(TRY_LOCK);
SWIFT void sw_unlock_slow(SELF void *self) __asm__(UNLOCK);

static void *real(const char *name) {
  void *symbol = dlsym(RTLD_NEXT, name);
  if (!symbol) abort();
  return symbol;
}

SWIFT void sw_lock_slow(uint32_t thread, SELF void *self) {
  static _Atomic(lock_slow *) next;
  if (!next) next = (lock_slow *)real(LOCK);
  next(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool sw_try_lock_slow(SELF void *self) {
  static _Atomic(try_lock_slow *) next;
  if (!next) next = (try_lock_slow *)real(TRY_LOCK);
  bool has_locked = next(self);
  if (has_locked && __tsan_acquire) __tsan_acquire(self);
  return has_locked;
}

SWIFT void sw_unlock_slow(SELF void *self) {
  static _Atomic(unlock_slow *) next;
  if (!next) next = (unlock_slow *)real(UNLOCK);
  if (__tsan_release) __tsan_release(self);
  next(self);
}
