#include "lib/postgres/connection.h"

#include <absl/strings/str_cat.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "lib/postgres/errors.h"

namespace twofold::postgres {
namespace {

constexpr int kBinary = 1;

// At least one: none is refused by some settings, and means for ever to others.
std::string Whole(Duration duration, Duration unit) {
  return absl::StrCat(std::max<std::int64_t>(duration / unit, 1));
}

/// Names and values for PQconnectdbParams. What stands before "dbname" is overridden by the address
/// in it, what stands behind overrides it.
PGconn* Connect(const Target& target, const Patience& patience) {
  constexpr Duration kSecond = std::chrono::seconds(1);
  constexpr Duration kMillisecond = std::chrono::milliseconds(1);
  const std::string connect = Whole(patience.connect, kSecond);
  const std::string idle = Whole(patience.silence / 2, kSecond);
  const std::string between = Whole(patience.silence / 6, kSecond);
  const std::string silence = Whole(patience.silence, kMillisecond);
  const std::array<std::pair<const char*, const char*>, 9> settings = {{
      {"fallback_application_name", "twofold"},
      {"connect_timeout", connect.c_str()},
      {"keepalives_idle", idle.c_str()},
      {"keepalives_interval", between.c_str()},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", silence.c_str()},
      {"dbname", target.conninfo().c_str()},
      {"client_encoding", "UTF8"},
      {nullptr, nullptr},
  }};
  std::array<const char*, settings.size()> keywords{};
  std::array<const char*, settings.size()> values{};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    keywords[i] = settings[i].first;
    values[i] = settings[i].second;
  }
  return PQconnectdbParams(keywords.data(), values.data(), 1);
}

/// One text for a statement and the types of its parameters: they are prepared together.
std::string KeyOf(const Statement& statement) {
  std::string key = statement.sql;
  for (const Parameter& parameter : statement.parameters) {
    AppendBigEndian(key, parameter.type);
  }
  return key;
}

// libpq has no SQLSTATE for what fails while it connects, only the server's words.
Status OpeningError(PGconn* connection, const std::string& name) {
  const std::string message = OneLine(PQerrorMessage(connection));
  const auto says = [&](const char* words) { return message.find(words) != std::string::npos; };
  const bool is_refused = says("authentication failed") || says("no password supplied") ||
                          says("no pg_hba.conf entry") || says("certificate") ||
                          (says("role \"") && says("does not exist"));
  if (is_refused) return StatusOf("28000", message, name);
  if (says("database \"") && says("does not exist")) return StatusOf("3D000", message, name);
  return StatusOf("08001", message, name);
}

}  // namespace

Connection::Connection(PGconn* connection, std::string name, const Patience& patience)
    : name_(std::move(name)), patience_(patience), connection_(connection) {
  PQsetNoticeReceiver(connection, &Connection::OnNotice, this);
}

Connection::~Connection() = default;

Result<std::unique_ptr<Connection>> Connection::Open(const Target& target,
                                                     const std::string& settings,
                                                     const Patience& patience) {
  std::unique_ptr<PGconn, Finish> opened(Connect(target, patience));
  if (opened == nullptr) return absl::UnavailableError("out of memory");
  if (PQstatus(opened.get()) != CONNECTION_OK) return OpeningError(opened.get(), target.name());
  std::unique_ptr<Connection> connection(new Connection(opened.release(), target.name(), patience));
  if (Status status = connection->Script(settings); !status.ok()) return status;
  return connection;
}

bool Connection::is_open() const {
  return connection_ != nullptr && PQstatus(connection_.get()) == CONNECTION_OK;
}

Result<Rows> Connection::Run(const std::string& sql, std::vector<Parameter> parameters) {
  std::vector<Statement> statements(1);
  statements.front() = {sql, std::move(parameters)};
  auto rows = Run(statements);
  if (!rows.ok()) return rows.status();
  return std::move(rows->front());
}

Result<std::vector<Rows>> Connection::Run(const std::vector<Statement>& statements) {
  if (Status sent = Send(statements); !sent.ok()) return sent;
  PGconn* const connection = connection_.get();
  if (PQpipelineSync(connection) != 1) return Broken(PQerrorMessage(connection));
  std::vector<Rows> rows;
  rows.reserve(sent_.size());
  Status status = Receive(rows);
  sent_.clear();
  if (is_open() && PQexitPipelineMode(connection) != 1) return Broken(PQerrorMessage(connection));
  if (!status.ok()) return status;
  if (!warning_.empty()) return Broken("what was written is in doubt: " + warning_);
  return rows;
}

Status Connection::SendAhead(const std::vector<Statement>& statements) {
  if (Status sent = Send(statements); !sent.ok()) return sent;
  return PQflush(connection_.get()) == 0 ? absl::OkStatus()
                                         : Broken(PQerrorMessage(connection_.get()));
}

Status Connection::Send(const std::vector<Statement>& statements) {
  if (sent_.empty()) {
    failure_ = {};
    warning_.clear();
  }
  if (!is_open()) return Broken("the connection is closed");
  bool was_sent = PQenterPipelineMode(connection_.get()) == 1;
  for (const Statement& statement : statements) was_sent = was_sent && Send(statement);
  return was_sent ? absl::OkStatus() : Broken(PQerrorMessage(connection_.get()));
}

