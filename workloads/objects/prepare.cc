#include "workloads/objects/prepare.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <deque>
#include <memory>
#include <set>

#include "workloads/objects/caller.h"

namespace twofold::objects {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kBuffer = 64 << 10;
constexpr std::size_t kMostOfPage = 16 << 20;
constexpr std::size_t kMostNames = 1 << 24;
constexpr Duration kLook = std::chrono::milliseconds(20);

Status ToStatus(std::string_view what, const Failure& failure) {
  // Who has not answered at all is named; a cause may be the code alone.
  const bool says_code = failure.code == 0 || failure.cause == absl::StrCat("HTTP ", failure.code);
  const std::string text =
      absl::StrCat(std::string(what), ": ", failure.code == 0 ? failure.example : failure.cause,
                   says_code ? "" : absl::StrCat(" (", failure.code, ")"),
                   failure.reason.empty() ? "" : absl::StrCat(": ", failure.reason));
  if (failure.code / 100 == 2) return absl::DataLossError(text);
  if (!failure.reason.empty()) return absl::PermissionDeniedError(text);
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

// Nothing is known of the bucket's name to a store that does not look at the host: a PUT of an
// object would make a bucket. It gives itself away by what it lists.
Status CheckHostNamesTheBucket(Client& client) {
  Status status = client.Make("bucket", {.verb = Verb::kList});
  return absl::IsDataLoss(status) ? status : absl::OkStatus();
}

/// All pages of one folder.
Status ListFolder(const Store& store, Client& client, const std::string& folder, Page& all) {
  Page next;
  std::set<std::string> seen;
  do {
    const Status status = client.Make(
        "listing",
        {.verb = Verb::kList, .name = folder, .token = next.token, .marker = next.marker});
    if (!status.ok()) return status;
    auto page = store.dialect->ReadPage(client.answer().body());
    if (!page.ok()) return page.status();
    std::move(page->names.begin(), page->names.end(), std::back_inserter(all.names));
    std::move(page->folders.begin(), page->folders.end(), std::back_inserter(all.folders));
    if (all.names.size() > kMostNames) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "bucket: more than ", kMostNames, " names in it; say with objects how many to read"));
    }
    next = {.token = page->token, .marker = page->marker};
    const std::string where = next.token + next.marker;
    if (!where.empty() && !seen.insert(where).second) {
      return absl::DataLossError("listing: a page that was there comes again");
    }
  } while (!next.token.empty() || !next.marker.empty());
  return absl::OkStatus();
}

}  // namespace

Status EnsureBucket(const Store& store, bool make, Duration timeout) {
  Client client(store, timeout);
  Status status = client.Make("bucket", {.verb = Verb::kHeadBucket});
  if (absl::IsNotFound(status) && make) {
    status = client.Make("bucket", {.verb = Verb::kMakeBucket});
  }
  if (client.has_answer() && !store.dialect->has_buckets()) return absl::OkStatus();
  if (status.ok()) return store.bucket_in_host ? CheckHostNamesTheBucket(client) : status;
  if (!client.has_answer() || !store.dialect->is_signed() || absl::IsNotFound(status)) {
    return status;
  }
  // The answer to a HEAD has no content; that to a list says why.
  Status why = client.Make("bucket", {.verb = Verb::kList});
  return why.ok() ? status : why;
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
  // Names are unique in a bucket. Pages of a bucket that changes may have one twice.
  std::sort(all.names.begin(), all.names.end());
  all.names.erase(std::unique(all.names.begin(), all.names.end()), all.names.end());
  return all.names;
}

}  // namespace twofold::objects
