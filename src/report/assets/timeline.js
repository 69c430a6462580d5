// The section of a timeline: its controls, and what mouse and keys do. The part in view, in nanoseconds, stands in the
// canvas's data-from and data-to, for who reads the page by a program.
const TIMELINE_KEYS = 'Keys: w, s zoom; a, d or arrows move; n, p next, previous slice; up, down other track; Enter zooms to it; Home all';
const MOST_RANKS = 8; // that are shown at first

class TimelineSection {
  constructor(raw) {
    this.timeline = readTimeline(raw);
    this.ranks = new Set(this.timeline.processes.slice(0, MOST_RANKS));
    this.state = {view: {from: 0, to: this.timeline.end, width: 900}, onlyCritical: false, chosen: null};
    this.canvas = html('canvas', {tabindex: 0, role: 'application', class: 'timeline',
      'aria-label': `timeline of ${raw.file}. ${TIMELINE_KEYS}`});
    this.words = html('output', {class: 'slice', 'aria-live': 'polite'}, 'Point at a slice, or click one.');
    this.element = html('section', {'aria-label': 'timeline'}, [heading('Timeline'), this.about(), this.controls(), this.legend(),
      html('figure', {class: 'wide'}, this.canvas), this.words]);
    this.listen();
  }

  about() {
    const slices = this.timeline.tracks.reduce((sum, track) => sum + track.count, 0);
    return html('p', {}, `${this.timeline.file}: ${slices} slices of ${this.timeline.processes.length} ranks, ${
      shown(this.timeline.end / 1e9, 's')}. Ctrl and wheel zoom, dragging moves. ${TIMELINE_KEYS}.`);
  }

  controls() {
    const button = (name, act) => {
      const element = html('button', {type: 'button'}, name);
      element.addEventListener('click', act);
      return element;
    };
    const tick = (name, on, act) => {
      const box = html('input', {type: 'checkbox'});
      box.checked = on;
      box.addEventListener('change', () => {
        act(box.checked);
        this.draw();
      });
      return html('label', {}, [box, ` ${name}`]);
    };
    const row = html('p', {class: 'control buttons'}, [button('zoom in', () => this.zoom(0.5)), button('zoom out', () => this.zoom(2)),
      button('all', () => this.show(0, this.timeline.end))]);
    if (this.timeline.tracks.some((track) => track.critical.includes(1)))
      row.append(tick('critical path only', false, (on) => {
        this.state.onlyCritical = on;
      }));
    if (this.timeline.processes.length > 1)
      row.append(html('details', {class: 'ranks'}, [html('summary', {}, 'ranks'), html('div', {}, this.timeline.processes.map((process) =>
        tick(process, this.ranks.has(process), (on) => on ? this.ranks.add(process) : this.ranks.delete(process))))]));
    return row;
  }

  legend() {
    const sample = (drawn) => svg('svg', {viewBox: '0 0 12 12', width: 12, height: 12, 'aria-hidden': 'true'}, drawn);
    const list = this.timeline.categories.map((name, index) => html('li', {}, [sample(svg('rect',
      {class: `part c${index % COLOURS}`, width: 12, height: 12})), ` ${name}`]));
    if (this.timeline.tracks.some((track) => track.critical.includes(1)))
      list.push(html('li', {title: 'the chain of tasks, each of which began when the one before it had ended'},
        [sample(svg('rect', {class: 'ink', y: 8, width: 12, height: 4})), ' critical path']));
    return html('ul', {class: 'legend', 'aria-label': 'colours of slices'}, list);
  }

