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

/// The built-in templates, YAML files of this folder, in the order of those of Kinds() that do not
/// wait for Kueue.
const std::vector<std::string>& BuiltInTexts();

/// That of one kind, which is a row of Kinds(): one that waits for Kueue has that of its own kind.
const std::string& BuiltInTemplate(const Kind& kind);

/// How many pods a workload of this kind has with so many workers: some have a leader, too.
std::uint32_t SlotsOf(const Kind& kind, std::uint32_t workers);

/// How many claims of volumes a workload makes: one a pod; Run:ai's kinds make one.
std::uint32_t ClaimsOf(const Kind& kind, const v1::suites::LifecycleSpec& spec);

/// The objects of a template, filled in and made ours; the first is the workload's own. A template
/// is one YAML document, an object or a List of objects. ${field} stands in any text or key: what
/// the spec says, and name, namespace, run, index and others (workers - 1). $${ stands for "${"
/// itself; a text that is nothing but a field of a number becomes that number, but for labels,
/// commands and the like, where Kubernetes wants texts (and gets numbers as they were written);
/// ${field:text} is always a text. An entry whose key begins with ${field?} is left out if the
/// field is 0 or empty. Each object and each pod template gets the labels of run and workload, the
/// own object its name, pods node selector, tolerations and the volume: a generic ephemeral one, or
/// what Run:ai's kinds have in its place. The own object of a kind that waits for Kueue names its
/// queue and is suspended.
///
/// REQUIRES: the spec keeps its rules (suite::lifecycle::CheckTogether).
/// Errors   kInvalidArgument, which names the field and the known ones, the place in the document,
///          or the setting: a name that is too long with what controllers add to it, more workers
///          than the kind makes, what pods should get, but there is no pod template. At most 1 MiB
///          of YAML, 16 objects, 1 MiB of objects.
Result<std::vector<Object>> Render(const Kind& kind, const std::string& text,
                                   const Workload& workload);

}  // namespace twofold::lifecycle
