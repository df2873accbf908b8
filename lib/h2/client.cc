#include "lib/h2/client.h"

#include <utility>

namespace twofold::h2 {

Client::Client(Loop& loop, Options options)
    : loop_(loop), options_(std::move(options)), ledger_(Budgets{}) {}

Client::~Client() = default;

Status Client::Connect(Descriptor socket, std::string peer, std::shared_ptr<const Tls> tls) {
  const auto on_closed = [this](Connection&, const Closing& closing) {
    loop_.Retire(std::move(connection_));
    const auto told = options_.on_closed;  // which may destroy this client
    if (told) told(closing.why);
  };
  auto made = Connection::Make(loop_, std::move(socket),
                               {.limits = options_.limits,
                                .ledger = ledger_,
                                .peer = std::move(peer),
                                .serve = {},
                                .tls = std::move(tls),
                                .on_news = options_.on_news,
                                .explain = options_.explain,
                                .on_closed = on_closed});
  if (!made.ok()) return made.status();
  connection_ = *std::move(made);
  return absl::OkStatus();
}

Result<Stream*> Client::Call(const CallOptions& options, std::shared_ptr<End> end) {
  if (connection_ == nullptr) return absl::UnavailableError("there is no connection");
  return connection_->session().Call(options, std::move(end), loop_.now());
}

void Client::Close(std::string_view why) {
  if (connection_ != nullptr) connection_->Close(Cause::kInOrder, why);
}

}  // namespace twofold::h2
