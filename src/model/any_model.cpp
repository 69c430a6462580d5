// What models of all kinds have in common.
#include "model/any_model.h"

namespace tandem::model {

const std::string& name_of(const AnyModel& model) {
  return std::visit([](const auto& one) -> const std::string& { return one.name; }, model);
}

const std::string& file_of(const AnyModel& model) {
  return std::visit([](const auto& one) -> const std::string& { return one.file; }, model);
}

std::string samples_of(const AnyModel& model) {
  if (const auto* transformer = std::get_if<LanguageModel>(&model))
    return transformer->patches ? "images" : "sequences";
  return std::holds_alternative<ConvolutionalModel>(model) ? "images" : "samples";
}

} // namespace tandem::model
