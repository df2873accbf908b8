#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace twofold {

/// A file descriptor that is closed at the end of its scope; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int get() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Writes all of `bytes`, however many calls that takes; false: it could not (errno).
bool WriteAll(int descriptor, std::string_view bytes);

/// Lets this process have as many descriptors as the system allows it (the hard limit): each
/// connection is one, and the soft limit is 1024 in most places, for the sake of programs that use
/// select(). To be called when a server program starts.
/// Returns how many that is.
std::size_t RaiseDescriptorLimit();

/// How many descriptors this process may have now.
std::size_t DescriptorLimit();

/// Undoes RaiseDescriptorLimit for a program that a child is about to become.
///
/// Threads  Any; also between vfork and exec.
void RestoreDescriptorLimitInChild();

}  // namespace twofold
