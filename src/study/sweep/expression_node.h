// The tree of an expression, and how one is made from text and worked out.
#pragma once

#include "study/sweep/expression.h"

#include <memory>
#include <string>
#include <vector>

namespace tandem::study {

struct Expression::Node {
  enum class Kind { CONSTANT, NAME, CALL };
  Kind kind = Kind::CONSTANT;
  ExpressionValue value;                        ///< of a CONSTANT
  std::string name;                             ///< of a NAME; of a CALL the operator or function: "+", "neg", "min"
  std::vector<std::unique_ptr<const Node>> sub; ///< of a CALL
};

/// Throws UserError with `where`.
std::unique_ptr<const Expression::Node> parse_expression(const std::string& text, const base::Location& where);

/// Throws NoValue, and UserError without a place.
ExpressionValue evaluate_node(const Expression::Node& node, const Lookup& lookup);

} // namespace tandem::study
