// Our model files become facts.
#include "base/yaml.h"
#include "workload/hf_families.h"
#include "workload/model_reader.h"
#include "workload/yaml_map.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tandem::workload {

namespace {

using model::LanguageModel;

constexpr long long MOST_ROWS = 1LL << 40;
constexpr long long MOST_TABLES = 100'000;

bool truth(const YamlMap& map, const char* key) {
  return map.text(key) == "true";
}

long long needed(const YamlMap& map, const char* key) {
  if (!map.has(key))
    throw base::UserError(map.where(),
                          fmt::format("missing key '{}': a model of kind {} needs it", key, map.text("kind")));
  return map.integer(key);
}

/// Keys of another kind of model are refused, not ignored.
void check_keys(const YamlMap& top, const std::vector<std::string>& foreign) {
  for (const auto& key : foreign)
    if (top.has(key))
      top.fail(key, fmt::format("'{}' says nothing about a model of kind {}", key, top.text("kind")));
}

const std::vector<std::string> OF_TRANSFORMERS = {
    "layers",      "hidden",  "heads",  "kv_heads",   "head_dim",  "ffn",           "gated",
    "norm",        "bias",    "causal", "vocab",      "positions", "max_positions", "tied",
    "token_types", "experts", "top_k",  "shared_ffn", "image",     "patch",         "classes"};
const std::vector<std::string> OF_CONVOLUTIONS = {"matrices"};
const std::vector<std::string> OF_MEASUREMENTS = {"measured"};
const std::vector<std::string> OF_RECOMMENDATIONS = {"dense_features", "vector", "tables", "lookups", "bottom", "top"};

model::Attention read_attention(const YamlMap& top, const LanguageModel& model) {
  model::Attention attention;
  attention.heads = needed(top, "heads");
  attention.kv_heads = top.has("kv_heads") ? top.integer("kv_heads") : attention.heads;
  if (attention.heads % attention.kv_heads != 0)
    top.fail("kv_heads", fmt::format("{} does not divide heads {}", attention.kv_heads, attention.heads));
  if (!top.has("head_dim") && model.hidden % attention.heads != 0)
    top.fail("heads",
             fmt::format("{} does not divide hidden {}, and there is no head_dim", attention.heads, model.hidden));
  attention.head_dim = top.has("head_dim") ? top.integer("head_dim") : model.hidden / attention.heads;
  attention.qkv_bias = attention.output_bias = truth(top, "bias");
  attention.causal = truth(top, "causal");
  return attention;
}

model::LayerKind read_kind(const YamlMap& top, const LanguageModel& model) {
  model::LayerKind kind{.name = "dense", .attention = read_attention(top, model)};
  kind.feed_forward = {.inner = top.has("ffn") ? top.integer("ffn") : 4 * model.hidden,
                       .gated = truth(top, "gated"),
                       .bias = truth(top, "bias")};
  if (top.integer("experts") == 0) {
    if (top.has("top_k") || top.has("shared_ffn"))
      top.fail(top.has("top_k") ? "top_k" : "shared_ffn", "needs experts, and there are none");
    return kind;
  }
  kind.name = "moe";
  kind.experts = model::Experts{.routed = top.integer("experts"),
                                .top_k = top.integer("top_k"),
                                .inner = kind.feed_forward.inner,
                                .shared_inner = top.integer("shared_ffn"),
                                .gated = kind.feed_forward.gated,
                                .bias = kind.feed_forward.bias};
  kind.feed_forward = {};
  if (kind.experts->top_k > kind.experts->routed)
    top.fail("top_k", fmt::format("{} of {} experts", kind.experts->top_k, kind.experts->routed));
  return kind;
}

void read_outside(const YamlMap& top, LanguageModel& model) {
  model.learned_positions = top.integer("positions");
  model.max_positions = model.learned_positions > 0 ? model.learned_positions : top.integer("max_positions");
  model.tied_embeddings = truth(top, "tied");
  if (top.has("image") != top.has("patch"))
    throw base::UserError(top.where(), "image and patch come together");
  if (top.has("image")) {
    model.patches =
        model::Patches{.image = top.integer("image"), .patch = top.integer("patch"), .classes = top.integer("classes")};
    if (top.has("vocab") || top.has("positions"))
      top.fail(top.has("vocab") ? "vocab" : "positions", "a vision transformer has its patches in place of it");
    if (model.patches->image % model.patches->patch != 0)
      top.fail("patch", fmt::format("{} does not divide image {}", model.patches->patch, model.patches->image));
    model.learned_positions = model.max_positions = model.patches->tokens();
    model.tied_embeddings = true;
    return;
  }
  model.vocab = needed(top, "vocab");
  model.token_types = top.integer("token_types");
  if (model.token_types > 0) {
    model.embedding_norm = model.head_transform = model.head_bias = model.pooler = true;
    model.final_norm = false;
  }
}

LanguageModel read_transformer(const YamlMap& top, const std::string& file) {
  check_keys(top, OF_CONVOLUTIONS);
  check_keys(top, OF_RECOMMENDATIONS);
  check_keys(top, OF_MEASUREMENTS);
  LanguageModel model;
  model.file = file;
  model.name = top.text("name");
  model.source = top.text("source");
  model.family = "transformer";
  model.hidden = needed(top, "hidden");
  model.norm = top.text("norm") == "rms" ? model::NormKind::RMS : model::NormKind::LAYER;
  model.norm_bias = truth(top, "bias");
  read_outside(top, model);
  const auto kind = read_kind(top, model);
  const long long layers = needed(top, "layers");
  for (long long i = 0; i < layers; ++i)
    add_layer(model, kind);
  return model;
}

model::ConvolutionalModel read_convolutional(const YamlMap& top, const std::string& file) {
  check_keys(top, OF_TRANSFORMERS);
  check_keys(top, OF_RECOMMENDATIONS);
  check_keys(top, OF_MEASUREMENTS);
  model::ConvolutionalModel model{.name = top.text("name"), .file = file, .source = top.text("source"), .layers = {}};
  for (const auto& row : top.maps("matrices"))
    model.layers.push_back({.name = row.text("name"),
                            .in = row.integer("in"),
                            .out = row.integer("out"),
                            .kernel = row.integer("kernel"),
                            .height = row.integer("size"),
                            .width = row.integer("size"),
                            .bias = truth(row, "bias"),
                            .norm = truth(row, "norm"),
                            .stride = row.integer("stride"),
                            .residual = truth(row, "residual"),
                            .shortcut = truth(row, "shortcut"),
                            .pool = row.integer("pool")});
  for (const auto& layer : model.layers)
    if (layer.pool > layer.height)
      throw base::UserError(top.where(), fmt::format("layer {}: its output has an edge of {}, and pool is {}",
                                                     layer.name, layer.height, layer.pool));
  if (model.layers.empty())
    throw base::UserError(top.where(), "missing key 'matrices': a model of kind convolutional needs it");
  return model;
}

/// "512-256-1", or with repetitions "26x1000000-20".
std::vector<std::int64_t> joined(const YamlMap& top, const char* key) {
  if (!top.has(key))
    throw base::UserError(top.where(), fmt::format("missing key '{}': a model of kind recommendation needs it", key));
  std::vector<std::int64_t> values;
  const std::string text = top.text(key);
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('-', from), text.size());
    const std::string part = text.substr(from, to - from);
    const std::size_t times = part.find('x');
    try {
      const long long count =
          times == std::string::npos ? 1 : base::parse_integer(part.substr(0, times), 1, MOST_TABLES);
      const long long value =
          base::parse_integer(times == std::string::npos ? part : part.substr(times + 1), 1, MOST_ROWS);
      values.insert(values.end(), static_cast<std::size_t>(count), value);
    } catch (const base::UserError& error) {
      top.fail(key, error.what());
    }
    if (values.size() > static_cast<std::size_t>(MOST_TABLES))
      top.fail(key, fmt::format("more than {} numbers", MOST_TABLES));
    from = to + 1;
  }
  return values;
}

