#include "kubernetes/lifecycle/times/audit.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/pod.h"

namespace twofold::lifecycle {
namespace {

std::string NameInSpace(const std::string& space, const std::string& name) {
  return absl::StrCat(space, "/", name);
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

UnixNs UnixNsAt(const Object& entry, std::string_view path) {
  const auto time = kube::TimeAt(entry, path);
  return time ? UnixNs{time->time_since_epoch().count()} : 0;
}

bool Succeeded(const Object& entry) {
  const Object* const code = kube::At(entry, "/responseStatus/code");
  if (code == nullptr || !code->is_number_integer()) return false;
  const auto value = code->get<std::int64_t>();
  return 200 <= value && value < 300;
}

/// The name that the request is about; of one that the server has named, that of the answer.
std::string NameIn(const Object& entry) {
  const std::string name = TextAt(entry, "/objectRef/name");
  return name.empty() ? TextAt(entry, "/responseObject/metadata/name") : name;
}

struct Asked {
  std::string verb;
  std::string group;
  std::string resource;
  std::string sub;

  friend bool operator==(const Asked&, const Asked&) = default;
};

/// Which phases patches of the status may show.
constexpr std::array<PodPhase, 5> kShownPhases = {PodPhase::kSandbox, PodPhase::kInitialized,
                                                  PodPhase::kStarted, PodPhase::kReady,
                                                  PodPhase::kFinished};

std::string_view NameOfPhase(PodPhase phase) {
  switch (phase) {
    case PodPhase::kCreated:
      return "pod_created";
    case PodPhase::kScheduled:
      return Name(Moment::kScheduled);
    case PodPhase::kSandbox:
      return Name(Moment::kSandbox);
    case PodPhase::kInitialized:
      return Name(Moment::kInitialized);
    case PodPhase::kStarted:
      return Name(Moment::kStarted);
    case PodPhase::kReady:
      return Name(Moment::kReady);
    default:
      return Name(Moment::kFinished);
  }
}

}  // namespace

AuditNotes::AuditNotes(const Kind& kind, const std::vector<Life>& lives, UnixNs begin)
    : kind_(kind), lives_(lives), begin_(begin), own_(lives.size()) {
  for (std::size_t i = 0; i < lives.size(); ++i) {
    lives_by_name_.emplace(NameInSpace(lives[i].space, lives[i].name), i);
    for (std::size_t j = 0; j < lives[i].pods.size(); ++j) {
      const std::string key = NameInSpace(lives[i].space, lives[i].pods[j].name);
      if (pods_by_name_.emplace(key, pods_.size()).second) pods_.push_back({i, j});
    }
  }
}

/// Cheap: nearly all lines of a log are about something else.
bool AuditNotes::MayMatter(std::string_view line) const {
  return Contains(line, "ResponseComplete") &&
         (Contains(line, "\"create\"") || Contains(line, "\"patch\"")) &&
         (Contains(line, "\"pods\"") || Contains(line, kind_.own.plural));
}

void AuditNotes::Line(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.empty()) return;
  ++counts_.lines;
  if (line.front() != '{' || line.back() != '}') {
    ++counts_.torn;
    return;
  }
  if (!MayMatter(line)) return;
  const Object entry = Object::parse(line, nullptr, false);
  if (!entry.is_object()) {
    ++counts_.torn;
    return;
  }
  if (TextAt(entry, "/stage") == "ResponseComplete" && Succeeded(entry)) Take(entry);
}

void AuditNotes::Take(const Object& entry) {
  const Asked asked{TextAt(entry, "/verb"), TextAt(entry, "/objectRef/apiGroup"),
                    TextAt(entry, "/objectRef/resource"), TextAt(entry, "/objectRef/subresource")};
  const Request request{UnixNsAt(entry, "/requestReceivedTimestamp"),
                        UnixNsAt(entry, "/stageTimestamp")};
  if (request.received == 0 || request.done == 0 || request.received < begin_) return;
  if (Contains(TextAt(entry, "/requestURI"), "dryRun=")) return;  // a run tries its first workload
  const std::string space = TextAt(entry, "/objectRef/namespace");
  if (asked == Asked{"create", kind_.own.group, kind_.own.plural, ""}) {
    TakeOwn(NameInSpace(space, NameIn(entry)), request);
  }
  if (asked.group.empty() && asked.resource == kube::kPods.plural) TakePod(entry, space, request);
}

void AuditNotes::TakeOwn(const std::string& key, const Request& request) {
  const auto found = lives_by_name_.find(key);
  if (found == lives_by_name_.end() || own_[found->second].done != 0) return;
  own_[found->second] = request;
  ++counts_.matched;
}

AuditNotes::Pod* AuditNotes::FindPod(const std::string& space, const std::string& name) {
  const auto found = pods_by_name_.find(NameInSpace(space, name));
  return found == pods_by_name_.end() ? nullptr : &pods_[found->second];
}

void AuditNotes::TakePod(const Object& entry, const std::string& space, const Request& request) {
  const std::string verb = TextAt(entry, "/verb");
  const std::string sub = TextAt(entry, "/objectRef/subresource");
  const std::string name = NameIn(entry);
  if (verb == "create" && sub.empty() && name.empty()) ++counts_.unnamed;
  Pod* const pod = FindPod(space, name);
  if (pod == nullptr) return;
  if (verb == "patch" && sub == "status") return TakeStatus(entry, *pod, request);
  if (verb != "create" || (!sub.empty() && sub != "binding")) return;
  Request& known = sub.empty() ? pod->created : pod->bound;
  if (known.done != 0) return;
  known = request;
  ++counts_.matched;
}

/// The first patch after which the pod shows a phase is the one that brought it.
void AuditNotes::TakeStatus(const Object& entry, Pod& pod, const Request& request) {
  const Object* object = At(entry, "/responseObject");
  if (object == nullptr || !object->is_object()) object = At(entry, "/requestObject");
  if (object == nullptr || !object->is_object()) {
    ++counts_.blind;
    return;
  }
  ++counts_.matched;
  const PodShown shown = ShownBy(*object);
  for (const PodPhase phase : kShownPhases) {
    Request& known = pod.shown[static_cast<std::size_t>(phase)];
    const bool is_earlier = known.done == 0 || request.done < known.done;
    if (shown[static_cast<std::size_t>(phase)] && is_earlier) known = request;
  }
}

std::vector<EvidenceRow> AuditNotes::Rows(const ClockFit& clocks) const {
  std::vector<EvidenceRow> rows;
  // compare(add), where add(sight, time) takes each pair that there is.
  const auto add_row = [&](const char* source, std::string_view moment, const auto& compare) {
    Differences differences({source, std::string(moment), "API server"}, clocks);
    compare([&](const std::optional<Sight>& sight, UnixNs theirs) {
      if (sight && theirs == 0) differences.AddMissing();
      if (sight && theirs != 0) differences.Add(*sight, theirs);
    });
    rows.push_back(differences.Row());
  };
  const auto add_own = [&](const char* source, Moment moment, UnixNs Request::*time) {
    add_row(source, Name(moment), [&](const auto& add) {
      for (std::size_t i = 0; i < own_.size(); ++i) {
        add(Of(lives_[i].own, moment), own_[i].*time);
      }
    });
  };
  const auto add_pods = [&](const char* source, PodPhase phase, UnixNs Request::*time,
                            const auto& request_of) {
    add_row(source, NameOfPhase(phase), [&](const auto& add) {
      for (const Pod& pod : pods_) {
        add(Of(lives_[pod.life].pods[pod.pod].sights, phase), request_of(pod).*time);
      }
    });
  };
  add_own("audit received", Moment::kSent, &Request::received);
  add_own("audit done", Moment::kReplied, &Request::done);
  add_own("audit done", Moment::kCreated, &Request::done);
  if (!kind_.IsPod()) {
    add_pods("audit done", PodPhase::kCreated, &Request::done,
             [](const Pod& pod) { return pod.created; });
  }
  const auto bound = [](const Pod& pod) { return pod.bound; };
  add_pods("audit received", PodPhase::kScheduled, &Request::received, bound);
  add_pods("audit done", PodPhase::kScheduled, &Request::done, bound);
  for (const PodPhase phase : kShownPhases) {
    add_pods("audit done", phase, &Request::done,
             [phase](const Pod& pod) { return pod.shown[static_cast<std::size_t>(phase)]; });
  }
  return rows;
}

}  // namespace twofold::lifecycle
