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

/// Whether files, by name, are what a script of this folder asks of them.
inline void ExpectPasses(const std::string& script, const std::string& suffix,
                         const std::map<std::string, std::string>& texts) {
  const testing::TempDir folder;
  std::vector<std::string> arguments = {std::string(CHECKS_FOLDER) + "/" + script};
  for (const auto& [name, text] : texts) {
    arguments.push_back(folder / (name + suffix));
    WriteFile(arguments.back(), text);
  }
  testing::Program check("/usr/bin/python3", arguments);
  EXPECT_EQ(check.Wait(), 0) << check.output();
}

/// Whether SVGs, by name, are what figure.h promises.
inline void ExpectSound(const std::map<std::string, std::string>& svgs) {
  ExpectPasses("check_svg.py", ".svg", svgs);
}

/// Whether pages, by name, are what document.h promises.
inline void ExpectSoundPages(const std::map<std::string, std::string>& pages) {
  ExpectPasses("check_html.py", ".html", pages);
}

/// Compares with a file; with UPDATE_GOLDEN=1 in the environment the file is written instead.
inline void ExpectGoldenFile(const std::string& path, const std::string& text) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) return WriteFile(path, text);
  EXPECT_TRUE(text == TextOf(path)) << "differs from " << path << "; write it with UPDATE_GOLDEN=1";
}

}  // namespace twofold::report