bool Connection::Send(const Statement& statement) {
  const std::string key = KeyOf(statement);
  const std::size_t number = sent_.empty() ? 0 : sent_.back().statement + 1;
  std::string name;
  if (const auto known = prepared_.find(key); known != prepared_.end()) {
    name = known->second;
  } else {
    name = absl::StrCat("s", ++last_name_);
    sent_.push_back({number, key});
    if (!SendPrepare(statement, key, name)) return false;
  }
  std::vector<const char*> values;
  std::vector<int> sizes;
  for (const Parameter& each : statement.parameters) {
    values.push_back(each.is_null ? nullptr : each.bytes.data());
    sizes.push_back(static_cast<int>(each.bytes.size()));
  }
  const std::vector<int> formats(values.size(), kBinary);
  sent_.push_back({number, {}});
  return PQsendQueryPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()),
                             values.data(), sizes.data(), formats.data(), kBinary) == 1;
}

/// The name is kept as if it had worked; Receive forgets those that did not.
bool Connection::SendPrepare(const Statement& statement, const std::string& key,
                             const std::string& name) {
  std::vector<Oid> types;
  for (const Parameter& each : statement.parameters) types.push_back(each.type);
  prepared_[key] = name;
  return PQsendPrepare(connection_.get(), name.c_str(), statement.sql.c_str(),
                       static_cast<int>(types.size()), types.data()) == 1;
}

/// Takes all answers up to that of the sync; the first error counts.
Status Connection::Receive(std::vector<Rows>& rows) {
  const Instant deadline = Now() + patience_.answer;
  Status first;
  for (const Sent& sent : sent_) {
    Result<PGresult*> received = Next(deadline);
    if (!received.ok()) return received.status();
    Rows answer(*received);
    const ExecStatusType got = PQresultStatus(*received);
    const bool failed = got != PGRES_COMMAND_OK && got != PGRES_TUPLES_OK;
    if (failed && !sent.prepares.empty()) prepared_.erase(sent.prepares);
    if (failed && first.ok()) first = FailureOf(*received, sent.statement);
    if (!failed && sent.prepares.empty()) rows.push_back(std::move(answer));
    // Each statement's answers end with a null one.
    Result<PGresult*> end = Next(deadline);
    if (!end.ok()) return end.status();
    PQclear(*end);
  }
  Result<PGresult*> sync = Next(deadline);
  if (!sync.ok()) return sync.status();
  PQclear(*sync);
  return first;
}

/// The next answer; nullptr: those of a statement have ended.
Result<PGresult*> Connection::Next(Instant deadline) {
  PGconn* const connection = connection_.get();
  // What is still to be sent goes out first: the server answers nothing that it has not got.
  while (PQisBusy(connection) != 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Now()).count();
    pollfd socket{.fd = PQsocket(connection), .events = POLLIN, .revents = 0};
    const int ready = left > 0 ? poll(&socket, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      return Broken(absl::StrCat("it has not answered within ",
                                 patience_.answer / std::chrono::seconds(1), " s"));
    }
    if (PQconsumeInput(connection) != 1) return Broken(PQerrorMessage(connection));
  }
  PGresult* const result = PQgetResult(connection);
  if (PQstatus(connection) == CONNECTION_OK) return result;
  const std::string why = PQerrorMessage(connection);
  PQclear(result);
  return Broken(why);
}

/// The server answers a query with a result for each row, and one without rows at its end.
Status Connection::Stream(const std::string& sql, Take take) {
  failure_ = {};
  if (!is_open()) return Broken("the connection is closed");
  PGconn* const connection = connection_.get();
  const bool was_sent = PQsendQueryParams(connection, sql.c_str(), 0, nullptr, nullptr, nullptr,
                                          nullptr, kBinary) == 1 &&
                        PQsetSingleRowMode(connection) == 1;
  if (!was_sent) return Broken(PQerrorMessage(connection));
  Status first;
  for (;;) {
    Result<PGresult*> received = Next(Now() + patience_.answer);
    if (!received.ok()) return received.status();
    if (*received == nullptr) return first;
    const Rows answer(*received);
    const ExecStatusType got = PQresultStatus(*received);
    if (got == PGRES_FATAL_ERROR && first.ok()) first = FailureOf(*received, 0);
    if (got != PGRES_SINGLE_TUPLE) continue;
    if (Status taken = take(answer); !taken.ok()) {
      static_cast<void>(Broken("nobody wants the other rows"));
      return taken;
    }
  }
}

Status Connection::Broken(const std::string& why) {
  connection_.reset();
  sent_.clear();
  prepared_.clear();
  failure_ = {};
  return StatusOf("08006", why, name_);
}

Status Connection::FailureOf(const PGresult* result, std::size_t statement) {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  failure_ = {.statement = statement, .sql_state = state == nullptr ? "" : state};
  return StatusOf(failure_.sql_state, message == nullptr ? PQresultErrorMessage(result) : message,
                  name_);
}

Status Connection::Script(const std::string& sql) {
  failure_ = {};
  warning_.clear();
  if (!is_open()) return Broken("the connection is closed");
  if (PQsendQuery(connection_.get(), sql.c_str()) != 1) {
    return Broken(PQerrorMessage(connection_.get()));
  }
  const Instant deadline = Now() + patience_.answer;
  Status first;
  for (;;) {
    Result<PGresult*> received = Next(deadline);
    if (!received.ok()) return received.status();
    if (*received == nullptr) return first;
    const Rows answer(*received);
    if (PQresultStatus(*received) == PGRES_FATAL_ERROR && first.ok()) {
      first = FailureOf(*received, 0);
    }
  }
}

void Connection::OnNotice(void* self, const PGresult* notice) {
  const char* const severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity == nullptr || std::strcmp(severity, "WARNING") != 0) return;
  const char* const message = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
  static_cast<Connection*>(self)->warning_ = message == nullptr ? "a warning" : message;
}

}  // namespace twofold::postgres
