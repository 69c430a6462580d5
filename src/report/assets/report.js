// The page from top to bottom: what was simulated, filter, charts, timelines, table, what has no result, how to reproduce, terms.
const main = document.getElementById('report');
const KIND_NAMES = {train: 'Training iterations', compare: 'Sub-layers', collective: 'Collectives'};
// Facts that tell what was simulated; the others are settings, which few look for.
const MAIN_FACTS = new Set(['file', 'command', 'version', 'model', 'workload', 'platform', 'device', 'gpus', 'plan', 'peak', 'operation',
  'ranks', 'library', 'baseline', 'interrupted']);
const heading = (text) => html('h2', {}, text);

function simulated() {
  const blocks = data.sources.map((source, index) => {
    const rows = data.rows.filter((row) => row.source === index);
    const list = html('dl', {class: 'facts'});
    const settings = html('dl', {class: 'facts'});
    const add = (name, value) => (MAIN_FACTS.has(name) ? list : settings).append(html('div', {}, [html('dt', {}, name), html('dd', {}, value)]));
    add('file', source.file);
    add('command', `tandem ${source.command}${source.study ? ', as a study' : ''}`);
    for (const [name, value] of Object.entries(source.facts))
      add(name, value);
    const children = [html('h3', {}, source.title), list];
    if (settings.childElementCount)
      children.push(html('details', {}, [html('summary', {}, 'settings that all rows share'), settings]));
    if (source.assumed.length)
      children.push(html('p', {}, [html('b', {}, 'Numbers without a source that these results rest on: '),
        source.assumed.join(', ')]));
    const states = ['ok', 'infeasible', 'failed', 'pending'].map((state) =>
      [rows.filter((row) => row.status === state).length, state]).filter(([count]) => count);
    children.splice(1, 0, html('p', {}, `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}: ${states.map((pair) => pair.join(' ')).join(', ')}`));
    return html('article', {}, children);
  });
  return html('section', {'aria-label': 'what was simulated'}, [heading('What was simulated'), ...blocks]);
}

// The charts of one kind of result; redrawn for the rows that the filter lets through.
function chartSection(kind) {
  const inside = html('div');
  let chosen = null, rows = [];
  const draw = () => {
    inside.replaceChildren();
    if (rows.length === 0) {
      inside.append(html('p', {}, 'No row with a result to draw.'));
      return;
    }
    const keys = tellingInputs(rows, varyingInputs(rows), []);
    const found = curves(rows, kind, chosen);
    if (found && found.charts.length) {
      const select = html('select', {}, found.axes.map((one) => html('option', {value: one.key}, one.label)));
      select.value = found.against.key;
      select.addEventListener('change', () => {
        chosen = select.value;
        draw();
        inside.querySelector('select').focus();
      });
      inside.append(html('p', {class: 'control'}, html('label', {}, ['horizontal axis ', select])));
      if (found.names.length > 1)
        inside.append(legend(found.names));
      inside.append(html('div', {class: 'charts'}, found.charts));
    }
    for (const chart of [strategyBars(rows), breakdownBars(rows, keys), memoryBars(rows, keys), dramBars(rows, keys), linkBars(rows, keys)])
      if (chart)
        inside.append(chart);
  };
  const element = html('section', {'aria-label': KIND_NAMES[kind]}, [heading(KIND_NAMES[kind]), inside]);
  return {element, show: (some) => {
    rows = some.filter((row) => row.kind === kind && row.status === 'ok');
    draw();
  }};
}

function withoutResult() {
  const rows = data.rows.filter((row) => row.status !== 'ok');
  if (rows.length === 0)
    return [];
  const keys = varyingInputs(data.rows);
  return [html('section', {'aria-label': 'without a result'}, [heading('Points without a result'),
    html('ul', {id: 'without'}, rows.map((row) => html('li', {}, [html('b', {}, row.status), ` ${labelOf(row, keys.filter((key) =>
      row.inputs[key] !== undefined))}: ${textOf(row.reason)}`])))])];
}

function reproduce() {
  const list = html('dl', {id: 'commands'});
  for (const row of data.rows)
    list.append(html('dt', {id: `row-${row.number}`}, `row ${row.number}${row.point === null ? '' : `, point ${row.point}`}`),
      html('dd', {}, row.command ? html('code', {}, row.command) : row.status === 'ok' ? 'the file does not hold its command'
        : 'there is no command'));
  const details = html('details', {}, [html('summary', {}, 'Command of each row'), list]);
  const open = () => {
    if (/^#row-\d+$/.test(location.hash)) {
      details.open = true;
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    }
  };
  addEventListener('hashchange', open);
  main.addEventListener('click', (event) => {
    const mark = event.target.closest('svg [data-row]'); // a mark or bar leads to its command, as its row in the table does
    if (mark)
      location.hash = `row-${mark.dataset.row}`;
  });
  addEventListener('beforeprint', () => {
    for (const one of document.querySelectorAll('details'))
      one.open = true;
  });
  queueMicrotask(open);
  return html('section', {'aria-label': 'how to reproduce'}, [heading('How to reproduce'), html('p', {},
    'Paths are as the study or the command wrote them: run from the folder that it ran in.'), details]);
}

function terms() {
  const list = html('dl', {class: 'terms'});
  for (const kind of new Set(data.rows.map((row) => row.kind)))
    for (const {key, label, meaning} of data.metrics[kind])
      if (data.rows.some((row) => row.kind === kind && key in row.metrics))
        list.append(html('dt', {}, label), html('dd', {}, meaning));
  return html('section', {'aria-label': 'terms'}, [heading('Terms'), list]);
}

function assemble() {
  const kinds = [...new Set(data.rows.map((row) => row.kind))].map(chartSection);
  const table = pointTable(data.rows);
  const timelines = data.timelines.map((raw) => new TimelineSection(raw));
  const count = html('output', {for: 'filter'});
  const box = html('input', {type: 'search', id: 'filter', placeholder: 'tp=8 t3-mca', autocomplete: 'off'});
  const show = () => {
    const rows = filtered(data.rows, box.value);
    count.textContent = `${rows.length} of ${data.rows.length} rows`;
    for (const part of [...kinds, table])
      part.show(rows);
  };
  box.addEventListener('input', show);
  const nothing = data.rows.length ? null : '';
  main.replaceChildren(...data.rows.length ? [simulated()] : [],
    html('p', {class: 'control filter', hidden: nothing}, [html('label', {for: 'filter'}, 'filter charts and table '), box, ' ', count]),
    ...kinds.map((kind) => kind.element), ...timelines.map((timeline) => timeline.element),
    html('section', {'aria-label': 'all points', hidden: nothing}, [heading('All points'),
      html('p', {}, 'A heading sorts; hover over it for its definition, over a number for all of its digits.'), table.element]),
    ...withoutResult(), ...data.rows.length ? [reproduce(), terms()] : [],
    html('footer', {}, html('p', {}, `Made by tandem ${data.version}.`)));
  show();
}
assemble();
