#pragma once

#include <string>

#include "lib/common/result.h"

namespace twofold::gpu {

/// A shared library that is loaded while the program runs, and stays loaded.
class Library {
 public:
  /// Errors   kNotFound: "NAME: not found", or what the loader says.
  static Result<Library> Load(const std::string& name);

  /// Sets `function` to the symbol.
  /// Errors   kNotFound: "NAME has no SYMBOL".
  template <typename Function>
  Status Find(const char* symbol, Function*& function) const {
    void* address = Address(symbol);
    if (address == nullptr) return Missing(symbol);
    function = reinterpret_cast<Function*>(address);
    return absl::OkStatus();
  }

 private:
  Library(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  [[nodiscard]] void* Address(const char* symbol) const;
  [[nodiscard]] Status Missing(const char* symbol) const;

  std::string name_;
  void* handle_;
};

}  // namespace twofold::gpu
