#pragma once

#include <array>
#include <string>

#include "lib/queue/types.h"

namespace twofold::frontend {

/// Secrets of attempts: 32 bytes that the members of a gang get, and nobody else can guess.
///
/// A secret is a keyed hash of the attempt, so there is nothing to store: the key is random and
/// lives as long as this object.
/// Threads  Safe.
class Secrets {
 public:
  Secrets();
  [[nodiscard]] std::string Of(queue::JobId job, queue::Attempt attempt) const;

 private:
  std::array<unsigned char, 32> key_;
};

}  // namespace twofold::frontend
