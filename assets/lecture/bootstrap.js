// Twelve sentences in an urn: drawn, dropped back, counted; the score of each resample falls as a dot.
SCENES.bootstrap = (main, body, stage) => {
  const urn = make('div', 'column'), side = make('div', 'column')
  const lines = body.sentences.map((text, k) => {
    const line = {ball: make('span', 'ball', String(k + 1)), badge: make('span', 'badge'), count: 0}
    line.node = make('div', 'row', '', line.ball, line.badge, make('span', 'text', text))
    return line
  })
  urn.style.gap = '0'
  urn.append(...lines.map(line => line.node))
  const missing = make('span', 'big', '\u2013'), lacks = make('div', '', `of ${lines.length} missing`), score = make('span', 'big', '\u2013')
  const sums = make('div', '', body.sums_of), boxes = [0, 1].map(() => make('div', 'strip'))
  const scored = `${body.metric} of ${body.names[0]} on it`, what = make('div', '', scored)
  const facts = make('div', 'facts', '', make('div', '', '', missing, lacks), make('div', '', '', score, what))
  urn.append(sums)
  side.append(facts, ...boxes)
  main.append(urn, side)
  let plots = null, rows = null
  const plot = (box, label, axis) => new Dots(box, label, axis, at => stage.trace(0, at))
  const signs = differences => differences.map(d => d < 0 ? 'olive' : 'blue')

  const write = (i, counts) => {
    lines.forEach((line, k) => {
      line.badge.textContent = `\u00d7${counts[k]}`
      line.node.classList.toggle('out', counts[k] === 0)
    })
    missing.textContent = counts.filter(count => !count).length
    lacks.textContent = `of ${lines.length} missing`
    score.textContent = i === null ? '\u2026' : fixed(rows.scores[i])
    what.textContent = scored
    if (i !== null) sums.textContent = body.sums.map(([name, hits, of]) => `${name} ${rows.sums[i][hits]}/${rows.sums[i][of]}`).join(', ')
  }
  const observed = k => ({at: rows.observed[k], text: `observed ${fixed(rows.observed[k])}`, row: 1})
  const drop = (from, to) => {
    plots.missing.add(rows.missing.slice(from, to))
    plots.scores.add(rows.scores.slice(from, to), rows.scores.slice(from, to).map(() => 'blue'))
    plots.differences?.add(rows.differences.slice(from, to), signs(rows.differences.slice(from, to)))
  }
  return {
    begin(given) {
      rows = given
      if (plots) return
      plots = {missing: plot(boxes[0], 'sentences missing from a resample', {low: 0, high: lines.length, integers: true}),
        scores: plot(boxes[1], `${body.metric} of ${body.names[0]} on each resample`, rows.axes.scores)}
      plots.scores.mark(observed(0))
    },
    // One resample, ball by ball.
    one(i, done) {
      const counts = lines.map(() => 0), order = rows.weights[i].flatMap((w, k) => new Array(w).fill(k))
      const wait = i === 0 ? 240 : 70
      let at = 0
      const draw = () => {
        lines.forEach(line => line.ball.classList.remove('up'))
        if (at === order.length) { write(i, counts); drop(i, i + 1); return done() }
        lines[order[at]].ball.classList.add('up')
        counts[order[at++]]++
        write(null, counts)
        setTimeout(draw, wait)
      }
      draw()
    },
    many(from, to) { drop(from, to); write(to - 1, rows.weights[to - 1]) },
    trace(i) { write(i, rows.weights[i]) },
    show(end) {
      if (plots.shown === end) return
      plots.shown = end
      const [low, high] = end.interval
      plots.missing.marks.length = plots.scores.marks.length = 0
      this.overall(fixed(end.missing), `of ${lines.length} missing, mean`, end.interval, `${body.metric}, ${end.of}`)
      plots.missing.mark({at: end.missing, text: `mean ${fixed(end.missing)}`, row: 0})
      plots.missing.predicted(stage)
      plots.scores.mark({at: low, to: high, text: `${end.of}: ${reach(low, high)}`})
      plots.scores.mark(observed(0))
      if (plots.differences) this.differ(end)
    },
    // Both systems on the same draws: their difference, in place of the missing sentences.
    extra() {
      boxes[0].replaceChildren()
      plots.differences = plot(boxes[0], `${body.names[0]} \u2212 ${body.names[1]}, same draws`, rows.axes.differences)
      plots.differences.add(rows.differences.slice(0, stage.step), signs(rows.differences.slice(0, stage.step)))
      this.differ(stage.data.end)
    },
    // The result of all draws, in place of the last one's.
    overall(first, of, [low, high], label) {
      missing.textContent = first
      lacks.textContent = of
      score.textContent = reach(low, high)
      what.textContent = label
    },
    differ({difference: [low, high], worse_said, of}) {
      this.overall(worse_said, 'of draws below 0', [low, high], `difference, ${of}`)
      plots.differences.marks.length = 0
      plots.differences.mark({at: 0, dashed: true, row: 1})
      plots.differences.mark(observed(1))
      plots.differences.mark({at: low, to: high, text: `${of}: ${reach(low, high)}; below 0: ${worse_said}`})
    },
  }
}