model::RecommendationModel read_recommendation(const YamlMap& top, const std::string& file) {
  check_keys(top, OF_TRANSFORMERS);
  check_keys(top, OF_CONVOLUTIONS);
  check_keys(top, OF_MEASUREMENTS);
  model::RecommendationModel model;
  model.name = top.text("name");
  model.file = file;
  model.source = top.text("source");
  model.dense_features = needed(top, "dense_features");
  model.vector = needed(top, "vector");
  model.lookups = top.integer("lookups");
  model.tables = joined(top, "tables");
  model.bottom = joined(top, "bottom");
  model.top = joined(top, "top");
  if (model.bottom.back() != model.vector)
    top.fail("bottom", fmt::format("ends with {}, and an embedding is {} wide", model.bottom.back(), model.vector));
  return model;
}

/// A value with a unit, by its parser.
template <typename Quantity>
Quantity quantity(const YamlMap& row, const char* key, Quantity (*parse)(std::string_view)) {
  try {
    return parse(row.text(key));
  } catch (const base::UserError& error) {
    row.fail(key, error.what());
  }
}

/// Each name once, and a layer that waits for another stands behind it.
void check_names(const YamlMap& top, const model::MeasuredModel& model) {
  std::map<std::string, std::size_t> places;
  std::vector<std::string> names;
  for (const auto& layer : model.layers) {
    if (!places.emplace(layer.name, names.size()).second)
      throw base::UserError(top.where(), fmt::format("two layers are called '{}'", layer.name));
    names.push_back(layer.name);
  }
  for (const auto& layer : model.layers) {
    if (layer.until.empty())
      continue;
    const auto user = places.find(layer.until);
    if (user == places.end())
      throw base::UserError(top.where(), base::unknown_word("layer that waits for " + layer.name, layer.until, names));
    if (user->second <= places.at(layer.name))
      throw base::UserError(top.where(),
                            fmt::format("layer {} waits for the all_to_all of {}, and does not stand behind it",
                                        layer.until, layer.name));
  }
}

