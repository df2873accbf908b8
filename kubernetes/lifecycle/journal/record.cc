#include "kubernetes/lifecycle/journal/record.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "kubernetes/lifecycle/moments/kind.h"

namespace twofold::lifecycle {
namespace {

constexpr std::int64_t kNsPerUs = 1000;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr const char* kEnded = "ended";

kube::Json ResourcesJson(const std::vector<kube::Resource>& resources) {
  kube::Json list = kube::Json::array();
  for (const kube::Resource& each : resources) {
    list.push_back({each.group, each.version, each.plural, each.kind});
  }
  return list;
}

std::vector<kube::Resource> ReadResources(const kube::Json& object) {
  std::vector<kube::Resource> resources;
  const auto list = kube::Json::parse(kube::TextAt(object, "/data/resources"), nullptr, false);
  if (!list.is_array()) return resources;
  for (const kube::Json& each : list) {
    const bool fits = each.is_array() && each.size() == 4 &&
                      std::all_of(each.begin(), each.end(),
                                  [](const kube::Json& text) { return text.is_string(); });
    if (fits) resources.push_back({each[0], each[1], each[2], each[3], true});
  }
  return resources;
}

kube::Json LoadJson(const Record& record) {
  kube::Json load = kube::Json::object();
  for (const auto& [field, value] : record.load) load[field] = value;
  return load;
}

std::vector<std::pair<std::string, std::string>> ReadLoad(const kube::Json& object) {
  constexpr std::size_t kMostFields = 32;
  constexpr std::size_t kLongestText = 64;
  std::vector<std::pair<std::string, std::string>> load;
  const auto fields = kube::Json::parse(kube::TextAt(object, "/data/load"), nullptr, false);
  if (!fields.is_object() || fields.size() > kMostFields) return load;
  for (const auto& [field, value] : fields.items()) {
    if (!value.is_string() || field.size() > kLongestText) continue;
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() <= kLongestText) load.emplace_back(field, text);
  }
  return load;
}

/// 0: there is none, or it is out of bounds.
std::uint32_t NumberAt(const kube::Json& object, std::string_view path, std::uint32_t most) {
  std::uint32_t number = 0;
  if (!absl::SimpleAtoi(kube::TextAt(object, path), &number) || number > most) return 0;
  return number;
}

/// By the sender's clock; of records that do not say, by the server's.
std::int64_t BeganAt(const kube::Json& object) {
  std::int64_t us = 0;
  constexpr std::int64_t kEndUs = (std::int64_t{1} << 33) * 1'000'000;
  const bool said = absl::SimpleAtoi(kube::TextAt(object, "/data/began"), &us);
  if (said && us >= 0 && us < kEndUs) return us * kNsPerUs;
  return SecondAt(object, "/metadata/creationTimestamp").value_or(0) * kNsPerSecond;
}

kube::Json ConfigMap(const Record& record, const std::string& name, kube::Json data) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", name},
            {"namespace", record.space},
            {"labels", {{std::string(kRunLabel), record.run}}}}},
          {"data", std::move(data)}};
}

}  // namespace

kube::Json ToObject(const Record& record) {
  return ConfigMap(record, record.run,
                   {{"kind", record.kind},
                    {"resources", ResourcesJson(record.resources).dump()},
                    {"count", absl::StrCat(record.count)},
                    {"slots", absl::StrCat(record.slots)},
                    {"claims", absl::StrCat(record.claims)},
                    {"load", LoadJson(record).dump()},
                    {"labels_pods", record.labels_pods ? "yes" : "no"},
                    {"host", record.host},
                    {"began", absl::StrCat(record.began_ns / kNsPerUs)}});
}

Record ReadRecord(const kube::Json& object) {
  Record record;
  record.run = kube::NameOf(object).name;
  record.space = kube::NameOf(object).space;
  record.uid = kube::TextAt(object, "/metadata/uid");
  record.kind = kube::TextAt(object, "/data/kind");
  record.resources = ReadResources(object);
  record.count = NumberAt(object, "/data/count", kMostWorkloads);
  record.slots = std::max(NumberAt(object, "/data/slots", kMostSlots), 1U);
  record.claims = NumberAt(object, "/data/claims", kMostSlots);
  record.load = ReadLoad(object);
  record.labels_pods = kube::TextAt(object, "/data/labels_pods") == "yes";
  record.host = kube::TextAt(object, "/data/host");
  record.began_ns = BeganAt(object);
  record.all_sent = kube::TextAt(object, "/data/sending") == kEnded;
  return record;
}

std::string WorkloadName(std::string_view run, std::uint32_t index) {
  return absl::StrCat(std::string(run), "-", index);
}

kube::Json CanaryObject(const Record& record, const std::string& name) {
  return ConfigMap(record, name, kube::Json::object());
}

std::string TickOf(const kube::Json& object) { return kube::TextAt(object, "/data/tick"); }

kube::Json AllSentPatch() { return {{"data", {{"sending", kEnded}}}}; }

kube::Json TickPatch(const std::string& tick, bool all_sent) {
  kube::Json patch = all_sent ? AllSentPatch() : kube::Json::object();
  patch["data"]["tick"] = tick;
  return patch;
}

}  // namespace twofold::lifecycle
