#include "lib/spec/set_fields.h"

namespace twofold::spec {
namespace {

using Fields = std::vector<Field>;

constexpr std::int64_t kMostRepetitions = 100'000;

Fields TemplateFields() {
  return {
      {"apiVersion", Text(), "", "", "that of the set if left out"},
      {"metadata", AnyMap(), "", "", "not used"},
      Required({"kind", Text(), "", "", "kind of the benchmark"}),
      {"spec", AnyMap(), "{}", "", "what all permutations have in common"},
  };
}

Fields PermutationFields() {
  return {
      {"product", AnyMap(), "{}", "", "field: list of values; all combinations"},
      {"explicit", AnyList(), "[]", "", "list of maps; each is one permutation"},
  };
}

Fields LimitFields() {
  return {
      {"job", Time(), "", "", "longest run time of a job"},
      {"run", Time(), "", "", "longest time of the whole run"},
  };
}

Fields NodeFields() {
  return {
      Required({"select", Texts(), "", "", "names or patterns of nodes"}),
      {"combinations", Whole(1, 4096), "1", "", "nodes of one permutation"},
  };
}

Fields SampleFields() {
  return {
      Required({"count", Whole(1), "", "", "so many permutations"}),
      {"seed", Whole(0), "1", "", "another seed, another sample"},
  };
}

Fields UntilFields() {
  return {
      Required({"relativeInterval", Percent(), "", "",
                "half the 95 % interval of the mean headline, as a share of the mean"}),
      Required({"max", Whole(2, kMostRepetitions), "", "", "repetitions at most"}),
  };
}

}  // namespace

std::span<const Field> SetFields() {
  static const Fields fields = {
      Required({"template", MapOf(TemplateFields()), "", "", "the benchmark"}),
      {"permutations", MapOf(PermutationFields()), "{}", "", "what is varied"},
      {"repetitions", Whole(1, kMostRepetitions), "1", "", "with until: the least, else 3"},
      {"order", OneOf({"consecutive", "interleaved", "shuffled"}), "consecutive", "", ""},
      {"seed", Whole(0), "1", "", "of order: shuffled"},
      {"warmup", Whole(0, kMostRepetitions), "0", "", "repetitions that are not measured"},
      {"maxParallel", Whole(1, 1'000'000), "", "", "jobs that run at once"},
      {"failFast", Flag(), "false", "", "the first failure ends the run"},
      {"timeLimits", MapOf(LimitFields()), "", "", ""},
      {"nodes", MapOf(NodeFields()), "", "", "each permutation on every combination of nodes"},
      {"sample", MapOf(SampleFields()), "", "", "only some permutations"},
      {"until", MapOf(UntilFields()), "", "", "repeat until the result is known so well"},
  };
  return fields;
}

std::span<const Field> ObjectFields() {
  static const Fields fields = {
      Required({"apiVersion", Text(), "", "", ""}),
      Required({"kind", Text(), "", "", ""}),
      Required({"metadata", AnyMap(), "", "", "name: what the run is called"}),
      {"spec", AnyMap(), "{}", "", ""},
      {"status", AnyMap(), "", "", "not used: written by Kubernetes"},
  };
  return fields;
}

}  // namespace twofold::spec
