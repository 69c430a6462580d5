// Fits constants: one after the other, by ever smaller steps, each change kept if the misfit gets less.
#pragma once

#include <array>
#include <utility>
#include <vector>

namespace tandem::study {

/// The state of least misfit that is reached from `state`. A knob is `knob(state, factor)`: it multiplies one constant
/// of the state. `misfit(state)` is what is to be small. Pure: the same arguments give the same state.
template <typename State, typename Knob, typename Misfit>
State descend(State state, const std::vector<Knob>& knobs, const Misfit& misfit) {
  constexpr std::array STEPS{2.0, 1.4, 1.15, 1.05, 1.015};
  constexpr int MOST_ROUNDS = 60; // per step; it is left as soon as nothing gets better
  double best = misfit(state);
  for (const double step : STEPS)
    for (int round = 0; round < MOST_ROUNDS; ++round) {
      const double before = best;
      for (const auto& knob : knobs)
        for (const double factor : {step, 1.0 / step}) {
          State changed = state;
          knob(changed, factor);
          if (const double now = misfit(changed); now < best) {
            best = now;
            state = std::move(changed);
          }
        }
      if (best >= before)
        break;
    }
  return state;
}

} // namespace tandem::study
