#include "lib/report/sources/titles.h"

#include <algorithm>
#include <map>
#include <vector>

namespace twofold::report {
namespace {

/// Of all numbers of one name: the values of each dimension, permutation by permutation. A number
/// without a dimension that others have counts as one with another value.
class Spread {
 public:
  template <typename Named>
  void Add(std::size_t permutation, const Named& named) {
    ++numbers_[permutation];
    for (const auto& each : named.dimensions()) {
      Place& place = places_[each.name()][permutation];
      place.values.insert(each.value());
      ++place.numbers;
    }
  }

  [[nodiscard]] std::vector<std::string> Varied() const {
    std::vector<std::string> varied;
    for (const auto& [dimension, places] : places_) {
      if (IsVaried(places)) varied.push_back(dimension);
    }
    return varied;
  }

 private:
  struct Place {
    std::set<std::string> values = {};
    std::size_t numbers = 0;
  };
  using Places = std::map<std::size_t, Place>;  // by permutation

  [[nodiscard]] bool IsVaried(const Places& places) const {
    std::set<std::string> all;
    for (const auto& [permutation, place] : places) {
      if (place.values.size() > 1 || place.numbers < numbers_.at(permutation)) return false;
      all.insert(*place.values.begin());
    }
    return all.size() > 1 || places.size() < numbers_.size();
  }

  std::map<std::size_t, std::size_t> numbers_;  // by permutation
  std::map<std::string, Places> places_;
};

}  // namespace

Titles::Titles(const RunResults& results) {
  std::map<std::string, Spread> spreads;
  for (std::size_t i = 0; i < results.permutations.size(); ++i) {
    for (const auto& each : results.permutations[i].headlines()) spreads[each.name()].Add(i, each);
    for (const auto& each : results.permutations[i].series()) spreads[each.name()].Add(i, each);
  }
  for (const auto& [name, spread] : spreads) {
    for (std::string& dimension : spread.Varied()) varied_.emplace(name, std::move(dimension));
  }
}

}  // namespace twofold::report
