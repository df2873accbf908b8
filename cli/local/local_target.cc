#include "cli/local/local_target.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <utility>

#include "cli/local/plan.h"
#include "cli/local/remote.h"
#include "lib/common/file.h"

namespace twofold::targets {
namespace {

using Reply = local::Remote::Json;

constexpr Duration kPoll = std::chrono::milliseconds(100);
constexpr int kRestartsOfALoop = 3;  ///< since the workers were scaled
constexpr std::size_t kMostOfLog = 64 << 20;
constexpr std::size_t kLinesOfLog = 5;

std::string Shown(const Reply& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

class LocalTarget final : public Target {
 public:
  LocalTarget(local::StateFolder folder, Parts parts, std::optional<Page> client,
              std::optional<Page> frontend)
      : folder_(std::move(folder)),
        parts_(std::move(parts)),
        client_(std::move(client)),
        frontend_(std::move(frontend)) {}

  Status Check() override {
    auto remote = local::Remote::Find(folder_);
    if (!remote.ok()) return remote.status();
    remote_ = *std::move(remote);
    if (const auto deployment = remote_->Deployment(parts_.deployment); !deployment.ok()) {
      return Lacks("deployments/" + parts_.deployment, deployment.status());
    }
    Status status = FindPage(parts_.service, client_);
    if (status.ok()) status = FindPage(local::kFrontendName, frontend_);
    return status;
  }

  Status Scale(int workers) override {
    const auto deployment = remote_->Scale(parts_.deployment, workers);
    if (!deployment.ok()) return deployment.status();
    restarts_ = deployment->value("restarts", 0);
    return absl::OkStatus();
  }

  Result<Workers> Look() override {
    const auto deployment = remote_->Deployment(parts_.deployment);
    if (!deployment.ok()) return deployment.status();
    const auto count = [&](const char* key) { return deployment->value(key, 0); };
    return Workers{count("ready"),
                   count("running") - count("ready") + count("terminating") + count("waiting"),
                   count("restarts") - restarts_ >= kRestartsOfALoop};
  }

  Result<std::string> Team() override {
    const auto deployment = remote_->Deployment(parts_.deployment);
    if (!deployment.ok()) return deployment.status();
    std::string team;
    for (const auto& [key, value] : deployment->items()) {
      if (!value.is_structured()) absl::StrAppend(&team, key, " ", Shown(value), "\n");
    }
    return team;
  }

  std::vector<std::string> Problems() override {
    std::vector<std::string> lines;
    if (const auto deployment = remote_->Deployment(parts_.deployment); deployment.ok()) {
      for (const char* key : {"ready", "terminating", "waiting", "restarts", "last_exit"}) {
        if (!deployment->contains(key)) continue;
        lines.push_back(absl::StrCat(key, " ", Shown(deployment->at(key))));
      }
    }
    const std::string process = parts_.deployment + "-0";
    const auto log = ReadFile(folder_.LogFile(process), kMostOfLog);
    if (!log.ok() || log->empty()) return lines;
    lines.push_back(absl::StrCat("end of the log of ", process, ":"));
    for (std::string& line : LastLines(*log, kLinesOfLog)) lines.push_back(std::move(line));
    return lines;
  }

  Result<std::string> AskClient(const std::string& target) override {
    return Fetch(*client_, target);
  }
  Result<std::string> Metrics() override { return Fetch(*frontend_, "/metrics"); }
  [[nodiscard]] Duration poll() const override { return kPoll; }

 private:
  static Status Lacks(const std::string& part, const Status& why) {
    return {why.code(),
            absl::StrCat("the local cluster has no ", part, ": ", std::string(why.message()))};
  }

  Status FindPage(const std::string& service, std::optional<Page>& page) const {
    const auto url = remote_->ServiceUrl(service);
    if (!url.ok()) return Lacks("services/" + service, url.status());
    if (!page) page = Page{*url};
    return absl::OkStatus();
  }

  const local::StateFolder folder_;
  const Parts parts_;
  std::optional<Page> client_;
  std::optional<Page> frontend_;
  std::optional<local::Remote> remote_;  // after Check
  int restarts_ = 0;                     // when the workers were scaled
};

}  // namespace

std::unique_ptr<Target> MakeLocalTarget(local::StateFolder folder, Parts parts,
                                        std::optional<Page> client, std::optional<Page> frontend) {
  return std::make_unique<LocalTarget>(std::move(folder), std::move(parts), std::move(client),
                                       std::move(frontend));
}

}  // namespace twofold::targets