  draw() {
    if (this.waiting)
      return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      Object.assign(this.state, lanesOf(this.timeline, this.ranks));
      this.state.view.width = Math.max(100, this.canvas.clientWidth - LANE.label);
      drawTimeline(this.canvas, this.timeline, this.state);
      this.canvas.dataset.from = Math.round(this.state.view.from);
      this.canvas.dataset.to = Math.round(this.state.view.to);
    });
  }

  // Brings `from` to `to` into view, as far as there is anything.
  show(from, to) {
    const length = Math.min(this.timeline.end, Math.max(20, to - from));
    const begin = Math.min(Math.max(0, from), this.timeline.end - length);
    Object.assign(this.state.view, {from: begin, to: begin + length});
    this.draw();
  }

  zoom(factor, share = 0.5) {
    const {from, to} = this.state.view, fixed = from + share * (to - from);
    this.show(fixed - (fixed - from) * factor, fixed + (to - fixed) * factor);
  }

  move(share) {
    const {from, to} = this.state.view, by = share * (to - from);
    this.show(from + by, to + by);
  }

  choose(track, index) {
    this.state.chosen = {track, index};
    this.words.textContent = wordsOfSlice(this.timeline, track, index);
    const {from, to} = this.state.view;
    if (track.end[index] <= from || track.begin[index] >= to)
      this.show(track.begin[index] - (to - from) / 2, track.begin[index] + (to - from) / 2);
    this.draw();
  }

  // The slice at a place of the canvas, in pixels, or a pixel beside it.
  at(x, y) {
    const lane = this.state.lanes.find((one) => one.track && y >= one.y && y < one.y + LANE.height);
    if (!lane || x < LANE.label)
      return null;
    const {from, to, width} = this.state.view, pixel = (to - from) / width, time = from + (x - LANE.label) * pixel;
    const index = lastBegun(lane.track, time + pixel);
    return index >= 0 && lane.track.end[index] >= time - pixel ? {track: lane.track, index} : null;
  }

  stepSlice(by) {
    const {chosen, lanes, view} = this.state;
    if (!chosen) {
      const first = lanes.find((lane) => lane.track);
      if (first)
        this.choose(first.track, Math.max(0, lastBegun(first.track, view.from)));
      return;
    }
    const index = chosen.index + by;
    if (index >= 0 && index < chosen.track.count)
      this.choose(chosen.track, index);
  }

  stepTrack(by) {
    const tracks = this.state.lanes.filter((lane) => lane.track).map((lane) => lane.track), {chosen} = this.state;
    if (!chosen)
      return this.stepSlice(1);
    const next = tracks[tracks.indexOf(chosen.track) + by];
    if (next)
      this.choose(next, Math.max(0, lastBegun(next, chosen.track.begin[chosen.index])));
  }

  zoomToChosen() {
    const {chosen} = this.state;
    if (chosen) {
      const begin = chosen.track.begin[chosen.index], length = chosen.track.end[chosen.index] - begin;
      this.show(begin - length, begin + 2 * length);
    }
  }

  listen() {
    const {canvas} = this;
    const acts = {w: () => this.zoom(0.5), '+': () => this.zoom(0.5), s: () => this.zoom(2), '-': () => this.zoom(2),
      a: () => this.move(-0.25), ArrowLeft: () => this.move(-0.25), d: () => this.move(0.25), ArrowRight: () => this.move(0.25),
      n: () => this.stepSlice(1), p: () => this.stepSlice(-1), ArrowDown: () => this.stepTrack(1), ArrowUp: () => this.stepTrack(-1),
      Enter: () => this.zoomToChosen(), Home: () => this.show(0, this.timeline.end)};
    canvas.addEventListener('keydown', (event) => {
      if (acts[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        acts[event.key]();
      }
    });
    canvas.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey)
        return; // the page scrolls
      event.preventDefault();
      this.zoom(1.0015 ** event.deltaY, (event.offsetX - LANE.label) / this.state.view.width);
    }, {passive: false});
    let held = null; // where the mouse went down, and what was in view then
    canvas.addEventListener('pointerdown', (event) => {
      held = {x: event.offsetX, from: this.state.view.from, to: this.state.view.to, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (held) {
        held.moved = held.moved || Math.abs(event.offsetX - held.x) > 3;
        const by = (held.x - event.offsetX) / this.state.view.width * (held.to - held.from);
        if (held.moved)
          this.show(held.from + by, held.to + by);
        return;
      }
      const slice = this.at(event.offsetX, event.offsetY);
      if (slice)
        this.words.textContent = wordsOfSlice(this.timeline, slice.track, slice.index);
    });
    canvas.addEventListener('pointerup', (event) => {
      const slice = held && !held.moved && this.at(event.offsetX, event.offsetY);
      held = null;
      if (slice)
        this.choose(slice.track, slice.index);
    });
    canvas.addEventListener('dblclick', () => this.zoomToChosen());
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
    for (const medium of ['(prefers-color-scheme: dark)', 'print'])
      matchMedia(medium).addEventListener('change', () => this.draw());
  }
}
