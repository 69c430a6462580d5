// An XML file of the user's with the place of every element and attribute, checked against a table of allowed tags.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::base {

/// What an element may hold. Attributes are names separated by blanks.
struct XmlTag {
  std::string name;
  std::string required;    ///< attributes that must be there
  std::string optional;    ///< attributes that may be there
  std::string unsupported; ///< attributes that change what happens and cannot be honoured; allowed when empty
  std::string children;    ///< tags that may stand inside
  std::string refusal;     ///< not empty: the tag belongs to the format, but cannot be honoured; says why
};

class XmlFile;

/// One element; valid as long as its file. Every failure carries file:line:column.
class Element {
public:
  Element(const XmlFile& file, pugi::xml_node node) : file_(&file), node_(node) {}
  [[nodiscard]] std::string tag() const { return node_.name(); }
  [[nodiscard]] Location where() const;
  /// The place of the attribute's value, or of the element when it has no such attribute.
  [[nodiscard]] Location where(const char* attribute) const;
  [[nodiscard]] bool has(const char* attribute) const { return !node_.attribute(attribute).empty(); }
  /// The attribute's text; empty when it is absent.
  [[nodiscard]] std::string text(const char* attribute) const { return node_.attribute(attribute).value(); }
  [[nodiscard]] std::vector<Element> children() const;
  [[noreturn]] void fail(const std::string& message) const { throw UserError(where(), message); }
  [[noreturn]] void fail_at(const char* attribute, const std::string& message) const;
  /// `reader(text)` of the attribute; what it throws gets the attribute's place and name.
  template <class Reader> auto read(const char* attribute, Reader reader) const {
    try {
      return reader(text(attribute));
    } catch (const UserError& error) {
      fail_at(attribute, error.what());
    }
  }

private:
  friend class XmlFile;
  const XmlFile* file_;
  pugi::xml_node node_;
};

class XmlFile {
public:
  /// Reads and checks the file: well-formed, one root named `root`, nothing outside the table. Throws UserError.
  XmlFile(const std::string& path, const std::string& root, const std::vector<XmlTag>& tags);
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;
  ~XmlFile() = default;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Element root() const { return {*this, root_}; }

private:
  friend class Element;
  void parse();
  void check(pugi::xml_node node, const std::vector<XmlTag>& tags, int depth) const;
  void check_attributes(pugi::xml_node node, const XmlTag& tag) const;
  [[nodiscard]] Location at_offset(std::size_t offset) const;
  /// `inside` points into the parsed text, as names and values of pugixml's in-place parser do.
  [[nodiscard]] Location at(const char* inside) const;

  std::string path_;
  std::string text_;                     ///< parsed in place: names and values point into it
  std::vector<std::size_t> line_starts_; ///< offsets, ascending
  pugi::xml_document document_;
  pugi::xml_node root_;
};

/// Words of a text, separated by blanks.
std::vector<std::string> words(std::string_view text);

} // namespace tandem::base
