#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "lib/common/result.h"
#include "suites/lifecycle/spec.pb.h"

namespace twofold::lifecycle {

/// One workload: who it is, and what the spec says of all of its run.
struct Workload {
  v1::suites::LifecycleSpec spec = {};
  std::string name = {};          ///< ${name}
  std::string space = "default";  ///< ${namespace}
  std::string run = {};
  std::uint32_t index = 0;  ///< of the workload in its run
  std::string phase = {};   ///< value of the label of phases; empty: no such label
};

/// The built-in templates, YAML files of this folder, in the order of Kinds().
const std::vector<std::string>& BuiltInTexts();

/// That of one kind, which is a row of Kinds().
const std::string& BuiltInTemplate(const Kind& kind);

/// How many pods a workload of this kind has with so many workers: an MPIJob has a launcher, too.
std::uint32_t SlotsOf(const Kind& kind, std::uint32_t workers);

/// How many claims of volumes a workload makes: one a pod; Run:ai's kinds make one.
std::uint32_t ClaimsOf(const Kind& kind, const v1::suites::LifecycleSpec& spec);

/// The objects of a template, filled in and made ours; the first is the workload's own. A template
/// is one YAML document, an object or a List of objects. ${field} stands in any text or key: what
/// the spec says, and name, namespace, run, index and others (workers - 1). $${ stands for "${"
/// itself; a text that is nothing but a field of a number becomes that number, but for labels,
/// commands and the like, where Kubernetes wants texts. Each object and each pod template gets the
/// labels of run and workload, the own object its name, pods node selector, tolerations and the
/// volume: a generic ephemeral one, or what Run:ai's kinds have in its place.
///
/// REQUIRES: the spec keeps its rules (suite::lifecycle::CheckTogether).
/// Errors   kInvalidArgument, which names the field and the known ones, the place in the document,
///          or the setting; what pods should get, but there is no pod template. At most 1 MiB of
///          YAML, 16 objects, 1 MiB of objects.
Result<std::vector<Object>> Render(const Kind& kind, const std::string& text,
                                   const Workload& workload);

}  // namespace twofold::lifecycle
