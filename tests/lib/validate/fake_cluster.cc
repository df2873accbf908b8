#include "tests/lib/validate/fake_cluster.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cmath>

namespace twofold::validate {
namespace {

using Query = std::map<std::string, std::string>;

Query QueryOf(const std::string& target) {
  Query query;
  const std::vector<std::string> words = absl::StrSplit(target.substr(target.find('?') + 1), '&');
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) query[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return query;
}

/// WORKERS:THROUGHPUT, as /look makes records here.
struct Point {
  int workers = 0;
  double throughput = 0;
};
std::vector<Point> PointsOf(const std::string& records) {
  std::vector<Point> points;
  const std::vector<std::string> parts = absl::StrSplit(records, ',', absl::SkipEmpty());
  for (const std::string& record : parts) {
    const std::size_t colon = record.find(':');
    points.push_back({std::stoi(record), std::stod(record.substr(colon + 1))});
  }
  return points;
}

}  // namespace

Status FakeCluster::Note(const std::string& call) {
  calls.push_back(call);
  if (broken.empty() || call.find(broken) == std::string::npos) return absl::OkStatus();
  return absl::UnavailableError("broken on purpose");
}

std::vector<std::string> FakeCluster::CallsWith(const std::string& text) const {
  std::vector<std::string> found;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(found),
               [&](const std::string& call) { return call.find(text) != std::string::npos; });
  return found;
}

bool FakeCluster::untouched() const { return replicas_ == -1 && parallel_ == -1; }

int FakeCluster::Wait(Duration at_most) {
  now_ += at_most;
  last_wait_ = at_most;
  const bool measures = replicas_ == 1 && parallel_ == 1 && at_most > poll();
  return measures ? signal : 0;
}

Status FakeCluster::Scale(int workers) {
  const Status status = Note(absl::StrCat("scale ", workers));
  if (status.ok()) replicas_ = workers;
  return status;
}

int FakeCluster::Ready() const { return std::min(replicas_, most); }

Result<targets::Workers> FakeCluster::Look() {
  if (crashing) return targets::Workers{0, replicas_, true};
  return targets::Workers{Ready(), replicas_ - Ready() + (terminating ? 1 : 0), false};
}

Result<std::string> FakeCluster::Team() {
  const bool crashed = crash_at_look && !CallsWith("/look").empty();
  return absl::StrCat(replicas_, crashed ? " and one that crashed" : "");
}

Result<std::string> FakeCluster::Metrics() {
  if (const Status status = Note("/metrics"); !status.ok()) return status;
  ++readings_;
  const int registered = std::min(Ready(), registered_most);
  const std::string series = absl::StrCat("twofold_worker_processes{queue=\"", queue, "\"");
  std::string page = shards ? absl::StrCat(series, ",shard=\"0\"} 0\n", series, ",shard=\"12\"} ",
                                           registered, "\n")
                            : absl::StrCat(series, "} ", registered, "\n");
  if (old) return page;
  // Between two readings each worker has computed for half of the time, and was held up for a
  // quarter.
  const auto add = [&](const char* what, int seconds) {
    absl::StrAppend(&page, "twofold_worker_", what, "_seconds_total{queue=\"", queue, "\"} ",
                    seconds, "\n");
  };
  add("cpu", readings_ * 2);
  add("throttled", readings_);
  add("reported", readings_ * 4);
  page += "twofold_build_info{version=\"0.1.0\",commit=\"5f3c2ab\",compiler=\"g++ 12.2.0\"} 1\n";
  return page;
}

Result<std::string> FakeCluster::AskClient(const std::string& target) {
  if (const Status status = Note(target); !status.ok()) return status;
  const Query query = QueryOf(target);
  if (target.starts_with("/parallel?")) {
    parallel_ = std::stoi(query.at("value"));
    return absl::StrCat(parallel_, "\n");
  }
  if (target.starts_with("/reset?")) return std::string("Reseted\n");
  if (target.starts_with("/window?")) return Window();
  if (target.starts_with("/look?")) return LookText(query);
  if (target.starts_with("/verdict?")) return Judged(query);
  if (target.starts_with("/nodes?")) return std::string("100.0 % ##### node-1\n");
  if (target.starts_with("/why?") && !old) {
    return std::string("cause cpu\nwhy workers \"contend\" for CPU\n");
  }
  return absl::NotFoundError("no such page");
}

