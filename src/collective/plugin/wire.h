// Values as bytes and back, from a forked child to its parent: the same program, so that the machine's own
// representation will do. The reader believes nothing.
//
// A structure has one function `fields(wire, value)` that names its fields; it serves both ways.
#pragma once

#include "base/error.h"
#include "base/units.h"

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tandem::collective {

/// T may be const, as the writer has it.
template <class T, class Plain>
concept Like = std::same_as<std::remove_const_t<T>, Plain>;

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<std::remove_const_t<T>, bool>;

class WireWriter {
public:
  template <class... Values> void operator()(const Values&... values) { (put(values), ...); }
  /// An enumerator; `last` is the highest that there is.
  template <class Enum> void choice(const Enum& value, Enum /*last*/) { put(static_cast<std::uint8_t>(value)); }
  template <class Enum> void choice(const std::optional<Enum>& value, Enum last) {
    put(value.has_value());
    if (value)
      choice(*value, last);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
  void put(const Number auto& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(bool value) { bytes_ += value ? '\1' : '\0'; }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <class Dimension> void put(const base::Quantity<Dimension>& quantity) { put(quantity.value()); }
  template <class T> void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value)
      put(*value);
  }
  template <class T> void put(const std::vector<T>& list) {
    put(std::uint64_t{list.size()});
    for (const auto& value : list)
      put(value);
  }
  template <class T>
  requires std::is_class_v<T>
  void put(const T& value) { fields(*this, value); }

  std::string bytes_;
};

/// Throws UserError on bytes that a WireWriter did not make for the same values.
class WireReader {
public:
  explicit WireReader(const std::string& bytes) : bytes_(bytes) {}
  template <class... Values> void operator()(Values&... values) { (get(values), ...); }
  template <class Enum> void choice(Enum& value, Enum last) {
    std::uint8_t number = 0;
    get(number);
    if (number > static_cast<std::uint8_t>(last))
      fail();
    value = static_cast<Enum>(number);
  }
  template <class Enum> void choice(std::optional<Enum>& value, Enum last) {
    bool present = false;
    get(present);
    value.reset();
    if (present)
      choice(value.emplace(), last);
  }
  /// All has been read.
  void end() const {
    if (at_ != bytes_.size())
      fail();
  }
  [[noreturn]] static void fail() { throw base::UserError("it answered with something that is no plan"); }

private:
  void take(void* to, std::size_t size) {
    if (size > bytes_.size() - at_)
      fail();
    std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }
  /// A number of things to follow, of a byte or more each.
  std::size_t count() {
    std::uint64_t size = 0;
    get(size);
    if (size > bytes_.size() - at_)
      fail();
    return static_cast<std::size_t>(size);
  }
  void get(Number auto& value) { take(&value, sizeof value); }
  void get(bool& value) {
    std::uint8_t number = 0;
    get(number);
    if (number > 1)
      fail();
    value = number == 1;
  }
  void get(std::string& text) {
    text.resize(count());
    take(text.data(), text.size());
  }
  template <class Dimension> void get(base::Quantity<Dimension>& quantity) {
    double value = 0.0;
    get(value);
    quantity = base::Quantity<Dimension>(value);
  }
  template <class T> void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    value.reset();
    if (present)
      get(value.emplace());
  }
  template <class T> void get(std::vector<T>& list) {
    const auto size = count();
    list.clear();
    for (std::size_t i = 0; i < size; ++i)
      get(list.emplace_back());
  }
  template <class T>
  requires std::is_class_v<T>
  void get(T& value) { fields(*this, value); }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

} // namespace tandem::collective
