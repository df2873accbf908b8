#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "lib/common/instant.h"

namespace twofold::backend {

/// Calls `then` once `pause` has passed, unless the timer is set again, cancelled or destroyed.
template <typename Then>
void After(boost::asio::steady_timer& timer, Duration pause, Then then) {
  timer.expires_after(pause);
  timer.async_wait([then = std::move(then)](const boost::system::error_code& error) mutable {
    if (!error) then();
  });
}

/// Calls `then(*owner)`, if the owner still lives then.
template <typename Owner, typename Then>
void After(boost::asio::steady_timer& timer, Duration pause, std::weak_ptr<Owner> owner,
           Then then) {
  After(timer, pause, [owner = std::move(owner), then = std::move(then)] {
    if (const auto self = owner.lock()) then(*self);
  });
}

}  // namespace twofold::backend
