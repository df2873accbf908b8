#pragma once

#include <filesystem>
#include <fstream>
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

}  // namespace twofold::testing
