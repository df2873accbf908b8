#include "frontend/queues/directory.h"

#include <iterator>
#include <utility>

namespace twofold::frontend {

bool Directory::Answer(const std::string& queue, std::uint64_t newest_known,
                       v1::Moved* moved) const {
  moved->set_queue(queue);
  const auto found = owners_.find(queue);
  if (found == owners_.end()) return stopped_;
  const Owner& owner = found->second;
  moved->set_epoch(owner.epoch);
  if (stopped_ || owner.peer.name.empty() || owner.epoch < newest_known) return stopped_;
  v1::Shard& shard = *moved->add_shards();
  shard.set_client_address(owner.peer.client_address);
  shard.set_worker_address(owner.peer.worker_address);
  return true;
}

void Directory::Publish(std::map<std::string, Owner> owners, std::vector<Peer> others,
                        Instant now) {
  std::vector<std::pair<std::function<void(v1::Moved)>, v1::Moved>> told;
  {
    const MutexLock lock(mutex_);
    others_ = std::move(others);
    owners_ = {std::move_iterator(owners.begin()), std::move_iterator(owners.end())};
    std::erase_if(waiting_, [&](Waiting& each) {
      mutex_.AssertHeld();
      v1::Moved moved;
      if (!Answer(each.queue, each.newest_known, &moved) && now < each.until) return false;
      waiting_bytes_ -= each.bytes;
      told.emplace_back(std::move(each.tell), std::move(moved));
      return true;
    });
  }
  for (auto& [tell, moved] : told) tell(std::move(moved));
}

void Directory::Leave(std::string_view queue) {
  const MutexLock lock(mutex_);
  const auto found = owners_.find(queue);
  if (found != owners_.end()) found->second = {.epoch = found->second.epoch};
}

std::vector<Peer> Directory::Others() const {
  const MutexLock lock(mutex_);
  return others_;
}

Owner Directory::Find(std::string_view queue) const {
  const MutexLock lock(mutex_);
  const auto found = owners_.find(queue);
  return found == owners_.end() ? Owner() : found->second;
}

void Directory::Await(const std::string& queue, std::uint64_t newest_known,
                      std::function<void(v1::Moved)> tell, std::size_t bytes) {
  v1::Moved moved;
  {
    const MutexLock lock(mutex_);
    const bool may_wait = bytes == 0 || waiting_bytes_ + bytes <= kMostWaitingBytes;
    if (!Answer(queue, newest_known, &moved) && may_wait) {
      waiting_bytes_ += bytes;
      waiting_.push_back({queue, newest_known, Now() + patience_, std::move(tell), bytes});
      return;
    }
  }
  tell(std::move(moved));
}

void Directory::Stop() {
  std::vector<Waiting> waiting;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    waiting.swap(waiting_);
    waiting_bytes_ = 0;
  }
  for (const Waiting& each : waiting) {
    v1::Moved moved;
    moved.set_queue(each.queue);
    each.tell(std::move(moved));
  }
}

}  // namespace twofold::frontend
