#include "lib/h2/counted_memory.h"

#include <malloc.h>

#include <cstdlib>

namespace twofold::h2 {
namespace {

void* Counted(void* made, Account& account) {
  account.Charge(malloc_usable_size(made));
  return made;
}

void* Malloc(std::size_t size, void* user) {
  auto& account = *static_cast<Account*>(user);
  return account.Admits(size) ? Counted(std::malloc(size), account) : nullptr;
}

void* Calloc(std::size_t count, std::size_t size, void* user) {
  auto& account = *static_cast<Account*>(user);
  return account.Admits(count * size) ? Counted(std::calloc(count, size), account) : nullptr;
}

void Free(void* made, void* user) {
  static_cast<Account*>(user)->Release(malloc_usable_size(made));
  std::free(made);
}

void* Realloc(void* made, std::size_t size, void* user) {
  auto& account = *static_cast<Account*>(user);
  const std::size_t before = malloc_usable_size(made);
  if (size > before && !account.Admits(size - before)) return nullptr;
  void* const moved = std::realloc(made, size);
  if (moved == nullptr) return nullptr;
  account.Release(before);
  return Counted(moved, account);
}

}  // namespace

nghttp2_mem CountedMemory(Account& account) { return {&account, Malloc, Free, Calloc, Realloc}; }

}  // namespace twofold::h2