double FakeCluster::Throughput() const {
  if (throughputs.empty()) return std::pow(Ready(), efficiency);
  const auto last = static_cast<int>(throughputs.size());
  return throughputs[static_cast<std::size_t>(std::clamp(Ready(), 1, last) - 1)];
}

std::string FakeCluster::Window() const {
  std::string text =
      absl::StrFormat("throughput %f\nlog_error %s\ndf 15\n", Throughput(), log_error);
  absl::StrAppend(&text, "jobs 1000\nfailed ", failed, "\nseconds 1000\nsteady ",
                  steady ? "true" : "false", "\n");
  if (failed > 0) absl::StrAppend(&text, "error ", failed, " no device\n");
  if (old) return text;
  absl::StrAppend(&text, "wait 0.0005\nrun 0.2\noverhead 0.00125\nrun_p99 0.21\n",
                  "run_p99_lower 0.205\nrun_p99_upper 0.24\nround_trip_p99 0.22\n",
                  "round_trip_p99_lower 0.215\nspread 0.01\n");
  absl::StrAppend(&text, "node ", Ready(), " 1000 0.2 node-1\nnode 1 7 - a \"quoted\" node\n");
  return text;
}

// Roughly as the client judges: three errors to each side.
std::string FakeCluster::Judged(const Query& query) const {
  const double error = NumberOf(log_error).value_or(0);
  std::string text = absl::StrCat("spread ", spread, "\n");
  if (!old) text += "headline Pass or fail: \"because\".\n";
  Point before;
  for (const Point& point : PointsOf(query.at("records"))) {
    if (before.workers > 0 && point.workers > before.workers) {
      const double ratio = point.throughput / before.throughput;
      const double low = ratio * std::exp(-3 * error), high = ratio * std::exp(3 * error);
      const double least =
          std::pow(std::stod(query.at("scale")), std::log2(1.0 * point.workers / before.workers));
      const bool passes = steady && low >= least, fails = steady && high < least;
      const char* verdict = passes ? "pass" : fails ? "fail" : "undecided";
      if (!passes && !fails) {
        absl::StrAppend(&text, "why ", point.workers, " ",
                        steady ? absl::StrCat(least, " is inside ", low, "..", high)
                               : "the throughput of 1 worker was not steady",
                        "\n");
      }
      const bool more_pods = !passes && !fails && repeats_needed > 0;
      absl::StrAppend(&text, "step ", point.workers, " ", point.throughput, " ", ratio, " ", low,
                      " ", high, " ", least, " ", verdict, " ", more_pods ? repeats_needed : 0,
                      "\n");
      if (more_pods) absl::StrAppend(&text, "more_pods_help ", point.workers, "\n");
    }
    before = point;
  }
  return text;
}

std::string FakeCluster::LookText(const Query& query) const {
  const std::string record = absl::StrFormat("%d:%f", Ready(), Throughput());
  std::string text =
      absl::StrCat("done ", done ? "true" : "false", "\nnext_seconds ", next_seconds, "\n");
  const std::vector<Point> points = PointsOf(query.at("records"));
  const std::string why = steady ? "" : "why not steady: the rate falls\n";
  if (!points.empty() && Ready() > points.back().workers) {
    Query all = query;
    absl::StrAppend(&all["records"], ",", record);
    const std::vector<std::string> words =
        absl::StrSplit(Answer(Judged(all)).All("step").back(), ' ');
    absl::StrAppend(&text, "verdict ", words[6], "\nratio ", words[2], "\nratio_lower ", words[3],
                    "\nratio_upper ", words[4], "\n", says_why ? why : "");
  } else {
    absl::StrAppend(&text, "verdict ", steady ? "measured" : "undecided", "\n", why);
  }
  absl::StrAppend(&text, expected, "record ", record, "\n");
  if (!old) absl::StrAppend(&text, "evidence -:-:", record, "\n");
  return text + Window();
}

}  // namespace twofold::validate
