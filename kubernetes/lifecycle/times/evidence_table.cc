#include "kubernetes/lifecycle/times/evidence_table.h"

namespace twofold::lifecycle {
namespace {

template <typename Number>
show::Json OrNull(const std::optional<Number>& number) {
  return number ? show::Json(*number) : show::Json();
}

show::Json RowJson(const EvidenceRow& row) {
  return {{"source", row.source},
          {"moment", row.moment},
          {"clock", row.clock},
          {"n", row.n},
          {"missing", row.missing},
          {"inexact", row.inexact},
          {"fit", OrNull(row.fit)},
          {"misfit_lower_seconds", OrNull(row.misfit_low)},
          {"misfit_upper_seconds", OrNull(row.misfit_high)},
          {"p50_seconds", OrNull(row.median)},
          {"p99_seconds", OrNull(row.p99)},
          {"doubt_seconds", row.doubt}};
}

const show::Columns& EvidenceColumns() {
  static const show::Columns columns = {
      {"EVIDENCE", "source"},
      {"MOMENT", "moment"},
      {"CLOCK", "clock"},
      {"N", "n"},
      {.heading = "MISSING", .path = "missing", .if_any = true},
      {.heading = "INEXACT", .path = "inexact", .if_any = true},
      {"FIT", "fit"},
      {.heading = "off from s", .path = "misfit_lower_seconds", .decimals = 3, .if_any = true},
      {.heading = "to s", .path = "misfit_upper_seconds", .decimals = 3, .if_any = true},
      {.heading = "p50 s", .path = "p50_seconds", .decimals = 4, .if_any = true},
      {.heading = "p99 s", .path = "p99_seconds", .decimals = 4, .if_any = true},
      {.heading = "+- s", .path = "doubt_seconds", .decimals = 4}};
  return columns;
}

}  // namespace

show::Json ToJson(const std::vector<EvidenceRow>& rows) {
  show::Json list = show::Json::array();
  for (const EvidenceRow& row : rows) list.push_back(RowJson(row));
  return list;
}

std::string PrintEvidence(show::Form form, const std::vector<EvidenceRow>& rows) {
  if (rows.empty()) return "";
  return show::Print(form, EvidenceColumns(), ToJson(rows));
}

}  // namespace twofold::lifecycle
