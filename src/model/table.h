// A numbered list of which some entries are stored and the rest computed when asked: a cluster of 100,000 GPUs names a
// million links, and a run looks at few of them.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tandem::model {

/// Entries beyond the stored ones. Pure: the same number gives the same entry.
template <class Entry> class EntrySource {
public:
  virtual ~EntrySource() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Precondition: number < size().
  [[nodiscard]] virtual Entry entry(std::size_t number) const = 0;
};

/// Reads like a const vector, but by value; what is to be changed is changed in stored().
template <class Entry> class Table {
public:
  Table() = default;
  Table(std::initializer_list<Entry> entries) : stored_(entries) {}
  /// The source's entries and no others.
  explicit Table(std::shared_ptr<const EntrySource<Entry>> source) : source_(std::move(source)) {}

  [[nodiscard]] std::size_t size() const { return stored_.size() + (source_ ? source_->size() : 0); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// Throws Bug beyond the end.
  [[nodiscard]] Entry operator[](std::size_t number) const {
    if (number < stored_.size())
      return stored_[number];
    if (number >= size())
      throw base::Bug("entry " + std::to_string(number) + " of a table of " + std::to_string(size()));
    return source_->entry(number - stored_.size());
  }
  [[nodiscard]] Entry at(std::size_t number) const { return (*this)[number]; }
  [[nodiscard]] Entry front() const { return (*this)[0]; }

  /// The entries that are not computed, to change them. Only where there is no source may entries be added.
  [[nodiscard]] std::vector<Entry>& stored() { return stored_; }
  void push_back(Entry entry) { stored_.push_back(std::move(entry)); }

  class Iterator {
  public:
    using iterator_category = std::input_iterator_tag; // NOLINT(readability-identifier-naming)
    using value_type = Entry;                          // NOLINT(readability-identifier-naming)
    using difference_type = std::ptrdiff_t;            // NOLINT(readability-identifier-naming)
    using pointer = void;                              // NOLINT(readability-identifier-naming)
    using reference = Entry;                           // NOLINT(readability-identifier-naming)
    Iterator(const Table& table, std::size_t number) : table_(&table), number_(number) {}
    Entry operator*() const { return (*table_)[number_]; }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return number_ == other.number_; }

  private:
    const Table* table_;
    std::size_t number_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

private:
  std::vector<Entry> stored_;
  std::shared_ptr<const EntrySource<Entry>> source_;
};

} // namespace tandem::model
