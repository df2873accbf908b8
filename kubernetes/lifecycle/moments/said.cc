#include "kubernetes/lifecycle/moments/said.h"

#include <string>

#include "kubernetes/lifecycle/moments/observer.h"

namespace twofold::lifecycle {
namespace {

void TellOfWorkload(Observer& observer, const Said& said) {
  const std::string space(said.space);
  const std::string name(said.name);
  if (said.what == What::kSent) return observer.Sent(space, name, said.at);
  if (said.what == What::kReplied) return observer.Replied(space, name, said.at);
  observer.Refused(space, name, std::string(said.why));
}

void TellOfStream(Observer& observer, const Said& said) {
  if (said.what == What::kSeen) {
    return observer.Seen(said.event, *said.object, said.at, said.other);
  }
  if (said.what == What::kAlive) return observer.Alive(said.name, said.at);
  if (said.what == What::kListing) return observer.Listing(said.name);
  observer.Listed(said.name, said.at);
}

}  // namespace

Status Tell(Observer& observer, const Said& said) {
  const std::string name(said.name);
  switch (said.what) {
    case What::kExpect:
      return observer.Expect(std::string(said.space), name, said.slots, said.at, said.beside);
    case What::kPlan:
      return observer.Plan(std::string(said.space), name, said.slots, said.at, said.beside);
    case What::kSent:
    case What::kReplied:
    case What::kRefused:
      TellOfWorkload(observer, said);
      break;
    case What::kSeen:
    case What::kAlive:
    case What::kListing:
    case What::kListed:
      TellOfStream(observer, said);
      break;
    case What::kCanaryWritten:
      observer.CanaryWritten(name, said.at, *said.other);
      break;
    case What::kCanarySeen:
      observer.CanarySeen(name, said.at);
      break;
    case What::kResume:
      observer.Resume(said.at);
      break;
  }
  return absl::OkStatus();
}

}  // namespace twofold::lifecycle
