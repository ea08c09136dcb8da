// Fifteen systems, each pair tested: cells light up where a difference is claimed.
SCENES.comparisons = (main, body, stage) => {
  const left = make('div', 'column'), side = make('div', 'column'), cells = make('canvas'), strip = make('div', 'strip')
  left.style.flex = '0 0 42%'
  left.append(cells)
  const stars = make('span', 'big counted', '\u2013'), share = make('span', 'big', '\u2013'), starsBox = make('div', '', 'stars among 105'), shareBox = make('div', '', 'of test sets have one'), lost = make('span', 'big')
  const facts = make('div', 'facts', '', make('div', '', '', stars, starsBox), make('div', '', '', share, shareBox))
  side.append(facts, strip)
  main.append(left, side)
  const box = cells.getBoundingClientRect(), scale = devicePixelRatio || 1, pen = cells.getContext('2d'), style = getComputedStyle(cells)
  cells.width = box.width * scale
  cells.height = box.height * scale
  pen.scale(scale, scale)
  const u = parseFloat(style.fontSize) / 24, color = name => style.getPropertyValue(`--${name}`).trim()
  let rows = null, plot = null, correction = 0, at = -1, better = false
  const name = () => body.corrections[correction][0]
  const paint = () => {
    pen.clearRect(0, 0, box.width, box.height)
    const side = Math.min(box.width, box.height) / body.systems, lit = at < 0 ? {} : Object.fromEntries(rows.cells[name()][at])
    for (let i = 0, pair = 0; i < body.systems; i++) for (let j = i + 1; j < body.systems; j++, pair++) {
      const claimed = lit[pair], truth = better && i < body.better && j >= body.better
      pen.globalAlpha = claimed ? 1 : truth ? 0.35 : 0.13
      pen.fillStyle = claimed ? (truth && claimed > 0 ? color('blue') : color('red')) : truth ? color('blue') : style.color
      pen.fillRect(j * side, i * side, side * 0.9, side * 0.9)
      if (claimed) {
        pen.fillStyle = style.getPropertyValue('--st-background-color') || '#fff'
        pen.font = `700 ${side * 0.9}px ${style.fontFamily}`
        pen.textAlign = 'center'
        pen.fillText('*', (j + 0.45) * side, (i + 1) * side)
      }
    }
    pen.globalAlpha = 1
    pen.fillStyle = style.color
    pen.textAlign = 'left'
    pen.font = `${24 * u}px ${style.fontFamily}`
    const words = better ? ['Faint blue: a true one lost,', 'star on blue: one found,', 'orange: a false star.'] : ['A cell is a pair of systems,', 'a star calls them different.']
    words.forEach((text, k) => pen.fillText(text, 0, box.height - (31 * (words.length - k) - 20) * u))  // where no cells are
  }
  const one = k => {
    stars.textContent = rows.false[name()][k]
    starsBox.textContent = better ? 'false stars here' : 'stars among 105'
  }
  const count = to => {
    const found = rows.false[name()].slice(0, to)
    one(at)
    share.textContent = `${fixed(100 * found.filter(Boolean).length / to, 0)}%`
    if (better) {
      lost.textContent = fixed(rows.lost[name()].slice(0, to).reduce((a, b) => a + b) / to)
    }
  }
  const fresh = () => {
    strip.replaceChildren()
    const said = [...(stage.guess ?? []), ...(stage.votes ?? [])].filter(value => value <= stage.data.guess.max)
    const most = Math.ceil(Math.max(30, ...said))  // the axis holds what was predicted, too
    plot = new Dots(strip, `false stars on each test set: ${body.corrections[correction][1]}`, {low: 0, high: most, integers: true}, at => stage.trace(0, at))
  }
  // After the reveal: the mean under this correction and, while all systems are equal, the predictions.
  const showMeans = () => {
    if (!stage.revealed || !stage.step) return
    const mean = rows.false[name()].slice(0, stage.step).reduce((a, b) => a + b) / stage.step
    stars.textContent = fixed(mean)
    starsBox.textContent = 'false stars, mean'
    plot.marks = [{at: mean, text: `mean ${fixed(mean)}`}]
    plot.predicted(better ? {} : stage)
  }
  const drop = (from, to) => {
    at = to - 1
    const values = rows.false[name()].slice(from, to)
    plot.add(values, values.map(value => value ? 'red' : 'rest'))
    paint()
    count(to)
    if (to === stage.step) showMeans()
  }
  paint()
  return {
    waits: true,
    begin(given) { rows = better ? rows : given; if (!plot) fresh() },
    one(i, done) { if (!better) rows = stage.rows; drop(i, i + 1); setTimeout(done, 200) },
    many(from, to) { if (!better) rows = stage.rows; drop(from, to) },
    trace(i) { at = i; paint(); one(i) },
    turn() {
      correction = (correction + 1) % body.corrections.length
      if (!plot) return
      fresh()
      if (stage.step) drop(0, Math.min(stage.step, rows.n))
      stage.draw()
    },
    controls() {
      const box = make('select', 'votes')
      box.ariaLabel = 'Correction'
      body.corrections.forEach(([, text], k) => box.append(Object.assign(make('option', '', text), {value: k, selected: k === correction})))
      box.disabled = stage.busy
      box.onchange = () => { correction = (Number(box.value) + body.corrections.length - 1) % body.corrections.length; stage.scene.turn() }
      return [box]
    },
    show: showMeans,
    // Three systems that are truly better: false and lost findings apart.
    extra() {
      better = true
      rows = stage.later
      shareBox.textContent = 'of sets have one'
      facts.append(make('div', '', '', lost, make('div', '', `of ${body.true_pairs} lost, mean`)))
      fresh()
      drop(0, Math.min(stage.step, rows.n))
    },
  }
}
