// From the keys of a workload file to its cases.
#include "workload/workload_reader.h"

#include "base/file.h"
#include "base/yaml.h"
#include "workload/transformer.h"
#include "workload/yaml_map.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace tandem::workload {

namespace {

using model::Case;
using model::Workload;

/// Elements of a GEMM's output, or of an input that is gathered: 16 GiB in fp16. More is a slip of the keyboard, and
/// would not fit where sizes are counted in tiles.
constexpr long long MAX_TENSOR_ELEMENTS = 1LL << 33;
constexpr long long MAX_BATCH = 1LL << 24;
constexpr std::size_t LONGEST_PATH = 4096; ///< as Linux has it

class Reader {
public:
  Reader(const YamlMap& top, const std::string& file) : top_(top), precision_(top.text("precision")) {
    workload_.file = file;
    for (const KeyInfo& key : workload_keys())
      if (key.level.empty() && top.has(key.name))
        workload_.stated.emplace(key.name, top.where(key.name));
    workload_.title = top.has("title") ? top.text("title") : std::filesystem::path(file).stem().string();
    workload_.baseline = top.text("baseline");
    workload_.strategies = top.texts("strategies");
    check_platform();
  }

  Workload read() {
    const std::vector<YamlMap> models = top_.maps("models");
    const std::vector<YamlMap> gemms = top_.maps("gemms");
    if (models.empty() && gemms.empty())
      throw base::UserError(top_.where(), "nothing to run; give models with sublayers or layers, or gemms");
    const bool parts = top_.has("sublayers") || top_.has("layers");
    if (!models.empty() && !parts)
      top_.fail("models", "models without anything to run of them; give sublayers, layers or both");
    if (models.empty() && parts)
      top_.fail(top_.has("sublayers") ? "sublayers" : "layers",
                "sublayers and layers are parts of models; give models");
    check_names(models);
    check_names(gemms);
    for (const YamlMap& model : models)
      add_model(model);
    for (const YamlMap& gemm : gemms)
      add_gemm(gemm);
    return std::move(workload_);
  }

private:
  void check_platform() const {
    const std::string path = top_.text("platform");
    if (path.size() > LONGEST_PATH)
      top_.fail("platform", fmt::format("{} bytes; a path may have {} at most", path.size(), LONGEST_PATH));
    constexpr std::string_view WORD = "{tp}";
    for (std::size_t at = path.find_first_of("{}"); at != std::string::npos; at = path.find_first_of("{}", at)) {
      if (path.compare(at, WORD.size(), WORD) != 0)
        top_.fail("platform", fmt::format("{}: a brace that does not belong to {{tp}}, the only word that is replaced",
                                          base::in_quotes(path)));
      at += WORD.size();
    }
  }

  [[nodiscard]] std::string platform(long long tp) const {
    std::string path = top_.text("platform");
    const std::string degree = std::to_string(tp);
    for (std::size_t at = path.find("{tp}"); at != std::string::npos; at = path.find("{tp}", at + degree.size()))
      path.replace(at, 4, degree);
    return (std::filesystem::path(workload_.file).parent_path() / path).lexically_normal().string();
  }

  static void check_names(const std::vector<YamlMap>& entries) {
    std::set<std::string> seen;
    for (const YamlMap& entry : entries) {
      if (!seen.insert(entry.text("name")).second)
        entry.fail("name", fmt::format("the name {} is given twice", base::in_quotes(entry.text("name"))));
    }
  }

  [[nodiscard]] std::vector<long long> degrees(const YamlMap& entry) const {
    if (entry.has("tp"))
      return entry.integers("tp");
    if (top_.has("tp"))
      return top_.integers("tp");
    throw base::UserError(entry.where("name"),
                          fmt::format("{} has no tp, and neither has the file", base::in_quotes(entry.text("name"))));
  }

  static void check_output(const YamlMap& entry, const std::string& key, long long m, long long n) {
    check_tensor(entry, key, "an output", m, n);
  }

  static void check_tensor(const YamlMap& entry, const std::string& key, const std::string& what, long long rows,
                           long long columns) {
    if (rows * columns > MAX_TENSOR_ELEMENTS) // both are below 2^24
      entry.fail(key, fmt::format("{} of {} x {} elements is too large; allowed: {} elements", what, rows, columns,
                                  MAX_TENSOR_ELEMENTS));
  }

  static void check_divides(const YamlMap& entry, const std::string& what, long long part, const std::string& key) {
    if (entry.integer(key) % part != 0)
      entry.fail(key, fmt::format("{} {} is not divisible by {} {}", key, entry.integer(key), what, part));
  }

