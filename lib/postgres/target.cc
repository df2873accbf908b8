#include "lib/postgres/target.h"

#include <absl/strings/str_cat.h>
#include <libpq-fe.h>

#include <map>
#include <memory>
#include <utility>

namespace twofold::postgres {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

using Values = std::map<std::string, std::string>;

Values ValuesOf(const PQconninfoOption* options) {
  Values values;
  for (; options->keyword != nullptr; ++options) {
    if (options->val != nullptr) values[options->keyword] = options->val;
  }
  return values;
}

std::string NameOf(Values values) {
  std::string host = values["host"].empty() ? values["hostaddr"] : values["host"];
  if (host.empty()) host = "(local)";
  const std::string port = values["port"].empty() ? "" : ":" + values["port"];
  return absl::StrCat("postgresql://", host, port, "/", values["dbname"]);
}

}  // namespace

bool Target::IsUrl(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

// libpq's own message quotes what it does not understand, which may be a part of a password.
Result<Target> Target::Parse(const std::string& conninfo) {
  char* error = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(
      PQconninfoParse(conninfo.c_str(), &error));
  PQfreemem(error);
  if (options != nullptr && !conninfo.empty()) {
    const Values values = ValuesOf(options.get());
    const bool has_password = values.contains("password") || values.contains("sslpassword");
    return Target(conninfo, NameOf(values), has_password);
  }
  return absl::InvalidArgumentError(
      "the address of the database is not like postgresql://USER@HOST:5432/DATABASE, or has a "
      "setting that libpq does not know");
}

}  // namespace twofold::postgres
