#include "lib/load/load_loop.h"

namespace twofold::load {
namespace {

constexpr int kIndexBits = 32;

}  // namespace

LoadLoop::Tag LoadLoop::Send(Instant now, Instant due, std::uint32_t kind, Lane lane,
                             Stream stream) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot = {.submitted = now,
          .due = due,
          .stream = stream,
          .uses = slot.uses + 1,
          .kind = static_cast<std::uint16_t>(kind),
          .busy = true,
          .lane = lane};
  ++on_lane_[lane];
  return TagOf(index);
}

void LoadLoop::Move(Tag tag, Lane lane, Stream stream) {
  Slot& slot = slots_[static_cast<std::uint32_t>(tag)];
  --on_lane_[slot.lane];
  ++on_lane_[lane];
  slot.lane = lane;
  slot.stream = stream;
}

std::optional<LoadLoop::Sent> LoadLoop::End(Tag tag) {
  const std::optional<Sent> sent = Find(tag);
  if (!sent) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(tag);
  slots_[index].busy = false;
  --on_lane_[slots_[index].lane];
  free_.push_back(index);
  return sent;
}

std::optional<LoadLoop::Sent> LoadLoop::Find(Tag tag) const {
  const auto index = static_cast<std::uint32_t>(tag);
  if (index >= slots_.size() || !slots_[index].busy || tag != TagOf(index)) return std::nullopt;
  return slots_[index].sent();
}

std::optional<OpenJob> LoadLoop::TakeRefused() {
  if (refused_.empty()) return std::nullopt;
  const OpenJob job = refused_.front();
  refused_.pop_front();
  return job;
}

std::size_t LoadLoop::Missing() const {
  return parallelism_ > outstanding() ? parallelism_ - outstanding() : 0;
}

LoadLoop::Tag LoadLoop::TagOf(std::uint32_t index) const {
  return Tag{slots_[index].uses} << kIndexBits | index;
}

}  // namespace twofold::load
