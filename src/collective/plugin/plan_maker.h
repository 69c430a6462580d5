// The other side of a plugin's calls: what it may ask for becomes operations of a schedule.
#pragma once

#include "collective/composer.h"
#include "collective/plugin/tandem_plugin.h"

#include <optional>
#include <string>
#include <vector>

/// What plugins know as tandem_builder. It serves one call of why_not() or plan().
struct tandem_builder {
public:
  /// All must outlive it.
  tandem_builder(const std::string& name, const tandem::collective::Request& request,
                 const tandem::model::Cluster& cluster, const tandem::collective::Parameters& parameters)
      : name_(name), request_(request), cluster_(cluster), parameters_(parameters) {}

  /// What was wrong first, or what the plugin had to say; empty: nothing.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  void fail(const std::string& message);
  /// The plan, once the plugin has made it. Throws UserError when there is none.
  tandem::model::Schedule finish();

  // The calls of tandem_host. Each throws UserError, which ends the plan.
  const char* parameter(const char* name) const;
  void set_pieces_per_chunk(std::uint32_t pieces);
  enum class Kind { SEND, RECEIVE, REDUCE, WORK, TRIGGER, LAUNCH };
  std::uint32_t add(Kind kind, const tandem_op* op, const std::uint32_t* after, std::uint32_t after_count);
  std::uint32_t add_gemm(std::int32_t sms, const std::uint32_t* after, std::uint32_t after_count);
  void depend(std::uint32_t op, std::uint32_t on);
  std::uint32_t add_resource(const char* name, std::int32_t capacity, std::int32_t when_full, double spill_bytes);
  void set_tracker(std::uint32_t resource);
  void end_program();

private:
  using OpId = tandem::collective::OpId;
  tandem::collective::Composer& composer();
  std::uint32_t number(OpId op);
  [[nodiscard]] OpId known(std::uint32_t op, const char* what) const;
  [[nodiscard]] std::vector<OpId> known(const std::uint32_t* after, std::uint32_t count) const;
  [[nodiscard]] tandem::model::Op described(Kind kind, const tandem_op& op);
  [[nodiscard]] std::int16_t resource(std::int32_t number) const;
  void set_usual_cost(Kind kind, tandem::model::Op& op) const;

  std::string name_;
  const tandem::collective::Request& request_;
  const tandem::model::Cluster& cluster_;
  const tandem::collective::Parameters& parameters_;
  std::uint32_t pieces_per_chunk_ = 1;
  std::optional<tandem::collective::Composer> composer_;
  std::uint32_t operations_ = 0, all_operations_ = 0; ///< of the program, and of all of them
  std::int32_t resources_ = 0;
  std::string failure_;
};

namespace tandem::collective {

/// The functions that a plugin is given.
const tandem_host& plugin_host();

/// A structure of the other side's, which may be older and shorter, or newer and longer. Throws UserError when it is
/// too short to have a size.
template <class T> T whole(const T& given);

} // namespace tandem::collective
