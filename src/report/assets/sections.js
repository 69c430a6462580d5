// The page's sections of charts, for rows of one kind of result.

// What may be the horizontal axis: an input that is a number in every row (of one unit), else one with names.
function axesOf(rows) {
  return varyingInputs(rows).map((key) => {
    const values = rows.map((row) => quantity(textOf(row.inputs[key])));
    const numeric = values.every((value) => value && value[1] === values[0][1]);
    const names = numeric ? null : [...new Set(rows.map((row) => textOf(row.inputs[key])))];
    const unit = numeric && values[0][1] ? ` (${values[0][1]})` : '';
    const placeOf = (row) => numeric ? quantity(textOf(row.inputs[key]))[0] : names.indexOf(textOf(row.inputs[key]));
    const text = (place) => !numeric ? names[place] : key === 'size_bytes' ? binaryBytes(place) : digits(place);
    const label = key === 'gpus' ? 'GPUs' : key.replace(/^set\./, '');
    return {key, numeric, names, label: label + unit, place: placeOf, text};
  });
}

// GPUs where their number varies, else the first number of the study, else the first name; of strategies alone the bars
// below tell all.
const bestAxis = (axes) => axes.find((one) => one.key === 'gpus') || axes.find((one) => one.numeric)
  || axes.find((one) => one.key !== 'strategy');

// Lines of `value(row)` against an axis: a line for each setting of the other inputs that tells rows apart.
function linesOf(rows, axisOf, keys, value) {
  return grouped(rows, keys).map(([name, group]) => ({name, points: group
    .filter((row) => value(row) !== undefined).map((row) => ({x: axisOf.place(row), y: value(row), row}))}));
}

// Rate for each GPU over that of the line's smallest number of GPUs: 1 where the work spreads without loss, whether it
// grows with the cluster (weak scaling) or not (strong scaling).
function efficiencyLines(lines) {
  return lines.map((line) => {
    const first = line.points.reduce((a, b) => b.x < a.x ? b : a, line.points[0]);
    return {name: line.name, points: line.points.map((point) => ({...point, y: point.y / point.x / (first.y / first.x)}))};
  });
}

function idealOf(line) {
  const sorted = [...line.points].sort((a, b) => a.x - b.x);
  return sorted.map((point) => ({x: point.x, y: sorted[0].y * point.x / sorted[0].x}));
}

// Charts of one kind against the axis `chosen` (null: the best).
function curves(rows, kind, chosen) {
  const axes = axesOf(rows);
  const against = axes.find((one) => one.key === chosen) || bestAxis(axes);
  if (!against)
    return null;
  const keys = tellingInputs(rows, varyingInputs(rows).filter((key) => key !== against.key), [against.key]);
  const charts = [];
  const add = (chart) => {
    if (chart.lines.some((line) => line.points.length))
      charts.push(lineChart({x: {label: against.label, names: against.names, text: against.text}, ideal: null, ...chart}));
  };
  const of = (key) => linesOf(rows, against, keys, (row) => row.metrics[key]);
  const plain = (key) => {
    const {label, meaning, unit} = metricOf(kind, key);
    return {title: label, meaning, unit, lines: of(key)};
  };
  add(plain(TIMES[kind]));
  if (RATES[kind]) {
    const rate = plain(RATES[kind]);
    const spreads = kind === 'train' && against.key === 'gpus';
    add({...rate, ideal: spreads && rate.lines.length === 1 ? idealOf(rate.lines[0]) : null});
    if (spreads) {
      const lines = efficiencyLines(rate.lines);
      const xs = [...new Set(rows.map((row) => against.place(row)))].sort((a, b) => a - b);
      add({title: 'scaling efficiency', unit: 'share', lines, ideal: xs.map((x) => ({x, y: 1})),
        meaning: 'tokens per second of a GPU over those of a GPU in the smallest cluster of the line'});
    }
  }
  for (const key of ['mfu', 'speedup', 'exposed_communication_s', 'busiest_link_utilisation'])
    if (metricOf(kind, key))
      add(plain(key));
  if (kind === 'train')
    charts.push(...paretoCharts(rows, keys));
  return {axes, against, names: linesOf(rows, against, keys, timeOf).map((line) => line.name), charts};
}

