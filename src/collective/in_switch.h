// Sums and copies in the switch of a group: a sum leaves it once, a copy reaches it once.
#pragma once

#include "collective/group.h"

namespace tandem::collective {

/// Each member's LOCAL of the others' shares goes as far as the switch, which adds: the sum of the own share comes into
/// LOCAL, with the last of the messages that make it. Sends wait for `ready`, receives for `begin`. Returns what has
/// come in.
std::vector<OpId> append_switch_sums(Composer& composer, const GroupPhase& phase, OpId begin,
                                     const std::vector<OpId>& ready);

/// The own share in `source` reaches the switch once, and each other member's RESULT has a copy of it. As above.
std::vector<OpId> append_switch_copies(Composer& composer, const GroupPhase& phase, model::Sources source, OpId begin,
                                       const std::vector<OpId>& ready);

} // namespace tandem::collective
