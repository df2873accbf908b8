#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/yaml/node.h"

namespace twofold::spec {

using yaml::Entry;
using yaml::Json;
using yaml::List;
using yaml::Map;
using yaml::Node;
using yaml::NodeRef;
using yaml::Place;

struct Field;

/// What may be written as the value of a field.
struct FieldType {
  std::string_view name;  ///< "text", "whole number" ...
  /// Why `node` does not fit; empty if it does.
  std::string (*mismatch)(const FieldType& type, const Node& node);
  /// The same as a JSON schema (draft 7).
  Json (*schema)(const FieldType& type);
  std::int64_t least = 0;                 ///< of numbers
  std::int64_t most = 0;                  ///< of numbers
  std::int64_t step = 1;                  ///< `least` and every step-th number after it
  std::vector<std::string_view> words{};  ///< one of these
  std::vector<std::string_view> units{};  ///< digits and one of these; the suite gets it as text
  std::shared_ptr<const std::vector<Field>> fields{};  ///< see FieldsIn
};

inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

FieldType Flag();  ///< true or false; also the yes, no, on, off that kubectl takes for them
FieldType Whole(std::int64_t least, std::int64_t most = kNoLimit, std::int64_t step = 1);
FieldType Number(std::int64_t least, std::int64_t most = kNoLimit);  ///< whole or not
FieldType OneOf(std::vector<std::string_view> words);
FieldType Text();   ///< not empty
FieldType Texts();  ///< a list of texts that are not empty
/// Whole digits and one of `units`; `name` is for people: "size such as 4k or 1M".
FieldType Quantity(std::string_view name, std::vector<std::string_view> units);
FieldType Time();                             ///< as ParseTime takes it, more than 0
FieldType Percent();                          ///< more than 0%, less than 100%
FieldType AnyList();                          ///< a list of anything
FieldType AnyMap();                           ///< a map of anything
FieldType MapOf(std::vector<Field> fields);   ///< a map with these fields
FieldType ListOf(std::vector<Field> fields);  ///< a list of maps with these fields

/// Whether it takes any map, of which nothing is known: all in it is text, as it was written.
bool IsFreeMap(const FieldType& type);

/// Whether it takes any map, or any list.
bool IsFree(const FieldType& type);

bool IsFlag(const FieldType& type);

/// Whether the suite gets the value as text, however it is written: Text and Quantity.
bool IsText(const FieldType& type);

/// What can be written, for people: "whole number 1..65535", "TCP | RDMA".
std::string Description(const FieldType& type);

/// Who a field is for.
enum class Role : std::uint8_t {
  kSuite,      ///< the suite: part of its spec
  kPlacement,  ///< where the job may run: becomes labels that its workers must have
  kLabels,     ///< a map of labels that the workers must have
  kNoEffect,   ///< makers of pods; the workers of a queue are there already, so it changes nothing
};

enum class Need : std::uint8_t { kOptional, kRequired };

/// One field of a benchmark, or of a set of them.
struct Field {
  std::string_view name;
  FieldType type;
  std::string initial;    ///< what holds if it is not written, as text; empty: nothing
  std::string_view unit;  ///< empty: none, or written with the value
  std::string_view help;
  Role role = Role::kSuite;
  Need need = Need::kOptional;
};

/// The fields that a map has, or each map of a list; none: it takes any.
std::span<const Field> FieldsIn(const FieldType& type);

/// `field`, which has to be written.
Field Required(Field field);

/// The field with this name; nullptr if there is none.
const Field* Find(std::span<const Field> fields, std::string_view name);

/// Refuses keys of `map` that no field has, with the nearest name as a hint. `path` is where the
/// map is, such as "spec"; empty at the top.
Status CheckKeys(const Map& map, std::span<const Field> fields, const std::string& path);

/// Checks the values of `node`, a map with these `fields`: keys, types, ranges, what is required.
/// Errors   kInvalidArgument "LINE:COLUMN: PATH: what"; the first in the order written.
Status CheckFields(const Node& node, std::span<const Field> fields, const std::string& path);

/// `path` and `key` with a dot between them.
std::string Join(std::string_view path, std::string_view key);

/// Whether the value is a number of seconds, for which a time with units may be written, too.
bool IsSeconds(const Field& field);

/// Whether its value may be a number that is not whole.
bool TakesFractions(const Field& field);

/// `node`, or the number that it says: 90 for 1m30s, if the field IsSeconds.
Node Unified(const Field& field, const Node& node);

/// What a text that Time() takes says, in seconds; 0 for what it does not take.
double SecondsOf(const Node& node);

/// What a text that Percent() takes says, as a share: 0.03 for "3%"; 0 for what it does not take.
double ShareOf(const Node& node);

/// What Flag() takes as true.
bool IsTrue(const Node& node);

}  // namespace twofold::spec
