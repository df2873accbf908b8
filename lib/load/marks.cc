#include "lib/load/marks.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>

namespace twofold::load {
namespace {

constexpr Duration kNear = std::chrono::seconds(1);

void Join(Mark& into, const Mark& mark) {
  into.from = std::min(into.from, mark.from);
  into.to = std::max(into.to, mark.to);
  into.jobs += mark.jobs;
  const bool adds_up = mark.trouble == Trouble::kThrottled;
  into.worst = adds_up ? into.worst + mark.worst : std::max(into.worst, mark.worst);
}

std::string LateText(const Mark& mark) {
  return fmt::format("{} {} sent more than {} ms late, at most {:.3g} s", mark.jobs,
                     mark.jobs == 1 ? "job was" : "jobs were",
                     std::chrono::duration_cast<std::chrono::milliseconds>(kLateAfter).count(),
                     ToSeconds(mark.worst));
}

std::string Sentence(const Mark& mark) {
  switch (mark.trouble) {
    case Trouble::kLate:
      return LateText(mark);
    case Trouble::kFull:
      return "as many jobs were outstanding as may be, and due jobs waited";
    case Trouble::kThrottled:
      return fmt::format("a CPU quota held the generator up for {:.3g} s", ToSeconds(mark.worst));
    case Trouble::kLink:
      return "the frontend was lost";
    case Trouble::kUnanswered:
      return fmt::format("{} jobs had no answer at the end", mark.jobs);
  }
  return {};
}

}  // namespace

std::string_view Name(Trouble trouble) {
  constexpr std::array<std::string_view, kTroubles> kNames = {"late", "full", "throttled", "link",
                                                              "unanswered"};
  return kNames[static_cast<std::size_t>(trouble)];
}

void Marks::Add(const Mark& mark) {
  std::size_t& last = last_[static_cast<std::size_t>(mark.trouble)];
  const bool near = last > 0 && mark.from <= all_[last - 1].to + kNear;
  if (near || (last > 0 && all_.size() >= kMost)) return Join(all_[last - 1], mark);
  all_.push_back(mark);
  last = all_.size();
}

std::vector<Mark> Spoiling(const Marks& marks, std::uint64_t sent, std::uint64_t late) {
  const bool too_late = static_cast<double>(late) > kMostLate * static_cast<double>(sent);
  std::vector<Mark> spoiling;
  std::copy_if(marks.all().begin(), marks.all().end(), std::back_inserter(spoiling),
               [&](const Mark& mark) { return mark.trouble != Trouble::kLate || too_late; });
  return spoiling;
}

std::string Text(const Mark& mark) {
  return fmt::format("{}: {}", Name(mark.trouble), Sentence(mark));
}

std::string Summary(const std::vector<Mark>& marks, std::uint64_t sent, std::uint64_t late) {
  std::string text;
  for (std::size_t i = 0; i < kTroubles; ++i) {
    const auto trouble = static_cast<Trouble>(i);
    Mark all{.trouble = trouble};
    bool any = false;
    for (const Mark& mark : marks) {
      if (mark.trouble != trouble || trouble == Trouble::kLink) continue;
      if (!any) all.from = mark.from;
      any = true;
      Join(all, mark);
    }
    if (!any) continue;
    text += text.empty() ? "" : "; ";
    text += trouble == Trouble::kLate
                ? fmt::format("the generator sent {:.2g} % of the jobs more than 10 ms late",
                              100.0 * static_cast<double>(late) / static_cast<double>(sent))
                : Sentence(all);
  }
  return text;
}

}  // namespace twofold::load
