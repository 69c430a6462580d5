// A read and a write of the payload behind a launch; docs/models.md, "Collectives".
#include "collective/copy_of_one.h"

#include "collective/composer.h"

namespace tandem::collective {

using model::Access;
using model::CollectiveKind;
using model::Phase;

bool is_copy_of_one(const model::CollectiveOp& op) {
  return op.ranks == 1 && op.kind != CollectiveKind::BARRIER && op.bytes.value() > 0.0;
}

model::Schedule copy_of_one(const Request& request, const model::Cluster& cluster) {
  Composer composer("copy", request, cluster);
  composer.add({.phase = Phase::OTHER,
                .stream = model::Stream::COMMUNICATION,
                .label = composer.label("copy"),
                .delay = composer.device().kernel_launch,
                .traffic = {{Phase::OTHER, Access::READ, 1.0, {}}, {Phase::OTHER, Access::WRITE, 1.0, {}}},
                .effect = {model::FROM_LOCAL, model::Buffer::RESULT, false, composer.all()}},
               {});
  auto schedule = composer.finish(request.op.kind);
  schedule.algorithm = "copy";
  return schedule;
}

} // namespace tandem::collective
