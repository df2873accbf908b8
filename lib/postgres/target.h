#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lib/common/result.h"

namespace twofold::postgres {

/// Which database: "postgresql://user@host:5432/name?sslmode=verify-full" or libpq's keyword form,
/// "host=... dbname=...". It may have a password in it, so nothing prints it but `name`.
class Target {
 public:
  /// Errors   kInvalidArgument: it is neither form, or libpq does not know a keyword.
  static Result<Target> Parse(const std::string& conninfo);

  /// Whether it is of the first form.
  static bool IsUrl(std::string_view text);

  /// For people: "postgresql://host:5432/name", without user, password and settings.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Whether it has a password in it.
  [[nodiscard]] bool has_password() const { return has_password_; }

  /// For libpq only.
  [[nodiscard]] const std::string& conninfo() const { return conninfo_; }

 private:
  Target(std::string conninfo, std::string name, bool has_password)
      : conninfo_(std::move(conninfo)), name_(std::move(name)), has_password_(has_password) {}

  std::string conninfo_;
  std::string name_;
  bool has_password_;
};

}  // namespace twofold::postgres
