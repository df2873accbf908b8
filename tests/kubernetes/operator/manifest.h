#pragma once

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lib/yaml/block_text.h"

namespace twofold::benchmarks {

/// A file of the project.
inline std::string TextOfFile(const char* name) {
  std::ifstream file(absl::StrCat(TWOFOLD_SOURCE "/", name));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether a file of the manifests is as the program prints it.
inline void ExpectManifest(const std::string& file, const std::string& group,
                           const std::vector<yaml::Json>& definitions) {
  const std::string path = absl::StrCat(DEPLOYMENTS, "/benchmark-operator/", file);
  std::string text = absl::StrCat("# Made by `twofold-operator --print-crds ", group,
                                  "`; a test compares the two.\n");
  for (const yaml::Json& definition : definitions) {
    absl::StrAppend(&text, &definition == definitions.data() ? "" : "---\n",
                    yaml::BlockText(definition));
  }
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ifstream stored(path, std::ios::binary);
  const std::string there{std::istreambuf_iterator<char>(stored), {}};
  EXPECT_TRUE(there == text) << path << " is another one: UPDATE_GOLDEN=1 writes it";
}

}  // namespace twofold::benchmarks
