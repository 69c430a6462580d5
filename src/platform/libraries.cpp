// YAML to model::Library: algorithm -> protocol -> medium, every value with its unit.
#include "platform/libraries.h"

#include "base/error.h"
#include "base/file.h"
#include "base/yaml.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <system_error>

namespace tandem::platform {

namespace {

using base::UserError;
using model::Library;
using model::Protocol;

constexpr int MOST_SMS = 4096;

class LibraryReader {
  [[noreturn]] void fail(const YAML::Node& node, const std::string& message) const {
    throw UserError(base::yaml_location(node.Mark(), path_), message);
  }

  std::string text(const YAML::Node& node, const std::string& what) const {
    if (!node.IsScalar() || node.Scalar().empty())
      fail(node, what + " must be one value");
    return node.Scalar();
  }

  template <class Parse> auto parsed(const YAML::Node& node, const std::string& key, const Parse& parse) const {
    const auto value = text(node, key);
    try {
      return parse(value);
    } catch (const UserError& error) {
      fail(node, key + ": " + error.what());
    }
  }

public:
  explicit LibraryReader(const std::string& path) : path_(path) {}

  Library read() {
    const YAML::Node root = base::load_yaml(base::read_text_file(path_, base::MOST_YAML_BYTES), path_);
    Library library;
    library.file = path_;
    each(root, "a library file", names(library_keys()), [&](const std::string& key, const YAML::Node& value) {
      if (key == "name")
        library.name = text(value, key);
      else if (key == "source")
        library.source = text(value, key);
      else if (key == "sms")
        library.sms = parsed(
            value, key, [](const std::string& t) { return static_cast<int>(base::parse_integer(t, 0, MOST_SMS)); });
      else if (key == "host_issue")
        library.host_issue = parsed(value, key, base::parse_seconds);
      else if (key == "host_per_peer")
        library.host_per_peer = parsed(value, key, base::parse_seconds);
      else
        read_algorithms(value, library);
    });
    if (library.name.empty() || library.source.empty() || library.entries.empty())
      fail(root, "a library file needs 'name', 'source' and 'algorithms'");
    return library;
  }

private:
  using Visit = std::function<void(const std::string&, const YAML::Node&)>;

  static std::vector<std::string> names(const std::vector<LibraryKey>& keys) {
    std::vector<std::string> list;
    for (const auto& key : keys)
      list.emplace_back(key.name);
    return list;
  }

  /// The entries of a map, each key once and one of `known` (empty: any).
  void each(const YAML::Node& map, const std::string& what, const std::vector<std::string>& known,
            const Visit& visit) const {
    if (!map.IsMap())
      fail(map, what + " is a map of keys");
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const auto key = text(entry.first, "a key");
      if (!known.empty() && std::find(known.begin(), known.end(), key) == known.end())
        fail(entry.first, base::unknown_word("key", key, known));
      if (!seen.insert(key).second)
        fail(entry.first, fmt::format("key {} is given twice", base::in_quotes(key)));
      visit(key, entry.second);
    }
  }

  void read_algorithms(const YAML::Node& map, Library& library) const {
    each(map, "algorithms", {}, [&](const std::string& algorithm, const YAML::Node& protocols) {
      each(protocols, "an algorithm", {}, [&](const std::string& name, const YAML::Node& values) {
        library.entries.push_back({algorithm, read_protocol(name, values)});
      });
    });
  }

  Protocol read_protocol(const std::string& name, const YAML::Node& map) const {
    Protocol protocol{.name = name};
    auto known = names(protocol_keys());
    for (std::size_t medium = 0; medium < model::MEDIA; ++medium)
      known.push_back(model::medium_name(static_cast<model::Medium>(medium)));
    each(map, "a protocol", known, [&](const std::string& key, const YAML::Node& value) {
      if (key == "base")
        protocol.base = parsed(value, key, base::parse_seconds);
      else
        protocol.hops[static_cast<std::size_t>(model::medium_of(key))] = read_hop(value);
    });
    return protocol;
  }

