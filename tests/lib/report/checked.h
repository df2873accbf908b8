#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/support/program.h"

/// Figures as files, and the scripts that look into them.
namespace twofold::report {

inline std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  ASSERT_TRUE(file.good()) << path;
}

/// Whether SVGs, by name, are what figure.h promises (check_svg.py).
inline void ExpectSound(const std::map<std::string, std::string>& svgs) {
  const testing::TempDir folder;
  std::vector<std::string> arguments = {std::string(CHECKS_FOLDER) + "/check_svg.py"};
  for (const auto& [name, svg] : svgs) {
    arguments.push_back(folder / (name + ".svg"));
    WriteFile(arguments.back(), svg);
  }
  testing::Program check("/usr/bin/python3", arguments);
  EXPECT_EQ(check.Wait(), 0) << check.output();
}

/// Compares with a file; with UPDATE_GOLDEN=1 in the environment the file is written instead.
inline void ExpectGoldenFile(const std::string& path, const std::string& text) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) return WriteFile(path, text);
  EXPECT_TRUE(text == TextOf(path)) << "differs from " << path << "; write it with UPDATE_GOLDEN=1";
}

}  // namespace twofold::report
