// Horizontal bars of one or several parts as inline SVG, one bar per row.
const BARS = {width: 1100, widest: 400, height: 20, most: 60};

// Pixels that a text of a bar chart takes.
const ruler = document.createElement('canvas').getContext('2d');
ruler.font = '11.5px system-ui, sans-serif';
const widthOf = (text) => ruler.measureText(text).width;
const widest = (texts) => Math.max(0, ...texts.map(widthOf));

// `text` without as much of its begin as does not fit into `room` pixels.
function endOf(text, room) {
  let from = 0;
  while (widthOf(`…${text.slice(from)}`) > room && from < text.length)
    ++from;
  return from ? `…${text.slice(from)}` : text;
}

// Parts in the order in which the rows first have them, without those that are nought everywhere.
function partNames(rows, of) {
  const names = new Set();
  for (const row of rows)
    for (const [name, value] of Object.entries(of(row)))
      if (value > 0)
        names.add(name);
  return [...names];
}

const words = (key) => key.replace(/_s$/, '').replace(/_/g, ' ');

// chart: {title, meaning, unit, bars: [{label, parts: {name: value}, note, row}], names: of parts, which give the colours,
// limit: {value, label} or null}. Of more bars than fit, the first are drawn and the caption says so.
function barChart(chart) {
  const bars = chart.bars.slice(0, BARS.most);
  const sum = (bar) => Object.values(bar.parts).reduce((total, value) => total + value, 0);
  const most = Math.max(...bars.map(sum), chart.limit ? chart.limit.value : 0) || 1;
  const {width, height} = BARS;
  const label = Math.min(BARS.widest, widest(bars.map((bar) => bar.label))) + 16;
  const note = Math.max(widest(bars.map((bar) => bar.note)) + 12, chart.limit ? widthOf(chart.limit.label) / 2 : 0);
  const toX = axis(0, most, label, width - note, false);
  const bottom = bars.length * height + 4;
  const drawing = svg('svg', {viewBox: `0 0 ${width} ${bottom + (chart.limit ? 18 : 2)}`, role: 'img', class: 'bars',
    'aria-label': `${chart.title}; the values are in the table of points`});
  bars.forEach((bar, index) => {
    const y = index * height + 4;
    drawing.append(svg('text', {x: label - 8, y: y + 13, 'text-anchor': 'end'},
      [endOf(bar.label, BARS.widest + 1), svg('title', {}, bar.label)]));
    let from = 0;
    for (const [name, value] of Object.entries(bar.parts)) {
      if (!(value > 0))
        continue;
      const share = `${digits(100 * value / sum(bar))} %`;
      const part = svg('rect', {class: `part c${chart.names.indexOf(name) % COLOURS}`, x: toX(from), y,
        width: Math.max(0.5, toX(from + value) - toX(from)), height: height - 5, 'data-value': value, 'data-row': bar.row.number});
      part.append(svg('title', {}, `${bar.label}\n${words(name)}: ${shown(value, chart.unit)}${
        Object.keys(bar.parts).length > 1 ? ` (${share})` : ''}`));
      drawing.append(part);
      from += value;
    }
    drawing.append(svg('text', {x: toX(from) + 6, y: y + 13}, bar.note));
  });
  if (chart.limit) {
    const x = toX(chart.limit.value);
    drawing.append(svg('line', {class: 'limit', x1: x, x2: x, y1: 0, y2: bottom}),
      svg('text', {x, y: bottom + 12, 'text-anchor': 'middle'}, chart.limit.label));
  }
  const caption = [html('b', {}, chart.title)];
  if (chart.bars.length > bars.length)
    caption.push(`; the first ${bars.length} of ${chart.bars.length}: filter to see others`);
  const figure = html('figure', {class: 'chart wide'}, html('figcaption', {title: chart.meaning}, caption));
  if (chart.names.length > 1)
    figure.append(html('ul', {class: 'legend', 'aria-label': 'parts'}, chart.names.map((name, index) => {
      const sample = svg('svg', {viewBox: '0 0 12 12', width: 12, height: 12, 'aria-hidden': 'true'});
      sample.append(svg('rect', {class: `part c${index % COLOURS}`, width: 12, height: 12}));
      return html('li', {}, [sample, ` ${words(name)}`]);
    })));
  figure.append(drawing);
  return figure;
}
