#include "kubernetes/lifecycle/moments/moment.h"

namespace twofold::lifecycle {
namespace {

struct MomentRow {
  std::string_view name;
  bool on_the_way;
};

// In the order of the enum.
constexpr std::array<MomentRow, kMoments> kMomentRows = {{
    {"planned", false},          {"sent", true},
    {"replied", false},          {"created", true},
    {"quota_reserved", true},    {"group_created", false},
    {"admitted", true},          {"child_created", true},
    {"first_pod", true},         {"last_pod", true},
    {"volume_requested", false}, {"volume_bound", false},
    {"first_decided", false},    {"decided", true},
    {"first_scheduled", false},  {"scheduled", true},
    {"sandbox", false},          {"initialized", false},
    {"first_started", false},    {"started", true},
    {"first_ready", false},      {"pod_ready", true},
    {"first_finished", false},   {"finished", true},
    {"complete", true},          {"failed", false},
    {"deleted", false},
}};

}  // namespace

std::string_view Name(Moment moment) { return kMomentRows[static_cast<std::size_t>(moment)].name; }

bool IsOnTheWay(Moment moment) { return kMomentRows[static_cast<std::size_t>(moment)].on_the_way; }

}  // namespace twofold::lifecycle
