// yaml-cpp's Load drops what follows the first document, and its LoadAll never ends on some texts (0.7, "," is one): so
// the first document is loaded, and the parser is asked for a second one.
#include "base/yaml.h"

#include <fmt/format.h>
#include <sstream>
#include <yaml-cpp/eventhandler.h>

namespace tandem::base {

namespace {

/// Keeps where the latest document starts, and nothing of what it holds.
class DocumentStarts : public YAML::EventHandler {
public:
  YAML::Mark latest;

  void OnDocumentStart(const YAML::Mark& mark) override { latest = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}
};

} // namespace

YAML::Node load_yaml(const std::string& text, const std::string& file) {
  if (text.size() > MOST_YAML_BYTES)
    throw UserError({file}, fmt::format("has {} bytes; a YAML file may have {} at most", text.size(), MOST_YAML_BYTES));
  try {
    YAML::Node root = YAML::Load(text);
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    if (parser.HandleNextDocument(starts) && parser.HandleNextDocument(starts))
      throw UserError(yaml_location(starts.latest, file),
                      "found more after the end of the YAML document; allowed: one document");
    return root;
  } catch (const YAML::Exception& error) {
    throw UserError(yaml_location(error.mark, file), "not valid YAML: " + error.msg);
  }
}

Location yaml_location(const YAML::Mark& mark, const std::string& file) {
  return mark.is_null() ? Location{file} : Location{file, mark.line + 1, mark.column + 1};
}

} // namespace tandem::base
