#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "lib/common/result.h"
#include "suites/lifecycle/spec.pb.h"

namespace twofold::lifecycle {

/// Lets pods onto nodes with a taint, such as simulated ones.
struct Toleration {
  std::string key;
  std::string value;   ///< empty: any
  std::string effect;  ///< empty: any
};

/// What is not said is as in the suite's spec.
inline const v1::suites::LifecycleSpec& Defaults() {
  return v1::suites::LifecycleSpec::default_instance();
}

/// What the fields of a template stand for: ${workers} for `workers`, and so on.
struct Settings {
  std::string name;
  std::string space = "default";  ///< ${namespace}
  std::string run;
  std::uint32_t index = 0;                       ///< of the workload in its run
  std::uint32_t workers = Defaults().workers();  ///< pods; ${others} is one less
  std::string gpu = Defaults().gpu();
  std::uint32_t gpus = Defaults().gpus();  ///< of a pod
  std::string cpu = Defaults().cpu();
  std::string memory = Defaults().memory();
  std::string image = Defaults().container_image();
  std::uint32_t seconds = Defaults().seconds();  ///< for which a pod sleeps
  std::string queue = Defaults().queue();
  std::string scheduler = Defaults().scheduler();
  std::map<std::string, std::string> node_selector =
      {};  ///< of all pods, beside the template's own
  std::vector<Toleration> tolerations = {};
  std::string volume = {};         ///< size of a volume that each pod gets; empty: none
  std::string storage_class = {};  ///< of the volume; empty: the cluster's default
  std::string phase = {};          ///< value of the label of phases; empty: no such label
};

/// How many pods a workload of this kind has with so many workers: an MPIJob has a launcher, too.
std::uint32_t SlotsOf(const Kind& kind, std::uint32_t workers);

/// How many claims of volumes a workload makes: one a pod; Run:ai's kinds make one.
std::uint32_t ClaimsOf(const Kind& kind, const Settings& settings);

/// The objects of a template, filled in and made ours; the first is the workload's own. A template
/// is one YAML document, an object or a List of objects. ${field} stands in any text or key, $${
/// for
/// "${" itself; a text that is nothing but a field of a number becomes that number, but for labels,
/// commands and the like, where Kubernetes wants texts. Each object and each pod template gets the
/// labels of run and workload, the own object its name, pods node selector, tolerations and the
/// volume: a generic ephemeral one, or what Run:ai's kinds have in its place.
///
/// Errors  kInvalidArgument, which names the field and the known ones, the place in the document,
/// or
///         the setting; what pods should get, but there is no pod template. At most 1 MiB of YAML,
///         16 objects, 1 MiB of objects.
Result<std::vector<Object>> Render(const Kind& kind, const std::string& text,
                                   const Settings& settings);

}  // namespace twofold::lifecycle
