// One long ribbon of sentences: a window slides over it (blocks), a comb picks from all of it (broad samples).
SCENES.blocks = (main, body, stage) => {
  const all = make('div', 'column'), strip = make('canvas')
  strip.style.flex = '0 0 20%'
  const facts = make('div', 'facts'), blocks = make('span', 'big a', '\u2013'), broad = make('span', 'big b', '\u2013'), ratio = make('span', 'big', '\u2013')
  facts.append(make('div', '', '', blocks, make('div', '', 'blocks')), make('div', '', '', broad, make('div', '', 'broad samples')),
    make('div', '', '', ratio, make('div', '', 'times the spread')))
  const boxes = [0, 1].map(() => make('div', 'strip'))
  const lanes = make('div', 'column'), below = make('div', 'lanes')
  lanes.append(...boxes)
  below.append(facts, lanes)
  Object.assign(below.style, {display: 'flex', gap: '1.5em', flex: 1, minHeight: 0})
  Object.assign(facts.style, {flexDirection: 'column', alignItems: 'flex-start', justifyContent: 'space-around', gap: 0, width: '10em'})
  all.append(strip, below)
  main.append(all)
  const box = strip.getBoundingClientRect(), scale = devicePixelRatio || 1, pen = strip.getContext('2d')
  strip.width = box.width * scale
  strip.height = box.height * scale
  pen.scale(scale, scale)
  const style = getComputedStyle(strip), color = name => style.getPropertyValue(`--${name}`).trim()
  const u = parseFloat(style.fontSize) / 24
  let plots = null, rows = null, shown = null, shuffled = false

  const ribbon = (values, sample) => {
    const wide = box.width / values.length, tall = box.height * 0.56
    pen.clearRect(0, 0, box.width, box.height)
    values.forEach((value, k) => {
      pen.globalAlpha = 0.06 + 0.94 * value
      pen.fillStyle = style.color
      pen.fillRect(k * wide, 0, wide + 0.6, tall)
    })
    pen.globalAlpha = 1
    if (sample !== undefined) {
      const n = rows.n, left = sample / n * box.width
      pen.strokeStyle = color('blue')
      pen.lineWidth = 4 * u
      pen.strokeRect(left, 2 * u, Math.max(box.width / n, 5 * u), tall - 4 * u)
      pen.fillStyle = color('olive')
      for (let k = 0; k < 60; k++) pen.fillRect((k + sample / n) / 60 * box.width, tall + 3 * u, 3 * u, 12 * u)
    }
    pen.fillStyle = style.color
    pen.font = `${24 * u}px ${style.fontFamily}`
    pen.fillText(`${shuffled ? 'the same sentences, shuffled' : body.ribbon_label}; the ${stage.node.classList.contains('dark') ? 'brighter' : 'darker'}, the harder`, 0, box.height - 8 * u, box.width)
  }
  const range = values => reach(Math.min(...values), Math.max(...values), '\u2013')
  const drop = (from, to) => {
    plots.blocks.add(rows.blocks.slice(from, to), rows.blocks.slice(from, to).map(() => 'blue'))
    plots.broad.add(rows.broad.slice(from, to), rows.broad.slice(from, to).map(() => 'olive'))
    blocks.textContent = range(rows.blocks.slice(0, to))
    broad.textContent = range(rows.broad.slice(0, to))
    ribbon(body.ribbon, to - 1)
  }
  ribbon(body.ribbon)
  return {
    closes: true,
    begin(given) {
      rows = given
      if (plots) return
      const said = [...(stage.guess ?? []), ...(stage.votes ?? [])]  // the axis holds what was guessed, too
      const axis = {low: Math.min(rows.axis.low, ...said), high: Math.max(rows.axis.high, ...said), bins: 90, below: 74}
      const one = (box, label) => new Dots(box, label, axis, at => stage.trace(0, at))
      plots = {blocks: one(boxes[0], `${body.metric} of blocks: ${body.size} neighbours each`),
        broad: one(boxes[1], `${body.metric} of broad samples: ${body.size} from everywhere`)}
    },
    one(i, done) {
      const from = i ? i - 1 : 0, started = performance.now()
      const frame = now => {
        const share = Math.min(1, (now - started) / 500)
        ribbon(body.ribbon, from + (i - from) * share)
        if (share < 1) requestAnimationFrame(frame)
        else { drop(i, i + 1); done() }
      }
      requestAnimationFrame(frame)
    },
    many: drop,
    trace(i) { ribbon(body.ribbon, i) },
    show(end) {
      if (shown === end || shuffled) return
      shown = end
      for (const plot of Object.values(plots)) plot.marks.length = 0
      ratio.textContent = fixed(end.ratio)
      for (const [name, [a, b]] of Object.entries({blocks: end.blocks, broad: end.broad})) plots[name].mark({at: a, to: b, text: reach(a, b), row: 0, outer: true})
      plots.blocks.predicted(stage)
    },
    // The same sentences in a random order: blocks become like broad samples.
    extra() {
      shuffled = true
      const {data: {end}} = stage, started = performance.now()
      plots.blocks.marks.length = plots.blocks.bars.length = 0
      const frame = now => {
        const share = still() ? 1 : Math.min(1, (now - started) / 1500), mix = (a, b) => a + (b - a) * share
        ribbon(body.ribbon.map((value, k) => mix(value, end.shuffled_ribbon[k])))
        const values = rows.blocks.slice(0, end.shuffled.length).map((value, k) => mix(value, end.shuffled[k]))
        Object.assign(plots.blocks, {values: [], colors: [], place: [], counts: plots.blocks.counts.map(() => 0)})
        plots.blocks.redraw()
        plots.blocks.add(values, values.map(() => 'blue'))
        if (share < 1) return requestAnimationFrame(frame)
        blocks.textContent = range(end.shuffled)
        ratio.textContent = fixed(end.shuffled_ratio)
        const ends = [Math.min(...end.shuffled), Math.max(...end.shuffled)]
        plots.blocks.mark({at: ends[0], to: ends[1], text: `shuffled: ${ends.map(x => fixed(x)).join(' to ')}`, outer: true})
      }
      requestAnimationFrame(frame)
    },
  }
}
