#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <variant>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "lib/common/instant.h"

/// All that an Observer can be told, as values: Observer::Tell takes them, a journal is a list of
/// them (LifecycleLine in proto/twofold/v1/lifecycle.proto).
///
/// Text and objects are the caller's, and must live until Tell has returned. Each input has the
/// instant `at` which it happened or was noticed; without one it happened after all that was told
/// before it.
namespace twofold::lifecycle {

/// How an object came.
enum class Event : std::uint8_t {
  kListed,  ///< in a list: what it has come to may have happened long before
  kAdded,
  kModified,
  kDeleted,
};

namespace input {

// ---- What we do ourselves

/// Announces a workload that another process sends: Plan and Sent may follow once its object says
/// when that was. Nothing of it has happened before `at`.
struct Expect {
  std::string_view space;
  std::string_view name;
  std::uint32_t slots = 1;
  Instant at{};
  Planned beside = {};
};

/// A workload is to be sent then.
struct Plan {
  std::string_view space;
  std::string_view name;
  std::uint32_t slots = 1;
  Instant at{};
  Planned beside = {};
};

struct Sent {
  std::string_view space;
  std::string_view name;
  Instant at{};
};

/// The server has taken it.
struct Replied {
  std::string_view space;
  std::string_view name;
  Instant at{};
};

/// The server has not taken it, or not all of its objects.
struct Refused {
  std::string_view space;
  std::string_view name;
  std::string_view why;
  Instant at{};
};

// ---- What a watch shows

/// An object of any of the watched resources, with its kind. `blind_since`: what it shows may have
/// happened at any time since then, as its watch was broken; nullopt: as far as is known by itself.
struct Seen {
  Event event = Event::kListed;
  const Object& object;
  Instant at{};
  std::optional<Instant> blind_since = std::nullopt;
};

/// The stream of objects of this kind is up to date: a bookmark, for example.
struct Alive {
  std::string_view object_kind;
  Instant at{};
};

/// A list of these objects begins; of one that did not end, what it had is forgotten.
struct Listing {
  std::string_view object_kind;
  Instant at{};
};

/// A list of these objects has ended: of those known, what was not in it is gone.
struct Listed {
  std::string_view object_kind;
  Instant at{};
};

// ---- How late the watch is

/// A canary was written: `at` before the request, `replied` after its answer.
struct CanaryWritten {
  std::string_view name;
  Instant at{};
  Instant replied{};
};

/// The watch has shown it.
struct CanarySeen {
  std::string_view name;
  Instant at{};
};

/// Another process goes on where one has ended: nobody sees the canaries of that one any more.
struct Resume {
  Instant at{};
};

}  // namespace input

using Input = std::variant<input::Expect, input::Plan, input::Sent, input::Replied, input::Refused,
                           input::Seen, input::Alive, input::Listing, input::Listed,
                           input::CanaryWritten, input::CanarySeen, input::Resume>;

using Hearer = std::function<void(const Input&)>;

}  // namespace twofold::lifecycle
