// Which points no other beats in both of two numbers, and their charts.

// Of {x, y} those that no other is as good as or better than in both, the less the better, by x.
function frontOf(points) {
  const front = [];
  for (const point of [...points].sort((a, b) => a.x - b.x || a.y - b.y))
    if (!front.length || point.y < front[front.length - 1].y)
      front.push(point);
  return front;
}

// Seconds that rows may be compared by: of an iteration where all have the same work, else of a million tokens.
function costOf(rows) {
  const tokens = rows.map((row) => row.metrics.iteration_s * row.metrics.tokens_per_s);
  const same = tokens.every((one) => Math.abs(one / tokens[0] - 1) < 1e-6);
  return same ? {title: 'iteration', of: (row) => row.metrics.iteration_s}
    : {title: 'time for a million tokens', of: (row) => 1e6 / row.metrics.tokens_per_s};
}

// Charts of time against memory and against GPUs, of the rows of `train`, coloured by the inputs `keys`.
function paretoCharts(rows, keys) {
  const some = rows.filter((row) => row.kind === 'train');
  const {title, of} = some.length > 1 ? costOf(some) : {};
  const against = [{name: 'memory', label: 'peak memory of a GPU', of: (row) => row.metrics.peak_memory_bytes, text: (x) => shown(x, 'B')},
    {name: 'GPUs', label: 'GPUs', of: (row) => row.inputs.gpus, text: digits}];
  return against.filter((x) => new Set(some.map(x.of)).size > 1).map((x) => {
    const lines = grouped(some, keys).map(([name, group]) => ({name, points: group.map((row) => ({x: x.of(row), y: of(row), row}))}));
    return lineChart({title: `${title} against ${x.name}`, unit: 's', x: {label: x.label, names: null, text: x.text}, lines, ideal: null,
      front: frontOf(lines.flatMap((line) => line.points)),
      meaning: 'Pareto front: of the points on the stepped line none is beaten in both by another; less is better'});
  });
}
