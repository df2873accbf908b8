#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace twofold::testing {

/// Makes `folder`/tools/fio, for workers with --suite-path: a script in the place of fio that notes
/// in `folder`/begun that it has begun, and ends well when there is a file `folder`/go.
inline void WriteScriptedFio(const std::string& folder) {
  std::filesystem::create_directory(folder + "/tools");
  const std::string fio = folder + "/tools/fio";
  std::ofstream(fio) << "#!/bin/sh\ncase \"$*\" in *--create_only*|*--version*) exit;; esac\n"
                     << "echo begun >>" << folder << "/begun\n"
                     << "while [ ! -e " << folder << "/go ]; do sleep 0.02; done\n"
                     << "cat " << TWOFOLD_SOURCE << "/tests/golden/suites/fio/worker0.json\n";
  std::filesystem::permissions(fio, std::filesystem::perms::owner_all);
}

/// Of benchmarks whose jobs end as that script ends them.
inline nlohmann::json ScriptedFioTemplate() {
  return {{"kind", "Fio"},
          {"spec",
           {{"rw", "randrw"},
            {"rwmixread", 70},
            {"bs", "4k"},
            {"iodepth", 4},
            {"numJobs", 2},
            {"direct", 0},
            {"runtime", "1s"}}}};
}

}  // namespace twofold::testing
