#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peers/cell.h"

/// Which cells a series has.
namespace twofold::bench {

/// What a peer can be asked.
struct Traits {
  std::string_view name;
  bool takes = false;    ///< its workers ask for jobs, so how many they ask for matters
  bool enqueue = false;  ///< keeps jobs while there is no worker
  bool idle = false;     ///< can have many idle workers
  bool slots = false;    ///< has several workers a connection
};

struct Shape {
  int connections = 1;
  int outstanding = 1;

  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Reads "8:1024": connections and jobs outstanding.
/// Errors   kInvalidArgument: the text and what is allowed.
Result<Shape> ParseShape(std::string_view text);

struct SeriesPlan {
  std::vector<TestKind> tests = {TestKind::kRoundTrips};
  std::vector<Shape> shapes;
  std::vector<int> payloads = {100};
  std::vector<int> takes = {64};
  int connections = 8;        ///< open loop
  double rate = 10'000;       ///< open loop
  double run_seconds = 0.01;  ///< open loop
  int jobs = 1'000'000;       ///< enqueue
  int workers = 10'000;       ///< idle
  int slots = 1;              ///< idle
};

/// The cells of one peer, in the order to run. Payloads but the first are measured with the last
/// shape and the first take only. A take is never larger than what is outstanding: larger ones
/// would measure the same again.
std::vector<Cell> PlanCells(const SeriesPlan& plan, const Traits& peer);

}  // namespace twofold::bench
