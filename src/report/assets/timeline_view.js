// Draws the part of a timeline that is in view on a canvas. The work grows with pixels and tracks, not with slices.
const LANE = {height: 17, process: 20, axis: 24, label: 170, gap: 2};

// Lanes from top to bottom: {y, process} of a heading, {y, track} of a track.
function lanesOf(timeline, chosen) {
  const lanes = [];
  let y = LANE.axis;
  for (const process of timeline.processes) {
    if (!chosen.has(process))
      continue;
    lanes.push({y, process});
    y += LANE.process;
    for (const track of timeline.tracks)
      if (track.process === process) {
        lanes.push({y, track});
        y += LANE.height;
      }
  }
  return {lanes, height: y + 4};
}

// Moments of `from` to `to` to write at the axis, about one every 110 pixels: [nanoseconds, text].
function timeTicks(from, to, pixels) {
  const [factor, unit] = SCALES.s.find(([f]) => (to - from) / 1e9 * f >= 1) || SCALES.s[2];
  const raw = (to - from) / Math.max(1, pixels / 110);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw);
  const decimals = Math.max(0, -Math.floor(Math.log10(step / 1e9 * factor) + 1e-9));
  const ticks = [];
  for (let index = Math.ceil(from / step); index * step <= to; ++index)
    ticks.push([index * step, `${(index * step / 1e9 * factor).toFixed(decimals)} ${unit}`]);
  return ticks;
}

// Calls draw(index, x, width) for what is to be seen of a track: each slice that is a pixel or more, and of narrower
// ones the first in each pixel.
function visibleSlices(track, view, toX, draw) {
  const perPixel = (view.to - view.from) / view.width;
  let index = Math.max(0, lastBegun(track, view.from));
  while (index < track.count && track.begin[index] < view.to) {
    const x = Math.max(LANE.label, toX(track.begin[index])), width = toX(track.end[index]) - x;
    if (track.end[index] > view.from)
      draw(index, x, Math.max(1, width));
    index = width >= 1 ? index + 1 : Math.max(index + 1, lastBegun(track, track.begin[index] + perPixel));
  }
}

function drawTimeline(canvas, timeline, state) {
  const style = getComputedStyle(canvas), colour = (name) => style.getPropertyValue(name).trim();
  const colours = Array.from({length: COLOURS}, (_, index) => colour(`--c${index}`));
  const {view, lanes, height} = state, ratio = devicePixelRatio || 1, width = LANE.label + view.width;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  pen.fillStyle = colour('--page');
  pen.fillRect(0, 0, width, height);
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  const toX = (time) => LANE.label + (time - view.from) / (view.to - view.from) * view.width;

  for (const [time, text] of timeTicks(view.from, view.to, view.width)) {
    pen.fillStyle = colour('--rule');
    pen.fillRect(Math.round(toX(time)), LANE.axis - 6, 1, height);
    pen.fillStyle = colour('--soft');
    pen.textAlign = 'center';
    if (toX(time) > LANE.label + 20 && toX(time) < width - 30)
      pen.fillText(text, toX(time), 9);
  }
  pen.textAlign = 'left';
  for (const lane of lanes) {
    if (lane.process) {
      pen.fillStyle = colour('--tint');
      pen.fillRect(0, lane.y, width, LANE.process - LANE.gap);
      pen.fillStyle = colour('--ink');
      pen.fillText(lane.process, 4, lane.y + LANE.process / 2 - 1);
      continue;
    }
    const {track, y} = lane, tall = LANE.height - LANE.gap;
    pen.save();
    pen.beginPath();
    pen.rect(LANE.label, y, view.width, LANE.height);
    pen.clip();
    visibleSlices(track, view, toX, (index, x, wide) => {
      pen.globalAlpha = state.onlyCritical && !track.critical[index] ? 0.2 : 1;
      pen.fillStyle = colours[categoryOfSlice(timeline, track, index) % COLOURS];
      pen.fillRect(x, y, wide > 3 ? wide - 0.5 : wide, tall);
      if (track.critical[index]) {
        pen.fillStyle = colour('--ink');
        pen.fillRect(x, y + tall - 3, wide, 3);
      }
      if (wide > 46) {
        pen.fillStyle = colour('--page');
        const text = nameOfSlice(timeline, track, index), room = Math.floor((wide - 6) / 5.6);
        pen.fillText(text.length > room ? `${text.slice(0, room - 1)}…` : text, x + 3, y + tall / 2);
      }
      pen.globalAlpha = 1;
    });
    if (state.chosen && state.chosen.track === track) {
      const x = toX(track.begin[state.chosen.index]);
      pen.strokeStyle = colour('--ink');
      pen.lineWidth = 2;
      pen.strokeRect(x, y + 1, Math.max(3, toX(track.end[state.chosen.index]) - x), tall - 1);
    }
    pen.restore();
    pen.fillStyle = colour('--soft');
    pen.fillText(track.thread.length > 26 ? `${track.thread.slice(0, 25)}…` : track.thread, 12, y + tall / 2);
  }
}
