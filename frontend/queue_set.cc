#include "frontend/queue_set.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

namespace twofold::frontend {

QueueSet::QueueSet(const std::vector<std::string>& names, queue::QueueOptions options,
                   std::uint32_t first_generation)
    : finished_(std::make_shared<FinishedJobs>()) {
  options.first_generation = first_generation;
  for (const std::string& name : names) {
    options.number = static_cast<std::uint8_t>(hosts_.size());
    hosts_.push_back(std::make_unique<QueueHost>(name, options, finished_));
  }
}

Result<QueueHost*> QueueSet::Find(std::string_view name) const {
  if (name.empty()) {
    return absl::InvalidArgumentError("queue is empty; name one of the frontend's queues");
  }
  for (const auto& host : hosts_) {
    if (host->name() == name) return host.get();
  }
  const auto append_name = [](std::string* text, const std::unique_ptr<QueueHost>& host) {
    text->append(host->name());
  };
  return absl::NotFoundError(absl::StrCat("queue: there is no '", std::string(name.substr(0, 80)),
                                          "'; this frontend has ",
                                          absl::StrJoin(hosts_, ", ", append_name)));
}

QueueHost* QueueSet::Owner(queue::JobId job) const {
  const std::size_t number = queue::QueueNumber(job);
  return number < hosts_.size() ? hosts_[number].get() : nullptr;
}

}  // namespace twofold::frontend
