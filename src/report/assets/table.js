// The table of all points: sorts by a click or Enter on a heading, shows the rows that the filter lets through.

// Columns of the table: {label, title, value(row)}, and of some unit, factor, note(row).
function columnsOf(rows) {
  const columns = [{label: '#', title: 'number of the row; leads to how to reproduce it', value: (row) => row.number}];
  for (const key of varyingInputs(rows))
    columns.push({label: key, title: `input ${key}`, value: (row) => row.inputs[key]});
  if (rows.some((row) => row.status !== 'ok'))
    columns.push({label: 'status', title: 'ok; infeasible: no answer exists; failed; pending: not run', value: (row) => row.status,
      note: (row) => row.reason});
  for (const kind of new Set(rows.map((row) => row.kind)))
    for (const metric of data.metrics[kind]) {
      const values = rows.filter((row) => row.kind === kind && metric.key in row.metrics).map((row) => row.metrics[metric.key]);
      if (!values.length)
        continue;
      const scale = scaleOf(metric.unit, Math.max(...values.map(Math.abs)));
      columns.push({label: metric.label, unit: scale.unit, title: metric.meaning, factor: scale.factor,
        value: (row) => row.kind === kind ? row.metrics[metric.key] : undefined});
    }
  return columns;
}

function cellOf(column, row) {
  const value = column.value(row);
  if (column.label === '#')
    return html('th', {scope: 'row'}, html('a', {href: `#row-${value}`}, String(value)));
  if (value === undefined || value === null)
    return html('td', {}, '–');
  if (column.factor !== undefined)
    return html('td', {class: 'number'}, html('data', {value, title: `${value} in the file`}, fourDigits(value * column.factor)));
  return html('td', {class: quantity(value) ? 'number' : null, title: column.note ? column.note(row) : null}, String(value));
}

// Numbers by size, text by letter; what is absent comes last in either direction.
function compareCells(a, b, direction) {
  const none = (value) => value === undefined || value === null;
  if (none(a) || none(b))
    return none(a) - none(b);
  const x = quantity(a), y = quantity(b);
  if (x && y && x[1] === y[1])
    return direction * (x[0] - y[0]);
  return direction * String(a).localeCompare(String(b), 'en', {numeric: true});
}

// The table as {element, show(rows)}: show() draws these rows in the order chosen by the headings.
function pointTable(allRows) {
  const columns = columnsOf(allRows);
  const body = html('tbody');
  let rows = allRows, sorted = null, direction = 1;
  const draw = () => {
    const order = sorted ? [...rows].sort((a, b) => compareCells(sorted.value(a), sorted.value(b), direction)) : rows;
    body.replaceChildren(...order.map((row) => html('tr', {class: row.status === 'ok' ? null : 'without',
      'data-row': row.number}, columns.map((column) => cellOf(column, row)))));
  };
  const headings = columns.map((column) => {
    const name = [column.label];
    if (column.unit)
      name.push(html('small', {}, column.unit));
    const button = html('button', {type: 'button', title: `${column.title}; click to sort`}, name);
    const heading = html('th', {scope: 'col', 'aria-sort': 'none'}, button);
    button.addEventListener('click', () => {
      direction = sorted === column ? -direction : 1;
      sorted = column;
      for (const other of headings)
        other.setAttribute('aria-sort', other !== heading ? 'none' : direction > 0 ? 'ascending' : 'descending');
      draw();
    });
    return heading;
  });
  const element = html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'table of all points'},
    html('table', {id: 'points'}, [html('thead', {}, html('tr', {}, headings)), body]));
  draw();
  return {element, show: (some) => {
    rows = some;
    draw();
  }};
}

// Rows in which every word of `text` occurs; a word with '=' is an input, its status or nothing else: "tp=8".
function filtered(rows, text) {
  const wanted = text.toLowerCase().split(/\s+/).filter((word) => word);
  return rows.filter((row) => {
    const inputs = [...Object.entries(row.inputs), ['status', row.status]]
      .map(([key, value]) => `${key}=${textOf(value)}`.toLowerCase());
    const whole = `${inputs.join(' ')} ${textOf(row.reason)}`.toLowerCase();
    return wanted.every((word) => /^[^=]+=[^=]+$/.test(word) ? inputs.includes(word) : whole.includes(word));
  });
}
