// A timeline as the page holds it, made columns again, and what lies where in it. Times are nanoseconds.

// Numbers of a column: base64 of LEB128.
class Numbers {
  constructor(base64) {
    this.text = atob(base64);
    this.at = 0;
  }
  next() {
    let value = 0, place = 1, byte = 0;
    do {
      byte = this.text.charCodeAt(this.at++);
      value += (byte & 127) * place; // shifts would end at 32 bits
      place *= 128;
    } while (byte > 127);
    return value;
  }
}

function readTrack(raw) {
  const count = raw.count, numbers = new Numbers(raw.slices);
  const track = {process: raw.process, thread: raw.thread, count, begin: new Float64Array(count), end: new Float64Array(count),
    kind: new Uint32Array(count), batch: new Int32Array(count), critical: new Uint8Array(count)};
  let begin = 0;
  for (let i = 0; i < count; ++i) {
    begin += numbers.next();
    track.begin[i] = begin;
    track.end[i] = begin + numbers.next();
    track.kind[i] = numbers.next();
    const mark = numbers.next();
    track.batch[i] = (mark >> 1) - 1;
    track.critical[i] = mark & 1;
  }
  return track;
}

// {file, names, categories, arguments, kinds: [name, category, arguments, name, ...], tracks, processes: names, end}.
function readTimeline(raw) {
  const numbers = new Numbers(raw.kinds), kinds = [];
  while (numbers.at < numbers.text.length)
    kinds.push(numbers.next());
  const tracks = raw.tracks.map(readTrack);
  return {...raw, kinds, tracks, processes: [...new Set(tracks.map((track) => track.process))],
    end: tracks.reduce((latest, track) => track.end.reduce((a, b) => Math.max(a, b), latest), 0)};
}

// The last slice that begins at or before `time`; -1: none does.
function lastBegun(track, time) {
  let low = 0, high = track.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.begin[middle] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

const nameOfSlice = (timeline, track, index) => timeline.names[timeline.kinds[3 * track.kind[index]]];
const categoryOfSlice = (timeline, track, index) => timeline.kinds[3 * track.kind[index] + 1];
const argumentsOfSlice = (timeline, track, index) => timeline.arguments[timeline.kinds[3 * track.kind[index] + 2]];

// All that is known of a slice, in words.
function wordsOfSlice(timeline, track, index) {
  const words = [`${nameOfSlice(timeline, track, index)} (${timeline.categories[categoryOfSlice(timeline, track, index)]})`,
    `${shown((track.end[index] - track.begin[index]) / 1e9, 's')} from ${shown(track.begin[index] / 1e9, 's')}`, track.process];
  if (track.batch[index] >= 0)
    words.push(`micro-batch ${track.batch[index]}`);
  for (const [key, value] of Object.entries(argumentsOfSlice(timeline, track, index)))
    words.push(`${key} ${key === 'bytes' ? shown(value, 'B') : value}`);
  if (track.critical[index])
    words.push('on the critical path');
  return words.join(' · ');
}