// Strategies side by side: in each setting of the other inputs, how many times as fast as its first strategy.
function strategyBars(rows) {
  const inputs = varyingInputs(rows);
  if (!inputs.includes('strategy'))
    return null;
  const others = inputs.filter((key) => key !== 'strategy' && key !== 'algorithm');
  const keys = tellingInputs(rows, others, ['strategy']);
  const names = [...new Set(rows.map((row) => row.inputs.strategy))];
  const bars = [];
  for (const [label, group] of grouped(rows, keys))
    if (group.length > 1)
      for (const row of group) {
        const speedup = timeOf(group[0]) / timeOf(row);
        bars.push({row, label: [label, row.inputs.strategy].filter((word) => word).join(', '), parts: {[row.inputs.strategy]: speedup},
          note: `${digits(speedup)}× (${shown(timeOf(row), metricOf(row.kind, TIMES[row.kind]).unit)})`});
      }
  return bars.length === 0 ? null : barChart({title: 'Speed-up over the first strategy', unit: '', bars,
    names, limit: {value: 1, label: '1'},
    meaning: 'time of the first strategy of the setting over the time of this one'});
}

function breakdownBars(rows, keys) {
  const some = rows.filter((row) => Object.keys(row.breakdown).length);
  return some.length === 0 ? null : barChart({title: 'Where the time goes', unit: 's',
    names: partNames(some, (row) => row.breakdown),
    meaning: 'mean over the ranks; the parts add up to the time; exposed: a rank only communicates, for this dimension',
    limit: null, bars: some.map((row) => ({row, label: labelOf(row, keys), parts: row.breakdown, note: shown(timeOf(row),
      metricOf(row.kind, TIMES[row.kind]).unit)}))});
}

function memoryBars(rows, keys) {
  const some = rows.filter((row) => Object.keys(row.memory).length);
  const capacities = [...new Set(some.map((row) => row.capacity_bytes))];
  const known = capacities.length === 1 && capacities[0] !== null;
  return some.length === 0 ? null : barChart({title: 'Memory of a GPU at the peak', unit: 'B',
    names: partNames(some, (row) => row.memory), meaning: 'of the fullest pipeline stage, by account',
    limit: known ? {value: capacities[0], label: `capacity ${shown(capacities[0], 'B')}`} : null,
    bars: some.map((row) => ({row, label: labelOf(row, keys), parts: row.memory, note: shown(row.metrics.peak_memory_bytes, 'B') +
      (row.capacity_bytes && !known ? ` of ${shown(row.capacity_bytes, 'B')}` : '')}))});
}

// Bytes of a GPU by part; `said` is added to each row's sum.
function trafficBars(rows, keys, of, words, said = () => '') {
  const sum = (row) => Object.values(of(row)).reduce((total, value) => total + value, 0);
  const some = rows.filter((row) => sum(row) > 0);
  return some.length === 0 ? null : barChart({...words, unit: 'B', names: partNames(some, of), limit: null,
    bars: some.map((row) => ({row, label: labelOf(row, keys), parts: of(row), note: shown(sum(row), 'B') + said(row)}))});
}

const dramBars = (rows, keys) => trafficBars(rows, keys, (row) => row.dram, {title: 'DRAM traffic of a GPU',
  meaning: 'bytes that a GPU reads and writes in its memory: of the GEMM, of the reduce-scatter (rs) and of the all-gather (ag)'});

const linkBars = (rows, keys) => trafficBars(rows, keys, (row) => row.links, {title: 'Link traffic of a GPU',
  meaning: 'bytes on links over the number of GPUs, each byte on every link that it crosses: nvlink and xgmi between the GPUs of a ' +
    'node, pcie to its network cards, network between nodes'},
(row) => row.busiest_link === null ? '' : `; ${row.busiest_link} ${shown(row.metrics.busiest_link_utilisation, 'share')} used`);
