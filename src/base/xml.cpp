// pugixml's in-place parser leaves names and values inside our buffer: their addresses give line and column.
#include "base/xml.h"

#include "base/file.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace tandem::base {

namespace {

constexpr int DEEPEST = 64; // nested elements; a real platform has fewer than ten

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

} // namespace

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0)
      result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

Location Element::where() const {
  return file_->at(node_.name());
}

Location Element::where(const char* attribute) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  return found.empty() ? where() : file_->at(*found.value() == '\0' ? found.name() : found.value());
}

std::vector<Element> Element::children() const {
  std::vector<Element> result;
  for (const pugi::xml_node child : node_.children())
    result.emplace_back(*file_, child);
  return result;
}

void Element::fail_at(const char* attribute, const std::string& message) const {
  throw UserError(where(attribute), fmt::format("{} of <{}>: {}", attribute, tag(), message));
}

XmlFile::XmlFile(const std::string& path, const std::string& root, const std::vector<XmlTag>& tags)
    : path_(path), text_(read_text_file(path)) {
  parse();
  for (const pugi::xml_node node : document_.children()) {
    if (node.type() != pugi::node_element)
      throw UserError(at(node.value()), fmt::format("text outside of <{}>", root));
    if (!root_.empty())
      throw UserError(at(node.name()), fmt::format("a second root element <{}>", node.name()));
    root_ = node;
  }
  if (root_.empty())
    throw UserError(Location{path_, 1, 1}, fmt::format("the file is empty; allowed: a <{}> element", root));
  if (root_.name() != root)
    throw UserError(at(root_.name()), unknown_word("root element", root_.name(), {root}));
  check(root_, tags, 0);
}

void XmlFile::parse() {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n')
      line_starts_.push_back(i + 1);
    if (text_[i] == '\0')
      throw UserError(at_offset(i), "the file holds a zero byte; allowed: XML text in UTF-8");
  }
  // parse_fragment keeps text outside of the root, so that it can be refused
  const pugi::xml_parse_result result = document_.load_buffer_inplace(
      text_.data(), text_.size(), pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
  if (!result)
    throw UserError(at_offset(std::min(static_cast<std::size_t>(result.offset), text_.size())),
                    fmt::format("not valid XML: {}", result.description()));
}

void XmlFile::check(pugi::xml_node node, const std::vector<XmlTag>& tags, int depth) const {
  const auto tag = std::ranges::find(tags, node.name(), &XmlTag::name);
  if (tag == tags.end())
    throw Bug(fmt::format("tag <{}> is allowed as a child, but not in the table", node.name()));
  if (!tag->refusal.empty())
    throw UserError(at(node.name()), fmt::format("<{}> is not supported: {}", tag->name, tag->refusal));
  if (depth > DEEPEST)
    throw UserError(at(node.name()), fmt::format("more than {} elements inside one another", DEEPEST));
  check_attributes(node, *tag);
  const std::vector<std::string> allowed = words(tag->children);
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element)
      throw UserError(at(child.value()), fmt::format("text {} inside of <{}>", in_quotes(child.value()), tag->name));
    if (!contains(allowed, child.name()))
      throw UserError(at(child.name()),
                      unknown_word(fmt::format("element inside of <{}>", tag->name), child.name(), allowed));
    check(child, tags, depth + 1);
  }
}

void XmlFile::check_attributes(pugi::xml_node node, const XmlTag& tag) const {
  const std::vector<std::string> required = words(tag.required);
  const std::vector<std::string> unsupported = words(tag.unsupported);
  std::vector<std::string> allowed = required;
  std::ranges::copy(words(tag.optional), std::back_inserter(allowed));
  std::vector<std::string> seen;
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string name = attribute.name();
    if (contains(unsupported, name)) {
      if (*attribute.value() != '\0')
        throw UserError(at(attribute.name()),
                        fmt::format("attribute '{}' of <{}> is not supported: nothing that changes with time or "
                                    "position is read from a platform file",
                                    name, tag.name));
      continue;
    }
    if (!contains(allowed, name))
      throw UserError(at(attribute.name()), unknown_word(fmt::format("attribute of <{}>", tag.name), name, allowed));
    if (contains(seen, name))
      throw UserError(at(attribute.name()), fmt::format("attribute '{}' of <{}> is given twice", name, tag.name));
    seen.push_back(name);
  }
  for (const std::string& name : required) {
    if (!contains(seen, name))
      throw UserError(at(node.name()), fmt::format("<{}> lacks the attribute '{}'", tag.name, name));
  }
}

Location XmlFile::at_offset(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(line_starts_, offset);
  const auto line = static_cast<std::size_t>(next - line_starts_.begin());
  return {path_, static_cast<int>(line), static_cast<int>(offset - line_starts_[line - 1] + 1)};
}

Location XmlFile::at(const char* inside) const {
  const std::less<const char*> before;
  if (before(inside, text_.data()) || before(text_.data() + text_.size(), inside))
    return {path_};
  return at_offset(static_cast<std::size_t>(inside - text_.data()));
}

} // namespace tandem::base
