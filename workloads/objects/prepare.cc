#include "workloads/objects/prepare.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <deque>
#include <memory>

#include "workloads/objects/caller.h"

namespace twofold::objects {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kBuffer = 64 << 10;
constexpr std::size_t kMostOfPage = 16 << 20;
constexpr std::size_t kMostNames = 1 << 24;
constexpr Duration kLook = std::chrono::milliseconds(20);

Status ToStatus(std::string_view what, const Failure& failure) {
  const std::string text =
      absl::StrCat(std::string(what), ": ", failure.cause,
                   failure.code == 0 ? "" : absl::StrCat(" (", failure.code, ")"));
  if (failure.code == 403 || failure.code == 401) {
    return absl::PermissionDeniedError(text + ": keys or token are missing, wrong or expired");
  }
  if (failure.code == 404) return absl::NotFoundError(text);
  return absl::UnavailableError(text);
}

/// Requests that are waited for.
class Client {
 public:
  Client(const Store& store, Duration timeout) : caller_(io_, store, 0, kBuffer, timeout) {}

  /// Errors   as ToStatus; the answer's content is in body().
  Status Make(std::string_view what, const Call& call) {
    Reply reply;
    bool done = false;
    asio::co_spawn(io_, Wait(call, reply, done), asio::detached);
    io_.restart();
    while (!done) {  // NOLINT(bugprone-infinite-loop): Wait sets it
      io_.run_for(kLook);
      if (caller_.deadline() <= Now()) caller_.Abort(true);
    }
    has_answer_ = !reply.failure || reply.failure->code > 0;
    return reply.failure ? ToStatus(what, *reply.failure) : absl::OkStatus();
  }
  [[nodiscard]] const Answer& answer() const { return caller_.answer(); }
  [[nodiscard]] bool has_answer() const { return has_answer_; }  ///< whatever it was

 private:
  asio::awaitable<void> Wait(const Call& call, Reply& reply, bool& done) {
    reply = co_await caller_.Make(call, nullptr, nullptr, kMostOfPage);
    done = true;
  }

  asio::io_context io_;
  Caller caller_;
  bool has_answer_ = false;
};

/// All pages of one folder.
Status ListFolder(const Store& store, Client& client, const std::string& folder, Page& all) {
  std::string token;
  do {
    const Status status =
        client.Make("listing", {.verb = Verb::kList, .name = folder, .token = token});
    if (!status.ok()) return status;
    if (client.answer().is_cut()) return absl::DataLossError("listing: a page is too long");
    auto page = store.dialect->ReadPage(client.answer().body());
    if (!page.ok()) return page.status();
    std::move(page->names.begin(), page->names.end(), std::back_inserter(all.names));
    std::move(page->folders.begin(), page->folders.end(), std::back_inserter(all.folders));
    if (all.names.size() > kMostNames) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "bucket: more than ", kMostNames, " names in it; say with objects how many to read"));
    }
    if (!page->next.empty() && page->next == token) {
      return absl::DataLossError("listing: the next page is the same again");
    }
    token = std::move(page->next);
  } while (!token.empty());
  return absl::OkStatus();
}

}  // namespace

Status EnsureBucket(const Store& store, bool make, Duration timeout) {
  Client client(store, timeout);
  Status status = client.Make("bucket", {.verb = Verb::kHeadBucket});
  if (absl::IsNotFound(status) && make) {
    status = client.Make("bucket", {.verb = Verb::kMakeBucket});
  }
  const bool answers = client.has_answer();
  return answers && !store.dialect->has_buckets() ? absl::OkStatus() : status;
}

Result<std::vector<std::string>> ListNames(const Store& store, const std::string& prefix,
                                           Duration timeout) {
  Client client(store, timeout);
  Page all;
  all.folders.push_back(prefix);
  while (!all.folders.empty()) {
    const std::string folder = std::move(all.folders.back());
    all.folders.pop_back();
    const std::size_t before = all.folders.size();
    Status status = ListFolder(store, client, folder, all);
    if (!status.ok()) return status;
    // A folder is among what is in it.
    const auto is_itself = [&](const std::string& found) {
      return found == folder || found == folder + "/";
    };
    const auto first = all.folders.begin() + static_cast<std::ptrdiff_t>(before);
    all.folders.erase(std::remove_if(first, all.folders.end(), is_itself), all.folders.end());
  }
  if (all.names.empty()) return absl::NotFoundError("bucket: there is no object to read in it");
  return all.names;
}

}  // namespace twofold::objects
