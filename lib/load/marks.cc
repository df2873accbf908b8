#include "lib/load/marks.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace twofold::load {
namespace {

constexpr Duration kNear = std::chrono::seconds(1);

void Join(Mark& into, const Mark& mark) {
  into.from = std::min(into.from, mark.from);
  into.to = std::max(into.to, mark.to);
  into.jobs += mark.jobs;
  const bool adds_up = mark.trouble == Trouble::kThrottled;
  into.worst = adds_up ? into.worst + mark.worst : std::max(into.worst, mark.worst);
  if (into.text.empty()) into.text = mark.text;
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
    case Trouble::kShared:
      return fmt::format("workers of the queue had {} {} of others meanwhile", mark.jobs,
                         mark.jobs == 1 ? "job" : "jobs");
    case Trouble::kLaw:
      return "the numbers contradict each other: " + mark.text;
  }
  return {};
}

}  // namespace

std::string_view Name(Trouble trouble) {
  constexpr std::array<std::string_view, kTroubles> kNames = {"late", "full",   "throttled",
                                                              "link", "shared", "law"};
  return kNames[static_cast<std::size_t>(trouble)];
}

void Marks::Add(const Mark& mark) {
  std::size_t& last = last_[static_cast<std::size_t>(mark.trouble)];
  const bool near = last > 0 && mark.from <= all_[last - 1].to + kNear;
  if (near || (last > 0 && all_.size() >= kMost)) return Join(all_[last - 1], mark);
  all_.push_back(mark);
  last = all_.size();
}

std::vector<Mark> Spoiling(const Marks& marks, const JobCounts& jobs) {
  const auto sent = static_cast<double>(jobs.sent);
  std::uint64_t others = 0;
  for (const Mark& mark : marks.all()) others += mark.trouble == Trouble::kShared ? mark.jobs : 0;
  const bool too_late = static_cast<double>(jobs.sent_late) > kMostLate * sent;
  const bool too_many_others = static_cast<double>(others) > kMostOfOthers * sent;
  std::vector<Mark> spoiling;
  std::copy_if(marks.all().begin(), marks.all().end(), std::back_inserter(spoiling),
               [&](const Mark& mark) {
                 if (mark.trouble == Trouble::kLate) return too_late;
                 return mark.trouble != Trouble::kShared || too_many_others;
               });
  return spoiling;
}

std::vector<Mark> Grouped(const std::vector<Mark>& marks) {
  std::map<Trouble, Mark> groups;
  for (const Mark& mark : marks) {
    const auto [group, added] = groups.try_emplace(mark.trouble, mark);
    if (!added) Join(group->second, mark);
  }
  std::vector<Mark> sorted;
  for (auto& [trouble, mark] : groups) sorted.push_back(std::move(mark));
  return sorted;
}

std::string Text(const Mark& mark) {
  return fmt::format("{}: {}", Name(mark.trouble), Sentence(mark));
}

std::string Summary(const std::vector<Mark>& marks, const JobCounts& jobs) {
  std::string text;
  for (const Mark& mark : Grouped(marks)) {
    if (mark.trouble == Trouble::kLink) continue;
    text += text.empty() ? "" : "; ";
    text += mark.trouble == Trouble::kLate
                ? fmt::format(
                      "the generator sent {:.3g} % of the jobs more than 10 ms late",
                      100.0 * static_cast<double>(jobs.sent_late) / static_cast<double>(jobs.sent))
                : Sentence(mark);
  }
  return text;
}

}  // namespace twofold::load
