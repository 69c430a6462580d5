// A line chart as inline SVG. Every mark says its values on hover; the table has them all for who cannot hover.
const COLOURS = 10;
const PLOT = {width: 560, height: 320, left: 62, right: 16, top: 14, bottom: 52, marked: 24, lines: 24};

const MARKS = [
  (x, y) => svg('circle', {cx: x, cy: y, r: 4}),
  (x, y) => svg('rect', {x: x - 3.5, y: y - 3.5, width: 7, height: 7}),
  (x, y) => svg('path', {d: `M${x} ${y - 5}L${x + 5} ${y + 4}H${x - 5}Z`}),
  (x, y) => svg('path', {d: `M${x} ${y - 5}L${x + 5} ${y}L${x} ${y + 5}L${x - 5} ${y}Z`}),
];

// 0, 20, 40, ... for a linear axis; 1, 2, 5, 10, ... for a logarithmic one.
function ticksFor(low, high, log) {
  const ticks = [];
  if (log) {
    const decades = Math.log10(high / low);
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
      for (const step of decades > 3 ? [1] : [1, 2, 5])
        ticks.push(step * 10 ** power);
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  }
  const raw = (high - low) / 7;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw);
  for (let index = Math.ceil(low / step); index * step <= high * 1.0001; ++index)
    ticks.push(index * step);
  return ticks;
}

// Where values lie between two ends in pixels.
function axis(low, high, from, to, log) {
  const place = log ? Math.log : (value) => value;
  const span = place(high) - place(low) || 1;
  return (value) => from + (place(value) - place(low)) / span * (to - from);
}

// A line that goes on level until the next point's place, and then to it.
const stairs = (places) => places.map(([x, y], index) =>
  index ? `H${x.toFixed(1)}V${y.toFixed(1)}` : `M${x.toFixed(1)} ${y.toFixed(1)}`).join('');

// chart: {title, meaning, unit, x: {label, names (by value; null: numbers), text (of a value)}, lines: [{name, points: [{x, y, row}]}],
// ideal: [{x, y}] or null, front: of a Pareto chart, which draws points without lines, those that none beats}. Lines have the colours of
// their place in `lines`.
function lineChart(chart) {
  if (!chart.front)
    chart = {...chart, lines: chart.lines.slice(0, PLOT.lines)};
  const points = chart.lines.flatMap((line) => line.points);
  const xs = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const all = points.map((point) => point.y).concat((chart.ideal || []).map((point) => point.y));
  const scale = scaleOf(chart.unit, Math.max(...all.map(Math.abs)));
  const positive = Math.min(...all) > 0;
  const logX = !chart.x.names && xs[0] > 0 && xs[xs.length - 1] / xs[0] > 10;
  const logY = positive && Math.max(...all) / Math.min(...all) > 20;
  const low = logY ? Math.min(...all) * scale.factor / 1.2 : Math.min(0, ...all) * scale.factor;
  const high = (Math.max(...all) * scale.factor || 1) * (logY ? 1.2 : 1.06);
  const {width, height, left, right, top, bottom} = PLOT;
  const pad = xs.length > 1 ? 0 : 1;
  const toX = axis(xs[0] - (logX ? 0 : pad), xs[xs.length - 1] + (logX ? 0 : pad), left + 10, width - right - 10, logX);
  const toY = axis(low, high, height - bottom, top, logY);
  const drawing = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `${chart.title} against ${chart.x.label}; the values are in the table of points`});

  for (const tick of ticksFor(low, high, logY)) {
    drawing.append(svg('line', {class: 'grid', x1: left, x2: width - right, y1: toY(tick), y2: toY(tick)}),
      svg('text', {x: left - 6, y: toY(tick) + 4, 'text-anchor': 'end'}, digits(tick)));
  }
  drawing.append(svg('line', {class: 'axis', x1: left, x2: width - right, y1: height - bottom, y2: height - bottom}));
  const labelled = []; // [from, to] in pixels; the ends come first, so that they are never left out
  const marked = xs.length <= PLOT.marked || chart.x.names ? xs : ticksFor(xs[0], xs[xs.length - 1], logX);
  for (const x of [marked[marked.length - 1], ...marked.slice(0, -1)]) {
    const text = chart.x.text(x);
    const half = text.length * 3.5;
    drawing.append(svg('line', {class: 'axis', x1: toX(x), x2: toX(x), y1: height - bottom, y2: height - bottom + 4}));
    if (labelled.every(([from, to]) => toX(x) + half + 6 < from || toX(x) - half - 6 > to)) {
      drawing.append(svg('text', {x: toX(x), y: height - bottom + 18, 'text-anchor': 'middle'}, text));
      labelled.push([toX(x) - half, toX(x) + half]);
    }
  }
  drawing.append(svg('text', {class: 'name', x: (left + width - right) / 2, y: height - 10, 'text-anchor': 'middle'},
    chart.x.label));

  const path = (list) => list.map((point, index) =>
    `${index ? 'L' : 'M'}${toX(point.x).toFixed(1)} ${toY(point.y * scale.factor).toFixed(1)}`).join('');
  const front = new Set(chart.front);
  if (chart.front)
    drawing.append(svg('path', {class: 'front', d: stairs(chart.front.map((point) =>
      [toX(point.x), toY(point.y * scale.factor)]))}));
  if (chart.ideal)
    drawing.append(svg('path', {class: 'ideal', d: path(chart.ideal)}, svg('title', {}, 'ideal')));
  chart.lines.forEach((line, index) => {
    const sorted = [...line.points].sort((a, b) => a.x - b.x);
    const group = svg('g', {class: `series c${index % COLOURS}`});
    if (!chart.x.names && !chart.front) // between names there is nothing that a line could stand for
      group.append(svg('path', {class: index < COLOURS ? 'line' : 'line dashed', d: path(sorted)}));
    for (const point of sorted) {
      const mark = MARKS[index % MARKS.length](toX(point.x), toY(point.y * scale.factor));
      const x = chart.x.text(point.x);
      mark.setAttribute('data-value', point.y);
      mark.setAttribute('data-row', point.row.number);
      if (chart.front && !front.has(point))
        mark.setAttribute('class', 'beaten');
      mark.append(svg('title', {}, `${line.name ? `${line.name}\n` : ''}${chart.x.label} ${x}: ${
        withUnit(digits(point.y * scale.factor), scale.unit)}${
        front.has(point) ? '\non the front' : ''}`));
      group.append(mark);
    }
    drawing.append(group);
  });
  const unit = [scale.unit, logY ? 'logarithmic' : ''].filter((word) => word).join(', ');
  return html('figure', {class: 'chart'}, [
    html('figcaption', {title: chart.meaning}, [html('b', {}, chart.title), unit ? ` (${unit})` : '',
      chart.ideal ? '; dashed: ideal' : '', chart.front ? '; stepped line: Pareto front' : '']), drawing]);
}

// Which colour and mark each line of the charts below has.
function legend(names) {
  const items = names.slice(0, PLOT.lines).map((name, index) => {
    const sample = svg('svg', {viewBox: '0 0 28 12', width: 28, height: 12, 'aria-hidden': 'true',
      class: `series c${index % COLOURS}`});
    sample.append(svg('path', {class: index < COLOURS ? 'line' : 'line dashed', d: 'M0 6H28'}),
      MARKS[index % MARKS.length](14, 6));
    return html('li', {}, [sample, ` ${name}`]);
  });
  if (names.length > items.length)
    items.push(html('li', {}, html('em', {}, `the first ${items.length} of ${names.length} lines: filter to see others`)));
  return html('ul', {class: 'legend', 'aria-label': 'lines'}, items);
}
