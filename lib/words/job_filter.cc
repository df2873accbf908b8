#include "lib/words/job_filter.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "lib/common/printable.h"
#include "lib/words/word.h"

namespace twofold {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;

constexpr std::size_t kMostShown = 40;  // bytes of a word in a message

void AddWords(const EnumDescriptor& type, std::vector<std::string>& words) {
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() != 0) words.push_back(Word(*type.value(i)));  // 0: not specified
  }
}

/// The number of the value with this word; 0: there is none.
int NumberOf(const EnumDescriptor& type, std::string_view word) {
  const EnumValueDescriptor* const value = FindWord(type, word);
  return value == nullptr ? 0 : value->number();
}

}  // namespace

std::vector<std::string> JobFilterWords() {
  std::vector<std::string> words;
  AddWords(*v1::JobState_descriptor(), words);
  AddWords(*v1::Outcome_descriptor(), words);
  return words;
}

Status AddToFilter(std::string_view word, v1::ListJobsRequest& request) {
  if (const int state = NumberOf(*v1::JobState_descriptor(), word); state != 0) {
    request.add_states(static_cast<v1::JobState>(state));
    return absl::OkStatus();
  }
  if (const int outcome = NumberOf(*v1::Outcome_descriptor(), word); outcome != 0) {
    request.add_outcomes(static_cast<v1::Outcome>(outcome));
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("state: '", Printable(word, kMostShown),
                                                 "' is not one of ",
                                                 absl::StrJoin(JobFilterWords(), ", ")));
}

}  // namespace twofold
