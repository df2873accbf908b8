#include "cli/lifecycle/record.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "cli/lifecycle/moments/kind.h"

namespace twofold::lifecycle {
namespace {

kube::Json ResourcesJson(const std::vector<kube::Resource>& resources) {
  kube::Json list = kube::Json::array();
  for (const kube::Resource& each : resources) {
    list.push_back({each.group, each.version, each.plural, each.kind});
  }
  return list;
}

}  // namespace

kube::Json ToObject(const Record& record) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", record.run},
            {"namespace", record.space},
            {"labels", {{std::string(kRunLabel), record.run}}}}},
          {"data", {{"kind", record.kind}, {"resources", ResourcesJson(record.resources).dump()}}}};
}

Record ReadRecord(const kube::Json& object) {
  Record record;
  record.run = kube::NameOf(object).name;
  record.space = kube::NameOf(object).space;
  record.kind = kube::TextAt(object, "/data/kind");
  const auto list = kube::Json::parse(kube::TextAt(object, "/data/resources"), nullptr, false);
  if (!list.is_array()) return record;
  for (const kube::Json& each : list) {
    const bool fits = each.is_array() && each.size() == 4 &&
                      std::all_of(each.begin(), each.end(),
                                  [](const kube::Json& text) { return text.is_string(); });
    if (fits) record.resources.push_back({each[0], each[1], each[2], each[3], true});
  }
  return record;
}

std::string TickOf(const kube::Json& object) { return kube::TextAt(object, "/data/tick"); }

Canaries::Canaries(const kube::Access& access, const Record& record, Follower& follower,
                   Duration between)
    : name_{record.space, record.run},
      between_(between),
      follower_(follower),
      connection_(access),
      thread_([this] { Work(); }) {}

Canaries::~Canaries() { Stop(); }

void Canaries::Stop() {
  connection_.Interrupt();
  if (thread_.joinable()) thread_.join();
}

Status Canaries::failure() {
  MutexLock lock(mutex_);
  return failure_;
}

void Canaries::Work() {
  for (std::uint64_t number = 1; connection_.Sleep(between_); ++number) Write(number);
}

void Canaries::Write(std::uint64_t number) {
  const std::string tick = absl::StrCat(number);
  const kube::Json patch = {{"data", {{"tick", tick}}}};
  const auto reply =
      connection_.Do(kube::Patch(kube::kConfigMaps, name_, kube::PatchKind::kMerge, patch));
  if (reply.ok()) {
    follower_.With(
        [&](Observer& observer) { observer.CanaryWritten(tick, reply->sent, reply->first_byte); });
  } else if (!absl::IsCancelled(reply.status())) {
    MutexLock lock(mutex_);
    failure_ = reply.status();
  }
}

}  // namespace twofold::lifecycle
