#include "cli/run/records.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "cli/run/job_key.h"

namespace twofold::run {
namespace {

using Json = nlohmann::ordered_json;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string TextOf(const Record& record) {
  const Json json = {{"id", record.id},
                     {"file", record.file},
                     {"queue", record.queue},
                     {"nodes", record.nodes},
                     {"queue_nodes", record.queue_nodes},
                     {"spread", record.spread},
                     {"text", record.text}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Record RecordOf(const Json& json) {
  return {json.at("id"),    json.at("file"),        json.at("text"),  json.at("queue"),
          json.at("nodes"), json.at("queue_nodes"), json.at("spread")};
}

Status NoRun(const std::string& id, const std::string& dir) {
  return absl::NotFoundError(absl::StrCat("there is no run ", id, " in ", dir));
}

Status Unwritable(const std::string& path) {
  return absl::InvalidArgumentError(
      absl::StrCat("cannot write ", path, ": ", std::strerror(errno), " (see --runs)"));
}

bool WriteAll(int file, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t more = write(file, text.data() + written, text.size() - written);
    if (more < 0) return false;
    written += static_cast<std::size_t>(more);
  }
  return fsync(file) == 0;
}

}  // namespace

RunLock::~RunLock() {
  if (file_ >= 0) close(file_);
}

std::string Records::Locate(const std::string& given) {
  if (!given.empty()) return given;
  if (const std::string runs = Environment("TWOFOLD_RUNS"); !runs.empty()) return runs;
  const std::string state = Environment("XDG_STATE_HOME");
  return absl::StrCat(state.empty() ? Environment("HOME") + "/.local/state" : state,
                      "/twofold/runs");
}

// Written under another name first: who finds a record finds all of it.
Status Records::Create(const Record& record) const {
  if (Status status = CheckRunId(record.id); !status.ok()) return status;
  std::error_code error;
  std::filesystem::create_directories(dir_, error);
  std::string draft = PathOf(record.id) + ".XXXXXX";
  const int file = mkstemp(draft.data());
  if (file < 0) return Unwritable(draft);
  const bool whole = WriteAll(file, TextOf(record));
  close(file);
  const bool linked = whole && link(draft.c_str(), PathOf(record.id).c_str()) == 0;
  const int why = errno;
  unlink(draft.c_str());
  errno = why;
  if (linked) return absl::OkStatus();
  if (why != EEXIST) return Unwritable(PathOf(record.id));
  return absl::AlreadyExistsError(absl::StrCat("there is a run ", record.id, " already"));
}

Result<Record> Records::Find(const std::string& id) const {
  if (Status status = CheckRunId(id); !status.ok()) return status;
  std::ifstream file(PathOf(id));
  if (!file) return NoRun(id, dir_);
  std::stringstream text;
  text << file.rdbuf();
  try {
    return RecordOf(Json::parse(text.str()));
  } catch (const Json::exception& wrong) {
    return absl::DataLossError(absl::StrCat(PathOf(id), " is damaged: ", wrong.what()));
  }
}

void Records::Remove(const std::string& id) const { unlink(PathOf(id).c_str()); }

Result<RunLock> Records::Lock(const std::string& id) const {
  const int file = open(PathOf(id).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return NoRun(id, dir_);
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return RunLock(file);
  close(file);
  return absl::FailedPreconditionError(
      absl::StrCat("another `twofold run` looks after run ", id, " on this machine"));
}

}  // namespace twofold::run
