// What all parts of the page use: the data, elements, numbers with units, which inputs vary.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const SVG = 'http://www.w3.org/2000/svg';

// An element with attributes and children; text children are text, never markup.
function make(space, tag, attributes, children) {
  const element = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined)
      element.setAttribute(name, value);
  for (const child of [].concat(children === undefined ? [] : children))
    element.append(child);
  return element;
}
const html = (tag, attributes, children) => make(null, tag, attributes, children);
const svg = (tag, attributes, children) => make(SVG, tag, attributes, children);

// Units of the data as they are shown: [factor, unit], the largest first that leaves the greatest value at 1 or more.
const SCALES = {
  s: [[1, 's'], [1e3, 'ms'], [1e6, 'µs']],
  us: [[1e-6, 's'], [1e-3, 'ms'], [1, 'µs']],
  B: [[1e-12, 'TB'], [1e-9, 'GB'], [1e-6, 'MB'], [1e-3, 'kB'], [1, 'B']],
  'tokens/s': [[1e-6, 'million tokens/s'], [1e-3, 'thousand tokens/s'], [1, 'tokens/s']],
  share: [[100, '%']],
};

// How values of `unit` as large as `most` are shown: {factor, unit}.
function scaleOf(unit, most) {
  const scales = SCALES[unit] || [[1, unit]];
  const [factor, shown] = scales.find(([f]) => most * f >= 1) || scales[scales.length - 1];
  return {factor, unit: shown};
}

// Four significant digits, without an exponent where there's none to save; whole where large.
function digits(value) {
  if (value === 0)
    return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-6)
    return value.toExponential(3);
  return size >= 1e4 ? Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ' ') : String(Number(value.toPrecision(4)));
}

// Sizes of messages are powers of two: 1048576 as "1 MiB".
function binaryBytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  return `${digits(value / 2 ** (10 * power))} ${units[power]}`;
}

// The same with all four digits, to stand below each other: 33.90.
function fourDigits(value) {
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e4 ? value.toPrecision(4) : digits(value);
}

const withUnit = (number, unit) => unit === '' ? number : `${number} ${unit}`;

function shown(value, unit) {
  const scale = scaleOf(unit, Math.abs(value));
  return withUnit(digits(value * scale.factor), scale.unit);
}

// "8", 8 and "25Gbps" as [number, unit]; null where text is no number.
function quantity(value) {
  if (typeof value === 'number')
    return [value, ''];
  const match = /^\s*([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z/]*)\s*$/.exec(String(value));
  return match ? [Number(match[1]), match[2]] : null;
}

const textOf = (value) => value === undefined || value === null ? '–' : String(value);

// Inputs in which the rows that have them differ, those that a study names as its axes first.
function varyingInputs(rows) {
  const keys = [];
  for (const source of data.sources)
    keys.push(...source.varying);
  for (const row of rows)
    keys.push(...Object.keys(row.inputs));
  return [...new Set(keys)].filter((key) => new Set(rows.filter((row) => key in row.inputs)
    .map((row) => textOf(row.inputs[key]))).size > 1);
}

// Of `keys` the fewest, first come first, that tell rows apart as far as all of them do, given those in `known`.
function tellingInputs(rows, keys, known) {
  const kinds = (chosen) => new Set(rows.map((row) => JSON.stringify(chosen.map((key) => textOf(row.inputs[key]))))).size;
  const all = kinds([...known, ...keys]);
  const chosen = [];
  let count = kinds(known);
  for (const key of keys) {
    if (count === all)
      break;
    const more = kinds([...known, ...chosen, key]);
    if (more > count) {
      chosen.push(key);
      count = more;
    }
  }
  return chosen;
}

// "set.device.peak.fp16" as "fp16": labels have little room, and the table has the whole name.
const shortName = (key) => key.slice(key.lastIndexOf('.') + 1);
// Inputs whose values say what they are.
const SPEAKING = new Set(['strategy', 'algorithm', 'operation', 'model', 'sublayer', 'phase', 'workload', 'platform', 'device']);
const labelOf = (row, keys) => keys.map((key) => SPEAKING.has(key) ? textOf(row.inputs[key])
  : key === 'size_bytes' && row.inputs[key] !== undefined ? binaryBytes(row.inputs[key])
  : `${shortName(key)} ${textOf(row.inputs[key])}`).join(', ');

// Rows by the values of some inputs, in the order of the rows: [[label, rows], ...].
function grouped(rows, keys) {
  const groups = new Map();
  for (const row of rows) {
    const label = labelOf(row, keys);
    if (groups.has(label))
      groups.get(label).push(row);
    else
      groups.set(label, [row]);
  }
  return [...groups];
}

const TIMES = {train: 'iteration_s', compare: 'time_s', collective: 'time_us'};
const RATES = {train: 'tokens_per_s', collective: 'busbw_gbps'};
const timeOf = (row) => row.metrics[TIMES[row.kind]];
const metricOf = (kind, key) => data.metrics[kind].find((metric) => metric.key === key);

for (const row of data.rows) {
  row.kind = data.sources[row.source].command;
  if (data.sources.length > 1)
    row.inputs = {...row.inputs, file: data.sources[row.source].file};
}
data.rows.forEach((row, index) => {
  row.number = index + 1;
});