  TransformerShape shape(const YamlMap& entry) const {
    TransformerShape shape;
    shape.hidden = entry.integer("hidden");
    shape.tokens = entry.integer("tokens");
    (void)entry.integer("layers"); // checked, and of no effect on one layer
    check_output(entry, "tokens", shape.tokens, shape.hidden);
    for (const std::string key : {"heads", "sequence"}) {
      if (!entry.has(key) && top_.has("layers"))
        throw base::UserError(entry.where(),
                              fmt::format("missing key '{}' of an entry of models; layers needs it", key));
    }
    if (entry.has("heads")) {
      shape.heads = entry.integer("heads");
      check_divides(entry, "heads", shape.heads, "hidden");
    }
    if (entry.has("sequence")) {
      shape.sequence = entry.integer("sequence");
      check_divides(entry, "sequence", shape.sequence, "tokens");
    }
    if (top_.has("layers"))
      check_attention(entry, shape);
    return shape;
  }

  static void check_attention(const YamlMap& entry, const TransformerShape& shape) {
    check_output(entry, "sequence", shape.sequence, shape.sequence);
    const long long products = shape.tokens / shape.sequence * shape.heads;
    if (products > MAX_BATCH)
      entry.fail("heads", fmt::format("{} sequences x {} heads are too many; allowed: {} together",
                                      shape.tokens / shape.sequence, shape.heads, MAX_BATCH));
  }

  [[nodiscard]] Case new_case(const YamlMap& entry, long long tp) const {
    Case result;
    result.model = entry.text("name");
    result.tp = static_cast<int>(tp);
    result.platform = platform(tp);
    result.where = entry.where("name");
    return result;
  }

  void add_model(const YamlMap& entry) {
    const TransformerShape sizes = shape(entry);
    const std::vector<std::string> wanted = top_.texts("sublayers");
    const std::vector<std::string> phases = top_.texts("layers");
    for (const long long tp : degrees(entry)) {
      check_divides(entry, "tp", tp, "hidden");
      const Slice slice{static_cast<int>(tp), precision_};
      if (!phases.empty())
        check_output(entry, "hidden", 4 * (sizes.hidden / tp), std::max(sizes.hidden, sizes.tokens));
      for (const std::string& name : wanted) {
        const auto sublayer =
            std::find_if(sublayers().begin(), sublayers().end(), [&](const Sublayer& row) { return row.name == name; });
        if (sublayer == sublayers().end())
          throw base::Bug(fmt::format("sub-layer '{}' is in the key table but has no sizes", name));
        Case one = new_case(entry, tp);
        one.sublayer = sublayer->name;
        one.phase = sublayer->phase;
        one.items = {sublayer_item(*sublayer, sizes, slice)};
        workload_.cases.push_back(std::move(one));
      }
      for (const std::string& phase : phases) {
        Case one = new_case(entry, tp);
        one.sublayer = "layer";
        one.phase = phase;
        one.items = layer_items(sizes, slice, phase == "training" ? LayerPhase::TRAINING : LayerPhase::PROMPT);
        workload_.cases.push_back(std::move(one));
      }
    }
  }

  void add_gemm(const YamlMap& entry) {
    model::Item item;
    item.name = entry.text("name");
    item.gemm =
        model::Gemm{.m = entry.integer("m"), .n = entry.integer("n"), .k = entry.integer("k"), .precision = precision_};
    check_output(entry, "n", item.gemm->m, item.gemm->n);
    const std::string collective = entry.text("collective");
    for (const auto kind : {model::CollectiveKind::ALL_REDUCE, model::CollectiveKind::REDUCE_SCATTER,
                            model::CollectiveKind::ALL_TO_ALL, model::CollectiveKind::ALL_GATHER})
      if (collective == model::to_string(kind))
        item.collective = kind;
    if (item.collective == model::CollectiveKind::ALL_GATHER)
      check_tensor(entry, "k", "an input", item.gemm->m, item.gemm->k);
    for (const long long tp : degrees(entry)) {
      Case one = new_case(entry, tp);
      one.model = "custom";
      one.sublayer = item.name;
      one.phase = "forward";
      one.items = {item};
      workload_.cases.push_back(std::move(one));
    }
  }

  const YamlMap& top_;
  std::string precision_;
  Workload workload_;
};

} // namespace

Workload parse_workload(const std::string& text, const std::string& file) {
  const YAML::Node root = base::load_yaml(text, file);
  if (root.IsNull())
    throw base::UserError({file}, "is empty; a workload file holds a map of keys such as platform and strategies");
  const YamlMap top(root, file, "");
  return Reader(top, file).read();
}

Workload read_workload(const std::string& path) {
  return parse_workload(base::read_text_file(path, base::MOST_YAML_BYTES), path);
}

} // namespace tandem::workload
