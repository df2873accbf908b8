#include "cli/local/show.h"

#include <absl/strings/str_cat.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <iostream>

#include "lib/process/environment.h"
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

std::vector<CLI::Option*> DeclareAllowances(CLI::App& app, std::vector<std::string>& allow) {
  const auto add = [&allow](const char* option, const std::string& value) {
    allow.insert(allow.end(), {option, value});
  };
  CLI::Option* const paths = app.add_option_function<std::string>(
      "--allow-path",
      [add](const std::string& path) {
        add("--allow-path", std::filesystem::absolute(path).string());
      },
      "A folder or file that specs may name, for the local workers; may be given more than once");
  CLI::Option* const variables =
      app.add_option_function<std::string>(
             "--allow-env", [add](const std::string& name) { add("--allow-env", name); },
             "A variable of this environment, or several (AWS_*), that the programs of the local "
             "workers get; may be given more than once")
          ->check(CLI::Validator(
              [](const std::string& name) { return process::CheckVariableName(name); }, "NAME",
              "variable"));
  CLI::Option* const options = app.add_flag_callback(
      "--allow-options", [&allow] { allow.emplace_back("--allow-options"); },
      "Specs may have options that are on no word list, for the local workers");
  return {paths->trigger_on_parse(), variables->trigger_on_parse(), options};
}

}  // namespace twofold::cli
