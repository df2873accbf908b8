#pragma once

#include <algorithm>

#include "lib/common/instant.h"

namespace twofold::scale {

/// Does work in the order in which it comes, at a fixed rate: the cores of a frontend, a database.
class Server {
 public:
  /// `rate`: seconds of work done in a second.
  explicit Server(double rate) : rate_(rate) {}

  /// When work that comes now is done.
  Instant Serve(Instant now, Duration work) {
    free_at_ = std::max(now, free_at_) + FromSeconds(ToSeconds(work) / rate_);
    done_ += work;
    return free_at_;
  }

  /// When the work taken so far is done.
  [[nodiscard]] Instant free_at() const { return free_at_; }

  /// Work taken so far.
  [[nodiscard]] Duration done() const { return done_; }

 private:
  double rate_;
  Instant free_at_{};
  Duration done_{0};
};

}  // namespace twofold::scale
