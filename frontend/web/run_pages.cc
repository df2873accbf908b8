#include "frontend/web/run_pages.h"

#include "lib/results/result_messages.h"
#include "lib/show/message.h"

namespace twofold::frontend {

using show::Json;

Result<Json> RunsPage(const results::RunReader& reader, const std::string& page_token) {
  v1::ListRunsRequest list;
  list.set_page_token(page_token);
  const auto reply = reader.List(list);
  if (!reply.ok()) return reply.status();
  return show::ToJson(*reply);
}

Result<Json> ResultsPage(const results::RunReader& reader, const std::string& id,
                         std::uint64_t from) {
  const auto run = reader.Find(id);
  if (!run.ok()) return run.status();
  v1::RunResultsRequest results;
  results.set_id(id);
  auto messages = results::ResultMessages::Of(reader, results, from);
  if (!messages.ok()) return messages.status();
  const auto page = messages->Next();
  if (!page.ok()) return page.status();
  Json json = {{"run", show::ToJson(*run)}, {"permutations", Json::array()}, {"next", nullptr}};
  if (!*page) return json;
  json["permutations"] = show::ListOf((*page)->permutations());
  json["next"] = (*page)->permutations().rbegin()->number() + 1;
  return json;
}

}  // namespace twofold::frontend
