#pragma once

#include <string_view>

#include "lib/yaml/node.h"

/// From the JSON schemas that lib/spec makes of our fields to those that an API server takes: the
/// structural ones of CustomResourceDefinitions. Pure.
namespace twofold::benchmarks {

using Schema = yaml::Json;  ///< keys in the order in which they were set

/// `draft`, as spec::SchemaOf makes it, in structural form. What structural schemas cannot say is
/// left to the operator: an API server refuses nothing that `draft` takes, and takes a little more.
///
///   null beside a type      left out: API servers drop a null before they check
///   a flag as text          a boolean
///   a number with a point   an integer or a text, "0.5": Kubernetes has no floats in specs
///   alternatives of a text  the pattern, where one of them alone takes texts
///   default                 left out, but for its text in the description: what holds is the
///                           suite's to say, and a default in a schema stays in each object for
///                           ever
Schema Structural(const Schema& draft);

/// A schema that takes what either takes. Of numbers the wider range, of words both lists.
Schema Either(const Schema& a, const Schema& b);

/// `schema` and all in it without descriptions.
Schema Undescribed(Schema schema);

/// Fields of a status: a text, and a moment. `help` describes them.
Schema Text(const char* help);
Schema Moment(const char* help);

/// A map, of whose fields the API server knows nothing and keeps all.
Schema AnyObject();

}  // namespace twofold::benchmarks
