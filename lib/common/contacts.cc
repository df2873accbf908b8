#include "lib/common/contacts.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <arpa/inet.h>

#include <vector>

#include "lib/common/address.h"
#include "lib/common/options.h"

namespace twofold {
namespace {

constexpr std::size_t kMostContacts = 16;

bool IsIpv4(const std::string& host) {
  in_addr ignored{};
  return inet_pton(AF_INET, host.c_str(), &ignored) == 1;
}

std::string CheckContacts(const std::string& text) {
  const std::vector<std::string> contacts = absl::StrSplit(text, ',');
  if (contacts.size() > kMostContacts) {
    return absl::StrCat("more than ", kMostContacts, " addresses");
  }
  const CLI::Validator address = RemoteAddress();
  for (const std::string& contact : contacts) {
    if (const std::string why = address(contact); !why.empty()) return why;
    if (contacts.size() == 1 || IsIpv4(ParseAddress(contact)->host)) continue;
    return absl::StrCat("'", contact, "' is no IPv4 address with a port, as those of a list are");
  }
  return {};
}

}  // namespace

CLI::Validator Contacts() { return {CheckContacts, "HOST:PORT", "addresses"}; }

std::string FirstContact(const std::string& contacts) {
  return contacts.substr(0, contacts.find(','));
}

}  // namespace twofold