model::MeasuredModel read_measured(const YamlMap& top, const std::string& file) {
  check_keys(top, OF_TRANSFORMERS);
  check_keys(top, OF_CONVOLUTIONS);
  check_keys(top, OF_RECOMMENDATIONS);
  model::MeasuredModel model{.name = top.text("name"), .file = file, .source = top.text("source"), .layers = {}};
  const auto rows = top.maps("measured");
  if (rows.empty())
    throw base::UserError(top.where(), "missing key 'measured': a model of kind measured needs it");
  for (const auto& row : rows) {
    if (row.has("all_to_all") != row.has("until"))
      throw base::UserError(row.where(), "all_to_all and until come together");
    const long long count = row.integer("count");
    for (long long i = 1; i <= count; ++i)
      model.layers.push_back({.name = count == 1 ? row.text("name") : fmt::format("{} {}", row.text("name"), i),
                              .forward = quantity(row, "forward", base::parse_seconds),
                              .backward = quantity(row, "backward", base::parse_seconds),
                              .parameters = static_cast<double>(row.integer("parameters")),
                              .kept = quantity(row, "kept", base::parse_bytes),
                              .all_reduce = quantity(row, "all_reduce", base::parse_bytes),
                              .backward_all_reduce = quantity(row, "backward_all_reduce", base::parse_bytes),
                              .all_to_all = quantity(row, "all_to_all", base::parse_bytes),
                              .until = row.text("until")});
  }
  check_names(top, model);
  return model;
}

} // namespace

AnyModel parse_model_yaml(const std::string& text, const std::string& file) {
  const YAML::Node root = base::load_yaml(text, file);
  if (root.IsNull())
    throw base::UserError({file}, "is empty; a model file holds a map of keys such as name, layers and hidden");
  const YamlMap top(root, file, "", model_keys());
  const std::string kind = top.text("kind");
  if (kind == "convolutional")
    return read_convolutional(top, file);
  if (kind == "recommendation")
    return read_recommendation(top, file);
  if (kind == "measured")
    return read_measured(top, file);
  return read_transformer(top, file);
}

} // namespace tandem::workload