  Protocol::Hop read_hop(const YAML::Node& map) const {
    Protocol::Hop hop{.is_known = true};
    each(map, "a medium", names(hop_keys()), [&](const std::string& key, const YAML::Node& value) {
      if (key == "latency")
        hop.latency = parsed(value, key, base::parse_seconds);
      else if (key == "rate")
        hop.rate = parsed(value, key, base::parse_bandwidth);
      else
        hop.wire_factor = parsed(value, key, [](const std::string& t) {
          const double factor = base::parse_number(t);
          if (factor < 1.0)
            throw UserError(base::in_quotes(t) + " is out of range; allowed: 1 or more");
          return factor;
        });
    });
    return hop;
  }

  std::string path_;
};

} // namespace

std::shared_ptr<const Library> read_library(const std::string& path) {
  return std::make_shared<const Library>(LibraryReader(path).read());
}

std::shared_ptr<const Library> find_library(const std::string& name, const std::vector<std::string>& folders) {
  std::set<std::string> known;
  for (const auto& folder : folders) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      if (entry.path().extension() == ".yaml") {
        known.insert(entry.path().stem());
        if (entry.path().stem() == name)
          return read_library(entry.path());
      }
  }
  throw UserError(fmt::format("{} (searched: {})", base::unknown_word("library", name, {known.begin(), known.end()}),
                              folders.empty() ? "nowhere" : fmt::format("{}", fmt::join(folders, ", "))));
}

std::string library_text(const Library& library) {
  std::string source = library.source;
  std::replace(source.begin(), source.end(), '"', '\'');
  auto text =
      fmt::format("name: {}\nsource: \"{}\"\nsms: {}\nhost_issue: {:.9g} s\nhost_per_peer: {:.9g} s\nalgorithms:\n",
                  library.name, source, library.sms, library.host_issue.value(), library.host_per_peer.value());
  std::string algorithm;
  for (const auto& entry : library.entries) {
    if (entry.algorithm != algorithm)
      text += fmt::format("  {}:\n", entry.algorithm);
    algorithm = entry.algorithm;
    text += fmt::format("    {}: {{base: {:.9g} s", entry.protocol.name, entry.protocol.base.value());
    for (std::size_t medium = 0; medium < model::MEDIA; ++medium) {
      const auto& hop = entry.protocol.hops[medium];
      if (!hop.is_known)
        continue;
      text += fmt::format(", {}: {{latency: {:.9g} s, wire_factor: {:.9g}",
                          model::medium_name(static_cast<model::Medium>(medium)), hop.latency.value(), hop.wire_factor);
      text += hop.rate.value() > 0.0 ? fmt::format(", rate: {:.9g} B/s}}", hop.rate.value()) : "}";
    }
    text += "}\n";
  }
  return text;
}

const std::vector<LibraryKey>& library_keys() {
  static const std::vector<LibraryKey> keys{
      {"name", "text", "name of the library; the file is name.yaml"},
      {"source", "text", "where the numbers come from"},
      {"sms", "whole number", "SMs of a collective's kernel; 0: all"},
      {"host_issue", "time, as 4us",
       "that a process needs to start a collective on one of its GPUs; those of a process follow each other"},
      {"host_per_peer", "time, as 1us", "more of it for each peer of an all-to-all"},
      {"algorithms", "map", "algorithm (ring, tree, nvls, direct) -> protocol (LL, LL128, Simple) -> its costs"}};
  return keys;
}

const std::vector<LibraryKey>& protocol_keys() {
  static const std::vector<LibraryKey> keys{
      {"base", "time, as 7us", "from the start of the collective to its first message; in place of kernel_launch"}};
  return keys;
}

const std::vector<LibraryKey>& hop_keys() {
  static const std::vector<LibraryKey> keys{
      {"latency", "time, as 600ns", "of a message, beside the latency of the links"},
      {"rate", "bandwidth, as 200GBps", "of the data that a rank sends over this medium at most; none: links limit"},
      {"wire_factor", "number, 1 or more", "bytes on the links per byte of data: flags, headers"}};
  return keys;
}

} // namespace tandem::platform
