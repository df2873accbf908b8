#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>

#include "lib/h2/account.h"

namespace twofold::h2 {

/// What a session of nghttp2 allocates: it is charged to an account, and there is nothing that the
/// account does not admit.
///
/// nghttp2 keeps a buffer of 16 KiB for the frame that it sends next. DATA goes out from elsewhere
/// (Session::SendData), so a session writes little more than heads of frames there. A buffer by
/// itself begins a page, which each connection at rest would hold for these few bytes. Here the
/// buffer begins in the page of the session's own object.
///
/// Threads  Those of the account, which outlives this object; this outlives the session.
/// Memory   A block of 20 KiB, of which a session at rest touches the first 4; what has no place
///          there is allocated by itself.
class CountedMemory {
 public:
  explicit CountedMemory(Account& account);
  ~CountedMemory();
  CountedMemory(const CountedMemory&) = delete;
  CountedMemory& operator=(const CountedMemory&) = delete;

  [[nodiscard]] nghttp2_mem functions();

 private:
  static void* Malloc(std::size_t size, void* self);
  static void* Calloc(std::size_t count, std::size_t size, void* self);
  static void* Realloc(void* made, std::size_t size, void* self);
  static void Free(void* made, void* self);

  void* Counted(void* made);
  void* Place(std::size_t size);
  [[nodiscard]] bool IsPlaced(const void* made) const;

  Account& account_;
  char* const block_;  // null: the account had no room for it
  std::size_t used_ = 0;
};

}  // namespace twofold::h2
