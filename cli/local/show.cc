#include "cli/local/show.h"

#include <absl/strings/str_cat.h>

#include <iostream>

#include "lib/show/table.h"

namespace twofold::cli {
namespace {

const show::Columns kColumns = {{"NAME", "name"},
                                {"READY", "ready"},
                                {.heading = "HELD", .path = "held", .if_any = true},
                                {"RESTARTS", "restarts"},
                                {"LAST EXIT", "last_exit"},
                                {"ADDRESSES", "addresses"}};

Json ForPeople(Json deployment) {
  Json addresses = Json::array();
  for (const auto& [name, address] : deployment.at("addresses").items()) {
    addresses.push_back((name == "http" ? "http://" : name + " ") + address.get<std::string>());
  }
  deployment["addresses"] = addresses;
  deployment["ready"] =
      absl::StrCat(deployment.at("ready").get<int>(), "/", deployment.at("replicas").get<int>());
  return deployment;
}

}  // namespace

local::StateFolder Folder(const Globals& globals) {
  return local::StateFolder(local::StateFolder::Locate(globals.dir));
}

Status Show(const Result<Json>& shown, const Globals& globals) {
  if (!shown.ok()) return shown.status();
  if (globals.json()) {
    std::cout << show::Line(*shown);
    return absl::OkStatus();
  }
  Json rows = Json::array();
  for (const Json& each : shown->is_array() ? *shown : Json::array({*shown})) {
    rows.push_back(ForPeople(each));
  }
  std::cout << show::Print(show::Form::kText, kColumns, rows);
  return absl::OkStatus();
}

}  // namespace twofold::cli
