// A model of any kind that an iteration can be made of.
#pragma once

#include "model/language_model.h"
#include "model/other_models.h"

#include <string>
#include <variant>

namespace tandem::model {

using AnyModel = std::variant<LanguageModel, ConvolutionalModel, RecommendationModel, MeasuredModel>;

const std::string& name_of(const AnyModel& model);
/// That it was read from; empty: from none.
const std::string& file_of(const AnyModel& model);
/// What a batch counts: "sequences", "images", "samples".
std::string samples_of(const AnyModel& model);

} // namespace tandem::model
